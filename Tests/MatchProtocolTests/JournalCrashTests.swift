// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// A whole match is stored, opened again in between, on a disk that fails.
@Suite struct JournalCrashTests {
    /// Something that was promised and is not so.
    private struct Broken: Error { var what: String }

    /// What a player was told is durable, and how far the player's program came.
    private final class Story {
        var told: [[UInt8]] = []
        var begun: [[UInt8]] = []
    }

    /// Stores a match, with an opening after four entries.
    private func live(_ played: PlayedMatch, on disk: SimulatedDisk, _ story: Story) throws {
        story.begun.append(played.lines[0])
        var journal = try played.create(in: disk)
        story.told.append(played.lines[0])
        for line in played.lines[1..<4] { try store(line, &journal, story) }
        _ = consume journal
        journal = try played.open(in: disk).journal
        for line in played.lines[4...] { try store(line, &journal, story) }
    }

    private func store(
        _ line: [UInt8], _ journal: inout Journal<SimulatedDisk>, _ story: Story
    ) throws {
        story.begun.append(line)
        try journal.store(entry: line)
        story.told.append(line)
    }

    /// Opens what is left, and looks whether it is what was promised.
    private func check(_ played: PlayedMatch, _ disk: SimulatedDisk, _ story: Story) throws {
        let opened: OpenedJournal<SimulatedDisk>
        do throws(JournalError) {
            opened = try played.open(in: disk)
        } catch {
            guard story.told.isEmpty, error == .absent(played.name) else {
                throw Broken(what: "not opened: \(error)")
            }
            return
        }
        let lines = opened.match.entries.map(\.line)
        guard lines.starts(with: story.told) else { throw Broken(what: "something is lost") }
        guard story.begun.starts(with: lines) else { throw Broken(what: "something is new") }
        guard opened.damage == nil else { throw Broken(what: "damage: \(opened.damage as Any)") }
        _ = consume opened
        // What was opened is durable from then on.
        disk.losePower(.none)
        let again = (try? played.open(in: disk).match.entries.map(\.line)) ?? []
        guard again == lines else { throw Broken(what: "opening did not make it durable") }
    }

    /// Loses power at each operation in turn, `swallowed` not being done.
    private func crashes(swallowed: Int?) async throws {
        let played = try PlayedMatch.won()
        let whole = SimulatedDisk()
        try live(played, on: whole, Story())
        for operation in 0...whole.operations.count {
            // Others have a clock to watch.
            await Task.yield()
            for mercy in SimulatedDisk.Mercy.allCases {
                for seed in UInt64(0)..<(mercy == .some ? 4 : 1) {
                    let disk = SimulatedDisk(seed: seed)
                    disk.faults[operation] = .crash
                    if let swallowed, swallowed != operation { disk.faults[swallowed] = .swallow }
                    let story = Story()
                    try? live(played, on: disk, story)
                    disk.losePower(mercy)
                    try check(played, disk, story)
                }
            }
        }
    }

    @Test func `power lost at any operation costs nothing that was told durable`() async throws {
        await #expect(throws: Never.self) { try await crashes(swallowed: nil) }
    }

    @Test func `leaving out any one sync is noticed, the directory's too`() async throws {
        let played = try PlayedMatch.won()
        let whole = SimulatedDisk()
        try live(played, on: whole, Story())
        let syncs = whole.operations.indices.filter {
            [.sync, .syncDirectory].contains(whole.operations[$0])
        }
        #expect(syncs.count == 2 + 3 + 2 + played.lines.count - 4)
        for sync in syncs {
            await #expect(throws: Broken.self, "operation \(sync)") {
                try await crashes(swallowed: sync)
            }
        }
    }

    @Test func `after a failed sync nothing is trusted but what was written anew`() throws {
        let played = try PlayedMatch.won()
        let whole = SimulatedDisk()
        try live(played, on: whole, Story())
        for operation in whole.operations.indices {
            for code in [StoreError.Code.failed, .full] {
                for isKilled in [true, false] {
                    let disk = SimulatedDisk()
                    disk.faults[operation] = .fail(code)
                    let story = Story()
                    #expect(throws: JournalError.self) { try live(played, on: disk, story) }
                    // A process that ends leaves what it wrote in the cache, where it looks well.
                    if isKilled { disk.kill() } else { disk.losePower(.none) }
                    #expect(throws: Never.self) { try check(played, disk, story) }
                }
            }
        }
    }

    /// Stores drafts and gives one up; what waits after each step.
    private func wish(_ played: PlayedMatch, on disk: SimulatedDisk, _ done: inout Int) throws {
        var journal = try played.create(in: disk)
        for text in ["a", "b", "c"] {
            try journal.store(draft: .say(text))
            done += 1
        }
        try journal.dropDraft()
        done += 1
        try journal.store(draft: .say("d"))
        done += 1
    }

    private func crashesWhileWishing(swallowed: Int?) async throws {
        let steps = ["", "a", "ab", "abc", "bc", "bcd"]
        let played = try PlayedMatch.won()
        let whole = SimulatedDisk()
        var count = 0
        try wish(played, on: whole, &count)
        for operation in 0...whole.operations.count {
            // Others have a clock to watch.
            await Task.yield()
            for mercy in SimulatedDisk.Mercy.allCases {
                let disk = SimulatedDisk(seed: UInt64(operation))
                disk.faults[operation] = .crash
                if let swallowed, swallowed != operation { disk.faults[swallowed] = .swallow }
                var done = 0
                try? wish(played, on: disk, &done)
                disk.losePower(mercy)
                guard let match = try? played.open(in: disk).match else {
                    guard done == 0 else { throw Broken(what: "not opened") }
                    continue
                }
                let texts = match.drafts.map { if case .say(let text) = $0 { text } else { "?" } }
                guard steps[done..<min(done + 2, steps.count)].contains(texts.joined()) else {
                    throw Broken(what: "\(texts) after \(done) steps")
                }
            }
        }
    }

    @Test func `a draft that was told durable waits, one that was given up does not`() async throws
    {
        await #expect(throws: Never.self) { try await crashesWhileWishing(swallowed: nil) }
        let whole = SimulatedDisk()
        var count = 0
        try wish(try PlayedMatch.won(), on: whole, &count)
        let syncs = whole.operations.indices.filter { whole.operations[$0] == .sync }
        #expect(syncs.count == 1 + count)
        // The first is for the entry, as above.
        for sync in syncs.dropFirst() {
            await #expect(throws: Broken.self, "operation \(sync)") {
                try await crashesWhileWishing(swallowed: sync)
            }
        }
    }

    /// Opens a damaged file, losing power at each operation in turn.
    private func crashesWhilePuttingAside(swallowed: Int?) async throws {
        let played = try PlayedMatch.won()
        var damaged = played.file()
        damaged[damaged.count / 2] ^= 2
        let whole = try played.opening(damaged).1
        for operation in 0...whole.operations.count {
            // Others have a clock to watch.
            await Task.yield()
            for mercy in SimulatedDisk.Mercy.allCases {
                for seed in UInt64(0)..<(mercy == .some ? 16 : 1) {
                    let disk = SimulatedDisk(seed: seed)
                    disk.put(damaged, as: played.name.file)
                    disk.faults[operation] = .crash
                    if let swallowed, swallowed != operation { disk.faults[swallowed] = .swallow }
                    _ = try? played.open(in: disk)
                    disk.losePower(mercy)
                    guard disk.names.contains(where: { disk.content($0) == damaged }) else {
                        throw Broken(what: "the damaged file is gone")
                    }
                    guard (try? played.open(in: disk)) != nil else {
                        throw Broken(what: "the match is gone")
                    }
                }
            }
        }
    }

    @Test func `a damaged file is lost at no operation, and each sync is needed`() async throws {
        await #expect(throws: Never.self) { try await crashesWhilePuttingAside(swallowed: nil) }
        let played = try PlayedMatch.won()
        var damaged = played.file()
        damaged[damaged.count / 2] ^= 2
        let whole = try played.opening(damaged).1
        let syncs = whole.operations.indices.filter {
            [.sync, .syncDirectory].contains(whole.operations[$0])
        }
        #expect(syncs.count == 4)
        // The last one is for what is stored later, which the match above needs.
        for sync in syncs.dropLast() {
            await #expect(throws: Broken.self, "operation \(sync)") {
                try await crashesWhilePuttingAside(swallowed: sync)
            }
        }
    }
}
