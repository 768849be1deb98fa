// SPDX-License-Identifier: MIT

import SessionProtocol

/// The members that want to be woken, the earliest first.
struct TimerHeap {
    private var members: [LoopMember] = []

    /// When the earliest is due.
    var earliest: Instant? { members.first?.timerInstant }

    /// Wakes `member` at `instant`, instead of when it asked for before.
    mutating func set(_ member: LoopMember, at instant: Instant) {
        let isNew = member.timerIndex < 0
        let isLater = !isNew && member.timerInstant < instant
        member.timerInstant = instant
        if isNew {
            member.timerIndex = members.count
            members.append(member)
        }
        if isLater { siftDown(member.timerIndex) } else { siftUp(member.timerIndex) }
    }

    /// Wakes `member` no more.
    mutating func cancel(_ member: LoopMember) {
        let index = member.timerIndex
        guard index >= 0 else { return }
        member.timerIndex = -1
        let last = members.removeLast()
        guard last !== member else { return }
        members[index] = last
        last.timerIndex = index
        siftDown(index)
        siftUp(last.timerIndex)
    }

    /// Takes the earliest out if it is due.
    mutating func popDue(at now: Instant) -> LoopMember? {
        guard let first = members.first, first.timerInstant <= now else { return nil }
        cancel(first)
        return first
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard members[index].timerInstant < members[parent].timerInstant else { return }
            swap(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < members.count {
                if members[child].timerInstant < members[smallest].timerInstant {
                    smallest = child
                }
            }
            guard smallest != index else { return }
            swap(index, smallest)
            index = smallest
        }
    }

    private mutating func swap(_ a: Int, _ b: Int) {
        members.swapAt(a, b)
        members[a].timerIndex = a
        members[b].timerIndex = b
    }
}
