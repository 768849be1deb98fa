// SPDX-License-Identifier: MIT

import Testing
import TurnBasedPlay

@Suite struct JoinTargetTests {
    static let key = String(repeating: "a", count: 52)

    @Test(arguments: [
        ("10.0.0.7", "10.0.0.7", 28_888), ("10.0.0.7:4242", "10.0.0.7", 4_242),
        ("h1.local", "h1.local", 28_888), ("h1.local:99", "h1.local", 99),
        ("h1:99", "h1", 99), ("localhost", "localhost", 28_888),
        ("fe80::1%eth0", "fe80::1%eth0", 28_888), ("[fe80::1%eth0]:4242", "fe80::1%eth0", 4_242),
        ("[::1]", "::1", 28_888), ("::1", "::1", 28_888),
        ("ttt://10.0.0.7:1", "10.0.0.7", 1), ("ttt://[::1]:1/", "::1", 1),
        ("ttt://h1", "h1", 28_888),
    ])
    func `an address is read`(_ text: String, _ host: String, _ port: Int) {
        #expect(
            JoinTarget(text) == .address(host: host, port: UInt16(port), key: nil))
    }

    @Test(arguments: ["Ann", "quiet otter", "two dots. and: words", "h1"])
    func `what is no address is a name`(_ text: String) {
        #expect(JoinTarget(text) == .name(text))
    }

    @Test(arguments: [
        "", "10.0.0.7:", "10.0.0.7:x", "10.0.0.7:70000", "10.0.0.7:0", ":99", "[::1", "[::1]x",
        "[]:1", "ttt://", "ttt://:1", "ttt://h:1?key=short", "[::1]:-1", "h1:99999999999999999999",
    ])
    func `what looks like an address and is none is refused`(_ text: String) {
        #expect(JoinTarget(text) == nil)
    }

    @Test func `a link may name the key of the host`() {
        let link = "ttt://10.0.0.7:4242?key=\(Self.key)"
        #expect(JoinTarget(link) == .address(host: "10.0.0.7", port: 4_242, key: Self.key))
    }
}
