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
        set {
            switch seat {
            case .first: first = newValue
            case .second: second = newValue
            }
        }
    }
}

extension PerSeat: Sendable where Value: Sendable {}
extension PerSeat: Equatable where Value: Equatable {}
