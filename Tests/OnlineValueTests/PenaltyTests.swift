// SPDX-License-Identifier: MIT

import SessionProtocol
import Testing

@testable import OnlinePlay

@Suite struct PenaltyTests {
    /// How many of one misdeed in one moment keep an address out.
    @Test(arguments: [(Misdeed.brokenProtocol, 7), (.silence, 7), (.wrongCode, 3)])
    func `a few misdeeds are free`(misdeed: Misdeed, count: Int) throws {
        var book = PenaltyBook(OnlineLimits.Penalties())
        let one = try address(1)
        for number in 1...(count + 20) {
            book.add(misdeed, by: one, at: at(0))
            #expect(book.isKeptOut(one, at: at(0)) == (number >= count))
        }
        #expect(try !book.isKeptOut(address(2), at: at(0)))
        #expect(try book.repute(of: address(2), at: at(0)) != .suspect)
    }

    @Test(arguments: Misdeed.allCases)
    func `a minute after the last misdeed all is forgiven`(misdeed: Misdeed) throws {
        var book = PenaltyBook(OnlineLimits.Penalties())
        let one = try address(1)
        for _ in 0..<1_000 { book.add(misdeed, by: one, at: at(5)) }
        #expect(book.isKeptOut(one, at: at(30_004)))
        #expect(!book.isKeptOut(one, at: at(30_005)))
        #expect(book.repute(of: one, at: at(60_004)) == .suspect)
        #expect(book.repute(of: one, at: at(60_005)) != .suspect)
    }

    @Test func `one misdeed now and then keeps nobody out`() throws {
        var book = PenaltyBook(OnlineLimits.Penalties())
        let one = try address(1)
        for second in 0..<200 as Range<UInt64> {
            book.add(.brokenProtocol, by: one, at: at(second * 6_000))
            #expect(!book.isKeptOut(one, at: at(second * 6_000)))
        }
    }

    @Test func `misdeeds from everywhere are remembered for some addresses, the worst first`()
        throws
    {
        var book = PenaltyBook(OnlineLimits.Penalties())
        let worst = try address(0)
        for _ in 0..<9 { book.add(.brokenProtocol, by: worst, at: at(0)) }
        for number in 1..<1_000 { book.add(.brokenProtocol, by: try address(number), at: at(1)) }
        #expect(book.count == 256)
        #expect(book.isKeptOut(worst, at: at(1)))
        book.add(.silence, by: try address(2_000), at: at(100_000))
        #expect(book.count == 1)
    }

    @Test func `what every program on the machine shares is never kept out`() throws {
        for host in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            var book = PenaltyBook(OnlineLimits.Penalties())
            let endpoint = try #require(Endpoint(host: host, port: 1))
            let own = AddressGroup(endpoint)
            #expect(endpoint.neighbourhood.isEmpty)
            for _ in 0..<99 { book.add(.wrongCode, by: own, at: at(0)) }
            #expect(book.repute(of: own, at: at(0)) != .suspect)
        }
    }

    @Test(
        arguments: [
            ("10.0.0.1", "10.0.0.2", false), ("10.0.0.1", "::ffff:10.0.0.1", true),
            ("2001:db8::1", "2001:db8::2:3:4:5", true), ("2001:db8::1", "2001:db8:0:1::1", false),
            ("fe80::1%1", "fe80::2%1", false), ("fd00::1", "fd00::2", true),
        ])
    func `an IPv6 network counts as one address, unless it is the link`(
        a: String, b: String, areOne: Bool
    ) throws {
        let ends = try [a, b].map { try #require(Endpoint(host: $0, port: 1)) }
        #expect((AddressGroup(ends[0]) == AddressGroup(ends[1])) == areOne)
        #expect((ends[0].neighbourhood == ends[1].neighbourhood) == areOne)
    }

    @Test func `an address from which somebody was let in is good until it misbehaves`() throws {
        var book = PenaltyBook(OnlineLimits.Penalties())
        let one = try address(1)
        #expect(book.repute(of: one, at: at(0)) == .unknown)
        book.praise(one)
        #expect(book.repute(of: one, at: at(0)) == .good)
        for number in 2..<65 { book.praise(try address(number)) }
        #expect(book.repute(of: one, at: at(0)) == .good)
        book.praise(try address(99))
        #expect(book.repute(of: one, at: at(0)) == .unknown)
        book.praise(one)
        book.add(.silence, by: one, at: at(0))
        #expect(book.repute(of: one, at: at(0)) == .suspect)
        #expect(book.repute(of: one, at: at(5_000)) == .unknown)
    }
}
