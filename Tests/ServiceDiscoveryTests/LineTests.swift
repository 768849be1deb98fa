// SPDX-License-Identifier: MIT

import ResponderProtocol
import Testing

@Suite struct LineTests {
    static let orders: [Order] = [
        .publish(
            name: "Alice #2", port: 4242, text: [Array("v=1".utf8), [], [0, 10, 255]], at: nil),
        .publish(name: "", port: 0, text: [], at: Place(interface: .max, family: .ipv6)),
        .withdraw, .browse, .stop,
        .lookUp(number: .max, host: "h1.local"),
        .forget(number: 0),
        .ignore(Sighting(interface: 3, family: .ipv6, name: "Ann's game")),
    ]

    static let sighting = Sighting(interface: 3, family: .ipv6, name: "Zoë\n\u{1B}[2J 🎮")

    static let reports: [Report] = [
        .ready,
        .established(name: "Alice"),
        .collision(name: "Alice"),
        .found(
            sighting,
            Detail(host: "ttt-1.local", address: [10, 0, 0, 1], port: 65535, text: [[1], []])),
        .found(
            sighting, Detail(host: "h", address: Array(0..<16), port: 1, text: [])),
        .silent(sighting),
        .lost(sighting),
        .address(number: 7, interface: 2, bytes: [169, 254, 0, 1]),
        .unknown(number: 7, family: .ipv4),
    ]

    @Test(arguments: orders) func `an order is read as it was written`(order: Order) throws {
        let line = try #require(order.line)
        #expect(line.last == 10)
        #expect(line.dropLast().allSatisfy { (32...126).contains($0) })
        #expect(Order(line: line.dropLast()) == order)
        #expect(Report(line: line.dropLast()) == nil)
    }

    @Test(arguments: reports) func `a report is read as it was written`(report: Report) throws {
        let line = try #require(report.line)
        #expect(line.last == 10)
        #expect(line.dropLast().allSatisfy { (32...126).contains($0) })
        #expect(Report(line: line.dropLast()) == report)
        #expect(Order(line: line.dropLast()) == nil)
    }

    @Test(
        arguments: [
            "", " ", "ready ", " ready", "ready 1", "READY", "established", "established 4",
            "established zz", "established 4A", "established ff", "established 00",
            "established 41 41", "found", "found 1 5 41 41 0a000001 1", "found 1 4 41 41 0a0000 1",
            "found 1 4 41 41 - 1", "found -1 4 41 41 0a000001 1", "found 1 4 41 41 0a000001 65536",
            "found +1 4 41 41 0a000001 1", "found 4294967296 4 41 41 0a000001 1",
            "found 1 4 41 41 0a000001 1 x", "found 1 4 41 41 0a000001 1  ", "silent 1 4",
            "lost 1 4 41 41", "address 1 1 0a", "address 1 1", "unknown 1 7", "unknown 1",
            "publish", "publish 1", "publish 70000 41", "publish 1 c3", "lookup 1", "lookup x 41",
            "forget", "forget -1", "browse 1", "stop x", "withdraw 41",
        ])
    func `a malformed line is nothing`(line: String) {
        #expect(Order(line: Array(line.utf8)) == nil)
        #expect(Report(line: Array(line.utf8)) == nil)
    }

    @Test func `what does not fit in a line is not written`() {
        let text = [[UInt8]](repeating: [UInt8](repeating: 1, count: 255), count: 9)
        #expect(Order.publish(name: "A", port: 1, text: text, at: nil).line == nil)
        // What is found and cannot be told is not to be waited for.
        let found = Report.found(
            Self.sighting, Detail(host: "h", address: [10, 0, 0, 1], port: 1, text: text))
        #expect(found.line == Report.silent(Self.sighting).line)
    }

    @Test(arguments: 1...12) func `every split of the stream gives the same lines`(size: Int) {
        let stream = Self.reports.compactMap(\.line).flatMap { $0 }
        var decoder = LineDecoder()
        var read: [Report?] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            let part = stream[start..<min(start + size, stream.count)]
            read += decoder.append(part).map(Report.init(line:))
        }
        #expect(read == Self.reports)
    }

    @Test func `a line without an end is left out and costs no memory`() {
        var decoder = LineDecoder()
        for _ in 0..<100 {
            #expect(decoder.append([UInt8](repeating: 65, count: 4096)).isEmpty)
        }
        #expect(decoder.append(Array("\nready\n".utf8)) == [Array("ready".utf8)])
    }

    @Test func `random bytes trap nothing`() {
        var generator = Random(seed: 1)
        let letters = Array("0123456789abcdef -found lost\u{0}\u{FF}".utf8)
        for _ in 0..<20_000 {
            let line = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                letters.randomElement(using: &generator) ?? 0
            }
            _ = Order(line: Array("publish ".utf8) + line)
            _ = Report(line: Array("found ".utf8) + line)
        }
    }
}
