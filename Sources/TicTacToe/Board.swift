// SPDX-License-Identifier: MIT

/// Nine squares, each empty or marked. Any placement is a board, also one that no game reaches.
public struct Board: Sendable, Hashable {
    private var marks = [Mark?](repeating: nil, count: 9)

    /// Makes the empty board.
    public init() {}

    /// The mark on a square, or `nil` if it is empty.
    public subscript(square: Square) -> Mark? {
        get { marks[square.index] }
        set { marks[square.index] = newValue }
    }

    /// The squares without a mark, in order.
    public var empty: [Square] { Square.allCases.filter { self[$0] == nil } }

    /// Whether this mark fills a row, a column or a diagonal.
    public func hasLine(of mark: Mark) -> Bool {
        Self.lines.contains { line in line.allSatisfy { marks[$0] == mark } }
    }

    private static let lines = [
        [0, 1, 2], [3, 4, 5], [6, 7, 8],
        [0, 3, 6], [1, 4, 7], [2, 5, 8],
        [0, 4, 8], [2, 4, 6],
    ]
}

/// One character a square, row by row; `.` is empty.
extension Board: CustomStringConvertible {
    /// For example `X...O....`.
    public var description: String {
        marks.map { $0?.rawValue ?? "." }.joined()
    }
}
