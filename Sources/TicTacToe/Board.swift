// SPDX-License-Identifier: MIT

/// Nine squares, each empty or marked.
public struct Board: Sendable, Hashable {
    /// One bit a square.
    private var crosses: UInt16 = 0
    private var noughts: UInt16 = 0

    /// Makes the empty board.
    public init() {}

    /// The mark on a square, or `nil` if it is empty.
    public subscript(square: Square) -> Mark? {
        get {
            if crosses & square.bit != 0 { return .x }
            return noughts & square.bit != 0 ? .o : nil
        }
        set {
            crosses &= ~square.bit
            noughts &= ~square.bit
            switch newValue {
            case .x: crosses |= square.bit
            case .o: noughts |= square.bit
            case nil: break
            }
        }
    }

    /// The squares without a mark, in order.
    public var empty: [Square] { Square.allCases.filter { self[$0] == nil } }

    /// Whether every square has a mark.
    public var isFull: Bool { crosses | noughts == 0b111_111_111 }

    /// Whether this mark fills a row, a column or a diagonal.
    public func hasLine(of mark: Mark) -> Bool {
        let marked = mark == .x ? crosses : noughts
        return Self.lines.contains { marked & $0 == $0 }
    }

    /// The squares of every row, column and diagonal that this mark fills.
    public func squaresInLine(of mark: Mark) -> [Square] {
        let marked = mark == .x ? crosses : noughts
        let filled = Self.lines.reduce(into: UInt16(0)) { filled, line in
            if marked & line == line { filled |= line }
        }
        return Square.allCases.filter { filled & $0.bit != 0 }
    }

    /// Rows, columns and diagonals; square 1 is the last digit.
    private static let lines: [UInt16] = [
        0b000_000_111, 0b000_111_000, 0b111_000_000,
        0b001_001_001, 0b010_010_010, 0b100_100_100,
        0b100_010_001, 0b001_010_100,
    ]
}

/// One character a square, row by row; `.` is empty.
extension Board: CustomStringConvertible {
    /// For example `X...O....`.
    public var description: String {
        Square.allCases.map { self[$0]?.rawValue ?? "." }.joined()
    }
}

extension Square {
    fileprivate var bit: UInt16 { 1 << UInt16(index) }  // cannot trap: an index is 0 to 8.
}
