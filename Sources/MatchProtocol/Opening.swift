// SPDX-License-Identifier: MIT

/// What both players pin with their first entry: the rules, the keys and the fair start.
package struct Opening: Sendable, Equatable {
    /// The rules' name and version.
    package var rules: RulesID
    /// The game's options, 0 to 256 bytes.
    package var options: [UInt8]
    /// How much time each player has.
    package var clock: MoveClock?
    /// The match id: 16 bytes.
    package var match: [UInt8]
    /// The raw public keys of the seats.
    package var keys: PerSeat<[UInt8]>
    /// Where the initiator of the connection sits.
    package var joiner: Seat
    /// The exporter of the connection on which the match began.
    package var exporter: [UInt8]
    /// What the joiner promised.
    package var commitment: [UInt8]
    /// The host's 32 random bytes.
    package var hostRandom: [UInt8]
    /// The joiner's 32 random bytes.
    package var joinerRandom: [UInt8]
    /// What the author of the entry wants to be called: at most 64 bytes of UTF-8.
    package var name: String

    /// The longest options, in bytes.
    static let longestOptions = 256

    /// Whether two players' openings say the same; each has its own name.
    package func agrees(with other: Opening) -> Bool {
        var renamed = other
        renamed.name = name
        return self == renamed
    }

    /// Adds the arguments.
    func write(to words: inout WordWriter) {
        words.add("1")
        words.add(rules.name)
        words.add(rules.version)
        words.add(hex: options)
        words.add(clock?.description ?? "")
        words.add(hex: match)
        words.add(hex: keys[.first])
        words.add(hex: keys[.second])
        words.add(joiner)
        words.add(hex: exporter)
        words.add(hex: commitment)
        words.add(hex: hostRandom)
        words.add(hex: joinerRandom)
        words.add(name)
    }
}

extension Opening {
    /// Reads the arguments.
    init(from words: inout WordReader) throws(Malformed) {
        guard try words.number("version", as: UInt16.self) == 1 else {
            throw Malformed("There is no such version of the match protocol.")
        }
        rules = RulesID(
            name: try words.text("RULES", size: 1...32), version: try words.number("VERSION"))
        options = try words.hex("OPTIONS", count: 0...Self.longestOptions)
        clock = try words.clock()
        match = try words.hex("MATCH", count: 16)
        keys = PerSeat(both: try words.hex("KEY1", count: 32))
        keys[.second] = try words.hex("KEY2", count: 32)
        joiner = try words.seat("JOINERSEAT")
        exporter = try words.hex("EXPORTER", count: 32)
        commitment = try words.hex("COMMIT", count: 32)
        hostRandom = try words.hex("HOSTRANDOM", count: 32)
        joinerRandom = try words.hex("JOINERRANDOM", count: 32)
        name = try words.text("NAME", size: 0...64)
    }
}
