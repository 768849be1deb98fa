// SPDX-License-Identifier: MIT

/// What is to happen in a world, and when: a binary heap.
struct Agenda {
    /// What can be due.
    enum Item: UInt8 {
        /// Bytes or their end arrive: link, side that hears them.
        case arrival
        /// A session's deadline: link, side.
        case session
        /// A session goes on writing: link, side.
        case write
        /// The system gives up on what it could not deliver: link, side that learns of it.
        case giveUp
        /// A match's deadline: process.
        case seat
        /// A player acts: process.
        case bot
        /// A dial gets through, or will not: dialling.
        case connect
        /// The two players meet, if no match has begun.
        case meet
        /// Something goes wrong.
        case fault
        /// A machine starts a process: machine.
        case restart
        /// A partition ends.
        case heal
        /// All faults but one end.
        case calm
    }

    /// One of them; what happens at one moment happens in the order in which it was planned.
    struct Entry {
        var time: UInt64
        var order: UInt64
        var item: Item
        var a: Int
        var b: Int

        fileprivate func precedes(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : order < other.order
        }
    }

    private var heap: [Entry] = []
    private var planned: UInt64 = 0

    mutating func add(_ item: Item, at time: UInt64, _ a: Int = 0, _ b: Int = 0) {
        planned += 1
        heap.append(Entry(time: time, order: planned, item: item, a: a, b: b))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func next() -> Entry? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].precedes(heap[least]) { least = child }
            guard least != parent else { return first }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
