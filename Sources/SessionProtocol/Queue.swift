// SPDX-License-Identifier: MIT

/// A first-in first-out queue that takes from the front in constant time.
struct Queue<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { elements.count == head }
    /// What `popFirst` would give.
    var first: Element? { isEmpty ? nil : elements[head] }

    subscript(index: Int) -> Element { elements[head + index] }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        head += 1
        if head == elements.count {
            // What is empty keeps only a little: most sessions are idle most of the time.
            elements.removeAll(keepingCapacity: elements.capacity <= 16)
            head = 0
        } else if head >= 256, head * 2 >= elements.count {
            elements.removeSubrange(..<head)
            head = 0
        }
        return element
    }

    mutating func removeAll() {
        elements = []
        head = 0
    }
}

extension Queue: Equatable where Element: Equatable {
    static func == (a: Self, b: Self) -> Bool { a.elements[a.head...] == b.elements[b.head...] }
}

extension Queue: Hashable where Element: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(elements[head...]) }
}
