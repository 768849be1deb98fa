// SPDX-License-Identifier: MIT

import Testing
import TurnBasedPlay

@Suite struct JoinTargetTests {
    static let key = String(repeating: "a", count: 52)

    private func read(_ text: String) -> JoinTarget? {
        JoinTarget(text, usualPort: 28_888, scheme: "ttt")
    }

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
            read(text) == .address(host: host, port: UInt16(port), key: nil))
    }

    @Test(arguments: ["Ann", "quiet otter", "two dots. and: words", "h1", "Mr.\u{20}\u{301}X"])
    func `what is no address is a name`(_ text: String) {
        #expect(read(text) == .name(text))
    }

    @Test(arguments: [
        "", "10.0.0.7:", "10.0.0.7:x", "10.0.0.7:70000", "10.0.0.7:0", ":99", "[::1", "[::1]x",
        "[]:1", "ttt://", "ttt://:1", "ttt://h:1?key=short", "[::1]:-1", "h1:99999999999999999999",
    ])
    func `what looks like an address and is none is refused`(_ text: String) {
        #expect(read(text) == nil)
    }

    @Test func `a link may name the key of the host`() {
        let link = "ttt://10.0.0.7:4242?key=\(Self.key)"
        #expect(read(link) == .address(host: "10.0.0.7", port: 4_242, key: Self.key))
    }

    @Test(arguments: ["10.0.0.7", "h1.local", "::1", "[::1]", "localhost", "nim://h1"])
    func `without a usual port an address names its own`(_ text: String) {
        #expect(JoinTarget(text, usualPort: 0, scheme: "nim") == nil)
    }

    @Test func `each program has its own links`() {
        #expect(
            JoinTarget("nim://h1:7", usualPort: 0, scheme: "nim")
                == .address(host: "h1", port: 7, key: nil))
        #expect(JoinTarget("ttt://h1:7", usualPort: 0, scheme: "nim") == nil)
    }
}
