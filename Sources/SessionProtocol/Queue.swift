// SPDX-License-Identifier: MIT

/// A first-in first-out queue that takes from the front in constant time.
///
/// One element costs no allocation: most queues of most sessions never hold more.
struct Queue<Element: Sendable>: Sendable {
    /// The first element; the others are in `rest` from `head` on.
    private(set) var first: Element?
    private var rest: [Element] = []
    private var head = 0

    var count: Int { first == nil ? 0 : rest.count - head + 1 }
    var isEmpty: Bool { first == nil }

    /// The element `index` places behind the first.
    subscript(index: Int) -> Element? { index == 0 ? first : rest[head + index - 1] }

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { rest.append(element) }
    }

    mutating func popFirst() -> Element? {
        guard let element = first else { return nil }
        guard head < rest.count else {
            first = nil
            return element
        }
        first = rest[head]
        head += 1
        if head == rest.count {
            // What is empty keeps nothing: most sessions are idle most of the time.
            rest = []
            head = 0
        } else if head >= 256, head * 2 >= rest.count {
            rest.removeSubrange(..<head)
            head = 0
        }
        return element
    }

    mutating func removeAll() {
        first = nil
        rest = []
        head = 0
    }
}

extension Queue: Equatable where Element: Equatable {
    static func == (a: Self, b: Self) -> Bool {
        a.first == b.first && a.rest[a.head...] == b.rest[b.head...]
    }
}

extension Queue: Hashable where Element: Hashable {
    func hash(into hasher: inout Hasher) {
        hasher.combine(first)
        hasher.combine(rest[head...])
    }
}
