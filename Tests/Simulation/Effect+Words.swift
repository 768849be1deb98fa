// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

extension MatchSeat.Effect {
    var isAccept: Bool { if case .accept = self { true } else { false } }

    var isStore: Bool {
        switch self {
        case .store, .storeDraft, .dropDraft: true
        default: false
        }
    }

    /// What it is, as a number for the trace.
    var code: UInt64 {
        switch self {
        case .store(let entry, let seat, let number):
            1 | UInt64(seat.rawValue) << 8 | number << 16 | UInt64(entry.last ?? 0) << 40
        case .storeDraft(let words): 2 | UInt64(words.count) << 8
        case .dropDraft: 3
        case .sendNote(let bytes, _): 4 | UInt64(bytes.count) << 8
        case .sendPacket(let bytes, _): 5 | UInt64(bytes.count) << 8
        case .acknowledge(let through, _, _): 6 | through << 8
        case .close(_, let code, _): 7 | UInt64(code.value) << 8
        case .accept(let guest, _): 8 | UInt64(guest) << 8
        case .refuse(_, let refusal): 9 | UInt64(refusal.code.value) << 8
        case .dial(let dial, _): 10 | UInt64(dial) << 8
        case .abandon(let dial): 11 | UInt64(dial) << 8
        case .look: 12
        case .trying: 13
        case .tell(let event): 14 | event.code << 8
        case .goneElsewhere: 15
        case .brokenPeer: 16
        case .missing: 17
        case .forget: 18
        }
    }

    /// What it is, in a few words.
    var brief: String {
        switch self {
        case .store(let entry, let seat, let number):
            let words = String(decoding: Ledger.words(of: entry).prefix(40), as: UTF8.self)
            return "stores \(seat.rawValue).\(number) \(words)"
        case .storeDraft(let words): return "drafts \(String(decoding: words, as: UTF8.self))"
        case .sendNote(let bytes, let to):
            return "notes \(String(decoding: bytes.prefix(12), as: UTF8.self)) to \(to)"
        case .sendPacket(_, let to): return "sends to \(to)"
        case .acknowledge(let through, _, let to): return "has \(through), to \(to)"
        case .accept(let guest, let greeting):
            return "accepts \(guest), has \(greeting.have), log to \(greeting.log.last)"
        case .dial(let dial, let greeting):
            return "dials \(dial), has \(greeting.have), log to \(greeting.log.last)"
        case .tell(let event): return "tells \(event)"
        default: return "\(self)"
        }
    }
}

extension MatchEvent {
    fileprivate var code: UInt64 {
        switch self {
        case .challenged: 1
        case .declined: 2
        case .started(_, let game, _, _, _, let resumed):
            3 | UInt64(game) << 8 | (resumed != nil ? 16 : 0)
        case .turn(_, let ply): 4 | UInt64(ply) << 8
        case .sending(let ply, _, _, _): 5 | UInt64(ply) << 8
        case .moved(let ply, _, let action, _):
            6 | UInt64(ply) << 8 | UInt64(action.bytes.first ?? 0) << 16
        case .offered: 7
        case .answered: 8
        case .said(_, let text): 9 | UInt64(text.utf8.count) << 8
        case .over: 10
        case .rejected: 11
        case .dropped: 12
        case .apart: 13
        case .together: 14
        case .ended: 15
        case .timeUp, .claimed, .claimDeclined: 16
        }
    }
}
