// SPDX-License-Identifier: MIT

/// The kind byte of a frame (`docs/protocol.md` §4).
package enum FrameKind: UInt8, Sendable, Hashable, CaseIterable {
    case hello = 0x01
    case welcome = 0x02
    case refuse = 0x03
    case packet = 0x04
    case have = 0x05
    case ping = 0x06
    case pong = 0x07
    case goodbye = 0x08
    case note = 0x09
    case code = 0x0a
}

/// What a frame says.
package enum SessionMessage: Sendable, Hashable {
    /// The initiator's first message.
    indirect case hello(Hello)
    /// The responder's answer: the session is on.
    indirect case welcome(Hello)
    /// The responder's other answer.
    indirect case refuse(Refusal)
    /// One packet of the sender's log.
    case packet(number: UInt64, [UInt8])
    /// Packets 1 to `count` of the receiver's log are stored.
    case have(count: UInt64, hash: [UInt8]?)
    /// Asks for a pong with the same number.
    case ping(UInt64)
    /// Answers a ping.
    case pong(UInt64)
    /// The sender closes.
    indirect case goodbye(GoodbyeCode, text: String)
    /// Bytes outside the log.
    case note([UInt8])
    /// A step of the exchange that proves a code: in turn a share of 32 bytes, nothing or a share
    /// and a tag of 64, a tag.
    case code([UInt8])
    /// A kind without a meaning here; it is skipped.
    case unknown(kind: UInt8, [UInt8])

    /// Reads a message from a frame's kind and body.
    ///
    /// - Throws: ``MessageError`` when the body does not have the form of its kind, or there is no
    ///   kind.
    package init(frame: Span<UInt8>) throws(MessageError) {
        guard frame.count > 0 else { throw MessageError("no kind") }
        let kind = frame[0]
        let body = frame.extracting(1...)
        switch FrameKind(rawValue: kind) {
        case .packet:
            guard let number = readNumber(body, as: UInt64.self), number > 0 else {
                throw MessageError("a packet without a number")
            }
            self = .packet(number: number, [UInt8](copying: body.extracting(8...)))
        case .have:
            guard let count = readNumber(body, as: UInt64.self),
                body.count == 8 || body.count == 40
            else { throw MessageError("have of \(body.count) bytes") }
            let hash = body.count == 40 ? [UInt8](copying: body.extracting(8...)) : nil
            self = .have(count: count, hash: hash)
        case .ping: self = .ping(try Self.echo(body))
        case .pong: self = .pong(try Self.echo(body))
        case .note: self = .note([UInt8](copying: body))
        case .code:
            guard [0, 32, 64, 96].contains(body.count) else {
                throw MessageError("a code of \(body.count) bytes")
            }
            self = .code([UInt8](copying: body))
        case .hello: self = .hello(try Hello(body: [UInt8](copying: body)))
        case .welcome: self = .welcome(try Hello(welcome: [UInt8](copying: body)))
        case .refuse: self = .refuse(try Refusal(body: [UInt8](copying: body)))
        case .goodbye:
            let fields = try Fields([UInt8](copying: body), known: 1...2)
            let code = GoodbyeCode(value: try fields.number(1))
            self = .goodbye(code, text: try fields.optionalText(2, 0...200) ?? "")
        case nil: self = .unknown(kind: kind, [UInt8](copying: body))
        }
    }

    private static func echo(_ body: Span<UInt8>) throws(MessageError) -> UInt64 {
        guard body.count == 8, let number = readNumber(body, as: UInt64.self) else {
            throw MessageError("a ping or pong of \(body.count) bytes")
        }
        return number
    }

    /// The whole frame, its length first.
    package var frame: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// Appends the whole frame, its length first.
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .hello(let hello): bytes.append(frame: .hello, hello.fields)
        case .welcome(let hello): bytes.append(frame: .welcome, hello.fields)
        case .refuse(let refusal): bytes.append(frame: .refuse, refusal.fields)
        case .packet(let number, let packet):
            bytes.append(header: FrameKind.packet.rawValue, bodySize: 8 + packet.count)
            bytes.append(bigEndian: number)
            bytes.append(contentsOf: packet)
        case .have(let count, let hash):
            let hash = hash?.count == 32 ? hash : nil
            bytes.append(header: FrameKind.have.rawValue, bodySize: hash == nil ? 8 : 40)
            bytes.append(bigEndian: count)
            if let hash { bytes.append(contentsOf: hash) }
        case .ping(let number):
            bytes.append(header: FrameKind.ping.rawValue, bodySize: 8)
            bytes.append(bigEndian: number)
        case .pong(let number):
            bytes.append(header: FrameKind.pong.rawValue, bodySize: 8)
            bytes.append(bigEndian: number)
        case .goodbye(let code, let text):
            var fields: [UInt8] = []
            fields.append(field: 1, number: code.value)
            if !text.isEmpty { fields.append(field: 2, text.prefix(bytes: 200)) }
            bytes.append(frame: .goodbye, fields)
        case .note(let note): bytes.append(frame: .note, note)
        case .code(let code): bytes.append(frame: .code, code)
        case .unknown(let kind, let body):
            bytes.append(header: kind, bodySize: body.count)
            bytes.append(contentsOf: body)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(header kind: UInt8, bodySize: Int) {
        append(bigEndian: UInt32(truncatingIfNeeded: bodySize + 1))
        append(kind)
    }

    fileprivate mutating func append(frame kind: FrameKind, _ body: [UInt8]) {
        append(header: kind.rawValue, bodySize: body.count)
        append(contentsOf: body)
    }
}
