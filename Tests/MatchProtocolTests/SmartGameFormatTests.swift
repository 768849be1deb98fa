// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

@Suite struct SmartGameFormatTests {
    @Test func `a won game is one tree with its moves as column and row`() throws {
        let played = try PlayedMatch.won()
        let record = try #require(verify(played.file()).record)
        let black = record.player(.first).name ?? ""
        let white = record.player(.second).name ?? ""
        #expect(
            SmartGameFormat.text(of: record) == """
                (;FF[4]GM[4]CA[UTF-8]AP[ttt]SZ[3]GN[\(played.name.matchDigits) 1]\
                RU[tictactoe 1]PB[\(black)]PW[\(white)]RE[B+]
                ;B[aa]
                ;W[ab]
                ;B[ba]
                ;W[bb]
                ;B[ca])
                """)
    }

    @Test func `each game is a tree, and Black is who moves first`() throws {
        var pair = MatchPair<Position>.started()
        pair.command(.resign, from: try #require(pair.mover))
        pair.settle()
        pair.command(.offer(.rematch), from: .initiator)
        pair.settle()
        pair.command(.accept, from: .responder)
        pair.settle()
        let record = try #require(verify(try PlayedMatch(pair, .initiator).file()).record)
        let text = try #require(SmartGameFormat.text(of: record))
        let trees = text.split(separator: "\n(")
        #expect(trees.count == 2)
        #expect(trees[0].contains("RE[W+R]"))
        #expect(trees[1].contains("RE[?]"))
        #expect(trees[1].contains("PB[\(record.player(.second).name ?? "")]"))
    }

    @Test func `a game won on time says so`() throws {
        var record = try #require(verify(try PlayedMatch.won().file()).record)
        record.games[0].result?.termination = "timeout"
        let text = try #require(SmartGameFormat.text(of: record))
        #expect(text.contains("RE[B+T]"))
    }

    @Test func `names are escaped by the rules of SGF`() throws {
        var record = try #require(verify(try PlayedMatch.won().file()).record)
        record.firstPlayer.name = "a]b\\c:d\ne\u{1b}[0m"
        let text = try #require(SmartGameFormat.text(of: record))
        #expect(text.contains("PB[a\\]b\\\\c\\:d e[0m]PW["))
    }
}
