# SPDX-License-Identifier: MIT
"""Entries that no side may write, as functions of a running match (docs/protocol.md §5)."""
import os

import peer


def forge(match, kind, *arguments, key=None, **changes):
    """A line with a true signature, however wrong its words are."""
    other = 3 - match.seat
    words = {
        "seat": str(match.seat), "number": str(len(match.logs[match.seat]) + 1),
        "seen": str(len(match.logs[other])), "seen_hash": match.last_hash(other),
        "previous": match.last_hash(match.seat), **changes}
    unsigned = " ".join([*words.values(), kind, *arguments])
    signature = (key or match.identity.key).sign(b"ttt-entry-v1\n" + unsigned.encode())
    return f"{unsigned} {signature.hex()}"


def free(match):
    """A square that nobody has."""
    return str(match.board.squares.index(0) + 1)


def taken(match):
    return str(next(i for i, seat in enumerate(match.board.squares) if seat) + 1)


def move(match, square=None, ply=0, game=0, **changes):
    return forge(match, "move", str(match.game + game), str(match.board.ply + ply),
                 square or free(match), **changes)


def say(match, **changes):
    return forge(match, "say", "x", **changes)


def flipped(line, place=-1):
    """A line with one other hex digit."""
    digit = "0" if line[place] != "0" else "1"
    return line[:place] + digit + (line[place + 1:] if place != -1 else "")


# When it is the cheat's turn: at least two squares are taken.
OWN_TURN = {
    "a taken square": lambda m: move(m, taken(m)),
    "square 0": lambda m: move(m, "0"),
    "square 10": lambda m: move(m, "10"),
    "a square that is none": lambda m: move(m, "a"),
    "a long square": lambda m: move(m, "5" * 300),
    "a later ply": lambda m: move(m, ply=2),
    "an earlier ply": lambda m: move(m, ply=-2),
    "ply 2^32": lambda m: move(m, ply=2 ** 32),
    "two words for a move": lambda m: forge(m, "move", "1", str(m.board.ply), free(m), "1"),
}

# When it is the other's turn.
OTHER_TURN = {
    "out of turn": move,
    "out of turn, as the next ply": lambda m: move(m, ply=1),
    "out of turn, as the last ply": lambda m: move(m, ply=-1),
}

# When a game is over and closed.
AFTERWARDS = {
    "a move after the end": lambda m: move(m, "9"),
    "a resignation after the end": lambda m: forge(m, "resign", str(m.game)),
    "a draw after the end": lambda m: forge(m, "offer", str(m.game), "draw"),
    "a second end": lambda m: forge(m, "end", str(m.game), "draw", "full"),
    "a move of a game that has not begun": lambda m: move(m, "9", game=1, ply=-9),
}

# At any time.
ENDS = {
    "an end before the end": lambda m: forge(m, "end", "1", str(m.seat), "line"),
    "a drawn end": lambda m: forge(m, "end", "1", "draw", "agreed"),
    "an answer to no offer": lambda m: forge(m, "accept", "1"),
    "a rematch before the end": lambda m: forge(m, "offer", "1", "rematch"),
    "a claim without a clock": lambda m: forge(m, "claim", "1", str(m.board.ply)),
    "an offer of nothing": lambda m: forge(m, "offer", "1", "gold"),
    "an unknown kind": lambda m: forge(m, "win", "1"),
    "no words": lambda m: "x",
    "too many words": lambda m: forge(m, "resign", "1", "1"),
    "a second spelling": lambda m: forge(m, "say", "%41"),
    "a line end": lambda m: forge(m, "say", "x\n"),
    "text that is no UTF-8": lambda m: forge(m, "say", "%FF"),
    "an empty text": lambda m: forge(m, "say", "-"),
    "a text of 501 bytes": lambda m: forge(m, "say", "x" * 501),
    "an entry of 2049 bytes": lambda m: forge(m, "say", "%20" * 500, seen_hash="0" * 300),
}

SIGNATURES = {
    "of zeros": lambda m: say(m)[:-128] + "0" * 128,
    "of another key": lambda m: say(m, key=peer.Identity().key),
    "with a bit changed": lambda m: flipped(say(m)),
    "of other words": lambda m: say(m).replace(" x ", " y "),
    "of another entry": lambda m: say(m)[:-128] + m.logs[m.seat][-1][-128:],
    "of the other side": lambda m: say(m)[:-128] + m.logs[3 - m.seat][-1][-128:],
    "in capitals": lambda m: say(m)[:-128] + say(m)[-128:].upper(),
    "too short": lambda m: say(m)[:-2],
    "too long": lambda m: say(m) + "00",
    "missing": lambda m: say(m)[:-129],
    "without its context": lambda m: unsigned_context(m),
}


def unsigned_context(match):
    line = say(match)[:-129]
    return f"{line} {match.identity.key.sign(line.encode()).hex()}"


FOREIGN = {
    "the other seat": lambda m: say(m, seat=str(3 - m.seat)),
    "seat 3": lambda m: say(m, seat="3"),
    "another game": lambda m: move(m, game=1),
    "game 0": lambda m: forge(m, "resign", "0"),
    "a second open": lambda m: forge(m, "open", *m.pinned, "Eve"),
    "an open of another match": lambda m: forge(
        m, "open", *m.pinned[:5], os.urandom(16).hex(), *m.pinned[6:], "Eve"),
}

REPLAYS = {
    "an own entry again, as the next": lambda m: m.logs[m.seat][-1],
    "the first entry again": lambda m: m.logs[m.seat][0],
    "the other's entry": lambda m: m.logs[3 - m.seat][-1],
    "the other's open": lambda m: m.logs[3 - m.seat][0],
    "an old number, signed anew": lambda m: say(m, number=str(len(m.logs[m.seat]))),
    "a later number": lambda m: say(m, number=str(len(m.logs[m.seat]) + 2)),
}

FORKS = {
    "another entry before": lambda m: say(m, previous="1" * 64),
    "no entry before": lambda m: say(m, previous=peer.NO_HASH),
    "another log seen": lambda m: say(m, seen_hash="1" * 64),
    "more seen than was sent": lambda m: say(m, seen="999"),
    "less seen than before": lambda m: say(m, seen="0", seen_hash=peer.NO_HASH),
}

# Packets that no session may carry, as (kind, body) of a frame.
FRAMES = {
    "a second hello": lambda s: (peer.HELLO, s.fields()),
    "a welcome": lambda s: (peer.WELCOME, s.fields()),
    "a packet out of order": lambda s: (peer.PACKET, bytes(7) + b"\xff" + b"x"),
    "a packet without a number": lambda s: (peer.PACKET, b"1234567"),
    "a packet of no bytes": lambda s: (peer.PACKET, (s.sent + 1).to_bytes(8, "big")),
    "more had than was sent": lambda s: (peer.HAVE, b"\xff" * 8),
    "less had than before": lambda s: (peer.HAVE, bytes(8)),
    "a short have": lambda s: (peer.HAVE, bytes(7)),
    "a short ping": lambda s: (peer.PING, b"1234567"),
    "a code": lambda s: (0x0A, bytes(96)),
    "a note in a game": lambda s: (peer.NOTE, b"challenge"),
    "a second reveal": lambda s: (peer.NOTE, b"reveal " + b"0" * 64),
    "entries that nobody asked for": lambda s: (peer.NOTE, b"kept x"),
    "a loss that is none": lambda s: (peer.NOTE, b"lost 999999"),
    "an empty note": lambda s: (peer.NOTE, b""),
    "a goodbye of no fields": lambda s: (peer.GOODBYE, b""),
}
