// SPDX-License-Identifier: MIT

extension PlayerCommand {
    /// Reads a command from one line of JSON, without its line end. Fields nobody knows are
    /// skipped.
    ///
    /// - Throws: ``CommandError``; nothing was asked then.
    public init(jsonLine line: [UInt8]) throws(CommandError) {
        guard line.count <= LineBuffer.longestLine else { throw .tooLong }
        let object = try JSONObject(parsing: line)
        guard let verb = object.string("do") else {
            throw CommandError(.unknown, "The object has no string \"do\".")
        }
        switch verb {
        case "move": self = try .move(square: Self.square(of: object))
        case "resign": self = .resign
        case "offer": self = try .offer(kind: Self.offerKind(of: object))
        case "accept": self = try Self.answer(true, object)
        case "decline": self = try Self.answer(false, object)
        case "claim": self = .claim
        case "say": self = try .say(Self.text(of: object))
        case "quit": self = .quit
        default:
            throw CommandError(
                .unknown,
                "\"do\" is not one of move, resign, offer, accept, decline, claim, say and quit.")
        }
    }

    private static func answer(
        _ isYes: Bool, _ object: borrowing JSONObject
    ) throws(CommandError) -> PlayerCommand {
        guard object.has("key") else { return isYes ? .accept : .decline }
        guard let key = object.string("key") else {
            throw CommandError(.type, "\"key\" is a string: whom the answer is for.")
        }
        return .answer(isYes, to: key)
    }

    private static func square(of object: borrowing JSONObject) throws(CommandError) -> Int {
        guard let number = object.integer("square") else {
            throw CommandError(.type, "A move needs \"square\", a whole number.")
        }
        guard let square = Int(exactly: number), squares.contains(square) else {
            throw CommandError(.range, "There is no square \(number); they are 1 to 9.")
        }
        return square
    }

    private static func offerKind(of object: borrowing JSONObject) throws(CommandError) -> String {
        guard let kind = object.string("kind") else {
            throw CommandError(.type, "An offer needs \"kind\", a string.")
        }
        guard offerKinds.contains(kind) else {
            throw CommandError(.range, "An offer's kind is \"rematch\" or \"draw\".")
        }
        return kind
    }

    private static func text(of object: borrowing JSONObject) throws(CommandError) -> String {
        guard let text = object.string("text") else {
            throw CommandError(.type, "To say something takes \"text\", a string.")
        }
        guard 1...longestText ~= text.utf8.count else {
            throw CommandError(.range, "A text has 1 to \(longestText) bytes of UTF-8.")
        }
        return text
    }
}

extension CommandError {
    /// The answer to ``LineBuffer/Line/tooLong``.
    public static let tooLong = CommandError(
        .long, "The line is too long: at most \(LineBuffer.longestLine) bytes.")
}
