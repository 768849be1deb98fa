// SPDX-License-Identifier: MIT

import ResponderProtocol
import ServiceDiscovery
import Testing

@Suite struct InstanceNameTests {
    @Test(
        arguments: [
            ("Alice", "Alice #2"), ("Alice #2", "Alice #3"), ("Alice #9", "Alice #10"),
            ("Alice #1", "Alice #1 #2"), ("Alice#2", "Alice#2 #2"), ("#2", "#2 #2"),
            ("Alice #", "Alice # #2"), ("Alice #02", "Alice #02 #2"),
            ("A #99999999999999999999", "A #99999999999999999999 #2"), ("", "? #2"),
        ])
    func `a taken name gets a number`(name: String, next: String) {
        #expect(InstanceName(name).next.string == next)
    }

    @Test func `a name is cut between characters and stays below 64 bytes`() {
        let long = String(repeating: "é", count: 40)
        #expect(InstanceName(long).string == String(repeating: "é", count: 31))
        #expect(InstanceName(long).next.string == String(repeating: "é", count: 30) + " #2")
        var name = InstanceName(String(repeating: "y", count: 70))
        for _ in 0..<1200 {
            name = name.next
            #expect(name.string.utf8.count <= 63)
        }
        #expect(name.string.hasSuffix("y #1201"))
    }

    @Test func `a name has no control characters and is never empty`() {
        #expect(InstanceName("a\u{0}\u{1B}[2J\nb").string == "a[2Jb")
        #expect(InstanceName("\u{0}").string == "?")
    }
}

@Suite struct TextRecordTests {
    static let id = Array("id=0123456789abcdef".utf8)

    @Test func `a record is read as the standard says`() throws {
        let strings = [
            Self.id, Array("V=1=2".utf8), Array("flag".utf8), Array("v=second".utf8),
            Array("=no key".utf8), [], [0xC3, 61, 1], Array("e=".utf8),
            Array("b=".utf8) + [0, 255],
        ]
        let record = try #require(TextRecord.read(strings))
        #expect(record.id == "0123456789abcdef")
        #expect(
            record.values == [
                "id": Array("0123456789abcdef".utf8), "v": Array("1=2".utf8), "flag": [],
                "e": [], "b": [0, 255],
            ])
    }

    @Test(
        arguments: [
            [], ["v=1"], ["id="], ["id"], ["id=0123456789abcde"], ["id=0123456789abcdef0"],
            ["id=0123456789ABCDEF"], ["id=0123456789abcdeg"], ["id=", "id=0123456789abcdef"],
        ])
    func `without a proper id there is no record`(strings: [String]) {
        #expect(TextRecord.read(strings.map { Array($0.utf8) }) == nil)
    }

    @Test func `a record of 400 bytes is not read`() {
        let filler = [UInt8](repeating: 120, count: 399 - 20 - 201)
        let most = [Self.id, [UInt8](repeating: 120, count: 200), Array(filler.dropLast())]
        #expect(TextRecord.read(most) != nil)
        #expect(TextRecord.read([Self.id, most[1], most[2] + [120]]) == nil)
    }

    @Test func `what does not fit in an own record is left out`() {
        let strings = TextRecord.strings([
            TextEntry("id", "0123456789abcdef"),
            TextEntry("long", [UInt8](repeating: 1, count: 255)),
            TextEntry("", "x"), TextEntry("a=b", "x"), TextEntry("é", "x"),
            TextEntry("one", [UInt8](repeating: 1, count: 250)),
            TextEntry("two", [UInt8](repeating: 1, count: 250)), TextEntry("v", "1"),
        ])
        #expect(
            strings.map { $0.prefix(4).map(Int.init) } == [
                [105, 100, 61, 48], [111, 110, 101, 61], [118, 61, 49],
            ])
        #expect(strings.reduce(0) { $0 + $1.count + 1 } < 400)
    }
}

@Suite struct AddressTests {
    @Test(
        arguments: [
            ([10, 0, 0, 1], 2, true), ([172, 16, 0, 1], 2, true), ([172, 31, 0, 1], 2, true),
            ([172, 32, 0, 1], 2, false), ([192, 168, 1, 1], 2, true), ([192, 169, 1, 1], 2, false),
            ([169, 254, 1, 1], 2, true), ([8, 8, 8, 8], 2, false), ([100, 64, 0, 1], 2, false),
            ([127, 0, 0, 1], 1, true), ([127, 0, 0, 1], 2, false), ([0, 0, 0, 0], 1, false),
            ([224, 0, 0, 251], 2, false), ([255, 255, 255, 255], 2, false),
            ([0xFE, 0x80] + [UInt8](repeating: 1, count: 14), 2, true),
            ([0xFE, 0xC0] + [UInt8](repeating: 1, count: 14), 2, false),
            ([0xFD] + [UInt8](repeating: 1, count: 15), 2, true),
            ([0x20, 0x01] + [UInt8](repeating: 1, count: 14), 2, false),
            ([UInt8](repeating: 0, count: 15) + [1], 1, true),
            ([UInt8](repeating: 0, count: 15) + [1], 2, false),
            ([UInt8](repeating: 0, count: 16), 1, false),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1], 2, false),
            ([], 2, false), ([10], 2, false),
        ] as [([UInt8], UInt32, Bool)])
    func `only addresses of the local network are believed`(
        bytes: [UInt8], interface: UInt32, believed: Bool
    ) {
        let networks = LocalNetworks([
            .init(interface: 2, address: bytes, prefix: 24),
            .init(interface: 1, address: bytes, prefix: 24),
        ])
        let address = ServiceAddress(
            advertised: bytes, interface: interface, port: 1, in: networks)
        #expect((address != nil) == believed)
    }

    @Test func `a link-local address has the scope of its interface, and no other has one`() {
        let local: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 1, count: 14)
        let unique: [UInt8] = [0xFD] + [UInt8](repeating: 1, count: 15)
        let networks = LocalNetworks([.init(interface: 7, address: unique, prefix: 64)])
        func address(_ bytes: [UInt8], _ interface: UInt32) -> ServiceAddress? {
            ServiceAddress(advertised: bytes, interface: interface, port: 1, in: networks)
        }
        #expect(address(local, 7)?.scope == 7)
        #expect(address(local, 0) == nil)
        #expect(address(local, .max) == nil)
        #expect(address(unique, 7)?.scope == 0)
        #expect(address([169, 254, 1, 1], 7)?.scope == 0)
    }

    @Test(
        arguments: [
            ([10, 77, 0, 11], 16, [10, 77, 255, 1], true),
            ([10, 77, 0, 11], 24, [10, 77, 1, 11], false),
            ([10, 77, 0, 11], 25, [10, 77, 0, 127], true),
            ([10, 77, 0, 11], 25, [10, 77, 0, 128], false),
            ([10, 77, 0, 11], 32, [10, 77, 0, 11], true),
            ([10, 77, 0, 11], 32, [10, 77, 0, 12], false),
            ([10, 77, 0, 11], 0, [192, 168, 0, 1], true),
            ([10, 77, 0, 11], -3, [192, 168, 0, 1], true),
            ([10, 77, 0, 11], 99, [10, 77, 0, 11], true),
            ([10, 77, 0, 11], 8, [0xFD] + [UInt8](repeating: 0, count: 15), false),
            ([10, 77, 0, 11], 8, [], false),
        ] as [([UInt8], Int, [UInt8], Bool)])
    func `an address is of the network that its first bits say`(
        own: [UInt8], prefix: Int, other: [UInt8], isThere: Bool
    ) {
        let networks = LocalNetworks([.init(interface: 3, address: own, prefix: prefix)])
        #expect(networks.contains(other, interface: 3) == isThere)
        #expect(!networks.contains(other, interface: 4))
    }

    @Test func `a host that a person named may be anywhere`() {
        #expect(ServiceAddress(named: [8, 8, 8, 8], interface: 2)?.port == 0)
        #expect(ServiceAddress(named: [127, 0, 0, 1], interface: 1) != nil)
        #expect(ServiceAddress(named: [224, 0, 0, 1], interface: 2) == nil)
        #expect(ServiceAddress(named: [0, 0, 0, 0], interface: 2) == nil)
        #expect(ServiceAddress(named: [], interface: 2) == nil)
        let group: [UInt8] = [0xFF] + [UInt8](repeating: 1, count: 15)
        #expect(ServiceAddress(named: group, interface: 2) == nil)
    }
}
