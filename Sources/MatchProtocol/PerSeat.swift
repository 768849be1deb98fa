// SPDX-License-Identifier: MIT

/// One value for each seat.
package struct PerSeat<Value> {
    private var first: Value
    private var second: Value

    /// Makes a pair of equal values.
    package init(both value: Value) {
        first = value
        second = value
    }

    /// The value of a seat.
    package subscript(seat: Seat) -> Value {
        get { seat == .first ? first : second }
        // In place: a `set` would copy arrays that grow.
        _modify {
            switch seat {
            case .first: yield &first
            case .second: yield &second
            }
        }
    }
}

extension PerSeat: Sendable where Value: Sendable {}
extension PerSeat: Equatable where Value: Equatable {}
