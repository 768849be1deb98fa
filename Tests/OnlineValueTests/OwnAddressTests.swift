// SPDX-License-Identifier: MIT

import Testing

@testable import OnlinePlay

@Suite struct OwnAddressTests {
    @Test(arguments: [
        ("10.0.0.7:4242", false), ("10.0.0.8:4242", true), ("[fe80::1%2]:4242", false),
        ("[fe80::1%3]:4242", true), ("127.0.0.1:4242", false), ("127.0.1.1:4242", false),
    ])
    func `an address is gone when this machine lists it no more, loopback never`(
        text: String, isGone: Bool
    ) throws {
        let present = try ["10.0.0.7:1", "[fe80::1%2]:1", "127.0.0.1:1"].map {
            let listed = try #require(Endpoint(parsing: $0))
            return try #require(Endpoint(address: listed.address, scope: listed.scope, port: 0))
        }
        let local = try #require(Endpoint(parsing: text))
        #expect(local.isGone(among: Set(present)) == isGone)
        #expect(!local.isGone(among: []))
    }
}
