// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import OnlinePlay

/// The test vectors of draft-irtf-cfrg-cpace-21, appendix B.3, and the example in
/// `docs/protocol.md` §4.7.
@Suite struct CPaceTests {
    private static let channel = hex("0b415f696e69746961746f720b425f726573706f6e646572")
    private static let session = hex("7e4b4791d6a8ef019b936c79fb7f2c57")
    private static let shareA = hex(
        "d6bac480f2c386c394efc7c47adb9925dcd2630b64f240c50f8d0eec482b9157")
    private static let shareB = hex(
        "3ea7e0b19560d7c0b0f5734f63b955286dfa8232b5ebe63324e2d9e7433f7258")

    private static func party(
        _ party: CPace.Party, password: String = "Password"
    ) throws -> CPace {
        let secret =
            party == .a
            ? "da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08"
            : "d2316b454718c35362d83d69df6320f38578ed5984651435e2949762d900b80d"
        return try #require(
            CPace(
                party, password: Array(password.utf8), channel: channel, session: session,
                data: Array((party == .a ? "ADa" : "ADb").utf8), secret: hex(secret)))
    }

    @Test func `the generator is the draft's`() {
        let generator = CPace.generator(
            password: Array("Password".utf8), channel: Self.channel, session: Self.session)
        #expect(
            generator == hex("222b6b195fe84b1652badb6f6a3ae3d24341e7306967f0b8115b40d5698c7e56"))
    }

    @Test func `the shares are the draft's`() throws {
        #expect(try Self.party(.a).share == Self.shareA)
        #expect(try Self.party(.b).share == Self.shareB)
    }

    @Test func `both sides get the draft's key`() throws {
        let key = hex(
            "b69effbf61b51d56401c0f65601abe428de8206feaaf0e32198896dcae7b35cd"
                + "2b38950a39dfd5d4a79164614c2984f7daa460b588c1e80c3fa2068af7900447")
        let (ada, adb) = (Array("ADa".utf8), Array("ADb".utf8))
        #expect(try Self.party(.a).key(otherShare: Self.shareB, otherData: adb) == key)
        #expect(try Self.party(.b).key(otherShare: Self.shareA, otherData: ada) == key)
    }

    @Test(arguments: [
        // The draft's two, a share that is cut, one that is too long, none, and one that is not
        // canonical: the prime of the field.
        "2b3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "d6bac480f2c386c394efc7c47adb9925dcd2630b64f240c50f8d0eec482b91",
        "d6bac480f2c386c394efc7c47adb9925dcd2630b64f240c50f8d0eec482b915700",
        "", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ])
    func `a share that is none gives no key`(share: String) throws {
        #expect(try Self.party(.a).tags(otherShare: hex(share), otherData: []) == nil)
    }

    @Test(arguments: [0, 1, 127, 128, 16_383, 16_384])
    func `lengths are written in LEB128`(count: Int) {
        let header = CPace.joined([UInt8](repeating: 0, count: count)).dropLast(count)
        let expected: [Int: [UInt8]] = [
            0: [0], 1: [1], 127: [0x7f], 128: [0x80, 1], 16_383: [0xff, 0x7f],
            16_384: [0x80, 0x80, 1],
        ]
        #expect(Array(header) == expected[count])
    }

    @Test func `tags fit when code, session and data are the same, and else never`() throws {
        func tags(
            _ own: String, _ other: String, session: [UInt8]? = nil, data: String = "B"
        ) throws -> Bool {
            let a = try #require(
                CPace(
                    .a, password: Array(own.utf8), channel: Self.channel, session: Self.session,
                    data: Array("A".utf8)))
            let b = try #require(
                CPace(
                    .b, password: Array(other.utf8), channel: Self.channel,
                    session: session ?? Self.session,
                    data: Array(data.utf8)))
            let atA = try #require(a.tags(otherShare: b.share, otherData: Array("B".utf8)))
            let atB = try #require(b.tags(otherShare: a.share, otherData: Array("A".utf8)))
            #expect((atA.own == atB.other) == (atA.other == atB.own))
            #expect(atA.own != atA.other)
            return atA.own == atB.other
        }
        #expect(try tags("402193", "402193"))
        #expect(try !tags("402193", "402194"))
        #expect(try !tags("402193", "402193", session: Self.session + [0]))
        #expect(try !tags("402193", "402193", data: "C"))
    }

    @Test func `the example of the protocol is computed alike`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/protocol.md"), encoding: .utf8)
        let block = try #require(text.components(separatedBy: "\n```code\n").dropFirst().first)
        var values: [String: String] = [:]
        for line in try #require(block.components(separatedBy: "\n```").first).split(
            separator: "\n")
        {
            let words = line.split(separator: " ").map(String.init)
            values[words[0]] = words[1]
        }
        func bytes(_ name: String) throws -> [UInt8] { hex(try #require(values[name])) }
        let code = Array(try #require(values["code"]).utf8)
        let channel = Array("ttt-code-v1".utf8)
        let hostData = try Array("host".utf8) + bytes("host-fingerprint")
        let joinerData = try Array("joiner".utf8) + bytes("joiner-fingerprint")
        let host = try #require(
            CPace(
                .a, password: code, channel: channel, session: bytes("sid"), data: hostData,
                secret: bytes("ya")))
        let joiner = try #require(
            CPace(
                .b, password: code, channel: channel, session: bytes("sid"), data: joinerData,
                secret: bytes("yb")))
        #expect(try host.share == bytes("Ya") && joiner.share == bytes("Yb"))
        #expect(
            try host.key(otherShare: joiner.share, otherData: joinerData) == bytes("ISK"))
        let tags = try #require(joiner.tags(otherShare: host.share, otherData: hostData))
        #expect(try tags.other == bytes("Ta") && tags.own == bytes("Tb"))
    }
}

@Suite struct PasscodeTests {
    @Test(arguments: [
        "402193", "402 193", " 402-193 ", "40 21 93\r", "4-0-2-1-9-3", "402\u{2013}193",
        "402\u{a0}193", "\t402193",
    ])
    func `spaces and dashes are nothing`(typed: String) {
        #expect(Passcode(parsing: typed)?.digits == "402193")
    }

    @Test(arguments: [
        "", "40219", "4021930", "40219x", "４０２１９３", "402,193", "+402193", "402193\0",
    ])
    func `anything but six digits is no code`(typed: String) {
        #expect(Passcode(parsing: typed) == nil)
    }

    @Test func `codes made up have six digits and differ`() {
        let codes = (0..<200).map { _ in Passcode.random() }
        #expect(codes.allSatisfy { Passcode(parsing: $0.digits) == $0 })
        #expect(Set(codes).count > 190)
    }
}

private func hex(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.utf8.count, by: 2).compactMap { offset in
        let start = text.index(text.startIndex, offsetBy: offset)
        return UInt8(text[start...].prefix(2), radix: 16)
    }
}
