// SPDX-License-Identifier: MIT

public import MatchProtocol

/// One of the nine squares, row by row from 0; people and bytes count from 1.
public struct Square: Sendable, Hashable, CaseIterable {
    /// 0 to 8.
    public let index: Int

    /// The square with this index, or `nil` if there is none.
    public init?(index: Int) {
        guard (0..<9).contains(index) else { return nil }
        self.index = index
    }

    /// The square that people call `number`, from 1, or `nil` if there is none.
    public init?(number: Int) {
        guard (1...9).contains(number) else { return nil }
        // cannot trap: it is 1 to 9.
        index = number - 1
    }

    /// What people call it, from 1.
    public var number: Int { index + 1 }

    /// All nine in order.
    public static let allCases = (0..<9).compactMap(Square.init(index:))
}

/// To play is to name a square; its bytes are the one digit `1` to `9`.
extension Square: GameAction {
    /// The digit.
    public var bytes: [UInt8] { [0x31 + UInt8(index)] }  // cannot trap: an index is 0 to 8.

    /// Reads the digit.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 1, (0x31...0x39).contains(bytes[0]) else { return nil }
        index = Int(bytes[0] - 0x31)
    }
}
