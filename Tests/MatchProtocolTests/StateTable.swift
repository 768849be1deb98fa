// SPDX-License-Identifier: MIT

/// What every state answers to every input.
extension StateTableTests {
    static let table = """
        joiner waits | note challenge, note reveal, note cancel, note lost 0, note lost 9, note \
        kept, note junk, packet junk, had too much → broken, close 2
        joiner waits | note accept → note reveal, write open, send
        joiner waits | note decline → declined declined, close 0
        joiner waits | play, resign, draw, rematch, say, claim → rejected early
        joiner waits | accept → rejected nothing
        joiner waits | decline → note cancel, declined cancelled, close 0
        joiner waits | left, kept for later, told of an error, told of a fork → left
        joiner waits | parted → lost
        joiner waits | replaced, met with more, met, met another, met without a hash, not known, \
        forked, busy, early tick → nothing
        joiner waits | not stored → failed, close 5
        joiner waits | late tick → note cancel, declined late, close 0
        host waits | note challenge → challenged
        host waits | note accept, note decline, note reveal, note cancel, note lost 0, note lost \
        9, note kept, note junk, packet junk, had too much → broken, close 2
        host waits | play, resign, draw, rematch, say, claim → rejected early
        host waits | accept, decline → rejected nothing
        host waits | left, kept for later, told of an error, told of a fork → left
        host waits | parted → lost
        host waits | replaced, met with more, met, met another, met without a hash, not known, \
        forked, busy, early tick → nothing
        host waits | not stored → failed, close 5
        host waits | late tick → too long, close 4
        host is asked | note challenge, note accept, note decline, note reveal, note lost 0, note \
        lost 9, note kept, note junk, packet junk, had too much → broken, close 2
        host is asked | note cancel → declined cancelled, close 0
        host is asked | play, resign, draw, rematch, say, claim → rejected early
        host is asked | accept → note accept
        host is asked | decline → note decline, declined declined, close 0
        host is asked | left, kept for later, told of an error, told of a fork → left
        host is asked | parted → lost
        host is asked | replaced, met with more, met, met another, met without a hash, not known, \
        forked, busy, early tick → nothing
        host is asked | not stored → failed, close 5
        host is asked | late tick → note decline, declined late, close 0
        host accepted | note challenge, note accept, note decline, note lost 0, note lost 9, note \
        kept, note junk, packet junk, had too much → broken, close 2
        host accepted | note reveal, replaced, met with more, met, met another, met without a \
        hash, not known, forked, busy, early tick → nothing
        host accepted | note cancel → declined cancelled, close 0
        host accepted | play, resign, draw, rematch, say, claim → rejected early
        host accepted | accept, decline → rejected nothing
        host accepted | left, kept for later, told of an error, told of a fork → left
        host accepted | parted → lost
        host accepted | not stored → failed, close 5
        host accepted | late tick → too long, close 4
        host has the reveal | note challenge, note accept, note decline, note reveal, note \
        cancel, note lost 0, note lost 9, note kept, note junk, packet junk, had too much → \
        broken, close 2
        host has the reveal | play, resign, draw, rematch, accept, decline, say, claim → rejected \
        early
        host has the reveal | left, kept for later, told of an error, told of a fork → left
        host has the reveal | parted → lost
        host has the reveal | replaced, met with more, met, met another, met without a hash, not \
        known, forked, busy, early tick → nothing
        host has the reveal | not stored → failed, close 5
        host has the reveal | late tick → too long, close 4
        joiner opened | note challenge, note accept, note decline, note reveal, note cancel, note \
        lost 0, note lost 9, note kept, note junk, packet junk, had too much → broken, close 2
        joiner opened | play, resign, draw, rematch, accept, decline, say, claim → rejected early
        joiner opened | left, kept for later, parted → apart
        joiner opened | told of an error → left
        joiner opened | told of a fork → forked
        joiner opened | replaced, not known, forked, busy, early tick → nothing
        joiner opened | met with more → apart, note lost
        joiner opened | met → together
        joiner opened | met another, met without a hash → forked, close 8
        joiner opened | not stored → failed, close 5
        joiner opened | late tick → too long, close 4
        to move | note challenge, note accept, note decline, note reveal, note cancel, note lost \
        9, note kept, note junk, packet junk, had too much → over abort, broken, close 2
        to move | note lost 0 → note kept
        to move | play → write move, send, sending
        to move | resign → write resign, send
        to move | draw → write offer draw, send
        to move | rematch → rejected early
        to move | accept, decline → rejected nothing
        to move | say → write say, send
        to move | claim → rejected illegal
        to move | left, kept for later, parted → apart
        to move | told of an error → over abort, left
        to move | told of a fork → over abort, forked
        to move | replaced, not known, forked, busy, early tick, late tick → nothing
        to move | met with more → apart, note lost
        to move | met → together
        to move | met another, met without a hash → over abort, forked, close 8
        to move | not stored → failed, close 5
        not to move | note challenge, note accept, note decline, note reveal, note cancel, note \
        lost 9, note kept, note junk, packet junk, had too much → over abort, broken, close 2
        not to move | note lost 0 → note kept
        not to move | play, rematch → rejected early
        not to move | resign → write resign, send
        not to move | draw → write offer draw, send
        not to move | accept, decline → rejected nothing
        not to move | say → write say, send
        not to move | claim → rejected illegal
        not to move | left, kept for later, parted → apart
        not to move | told of an error → over abort, left
        not to move | told of a fork → over abort, forked
        not to move | replaced, not known, forked, busy, early tick, late tick → nothing
        not to move | met with more → apart, note lost
        not to move | met → together
        not to move | met another, met without a hash → over abort, forked, close 8
        not to move | not stored → failed, close 5
        resigned | note challenge, note accept, note decline, note reveal, note cancel, note lost \
        9, note kept, note junk, packet junk, had too much → over abort, broken, close 2
        resigned | note lost 0 → note kept
        resigned | play, resign, draw → rejected over
        resigned | rematch → rejected early
        resigned | accept, decline → rejected nothing
        resigned | say → write say, send
        resigned | claim → rejected illegal
        resigned | left, kept for later, parted → apart
        resigned | told of an error → over abort, left
        resigned | told of a fork → over abort, forked
        resigned | replaced, not known, forked, busy, early tick, late tick → nothing
        resigned | met with more → apart, note lost
        resigned | met → together
        resigned | met another, met without a hash → over abort, forked, close 8
        resigned | not stored → failed, close 5
        over | note challenge, note accept, note decline, note reveal, note cancel, note lost 9, \
        note kept, note junk, packet junk, had too much → broken, close 2
        over | note lost 0 → note kept, note kept, note kept, note kept
        over | play, resign, draw → rejected over
        over | rematch → write offer rematch, send
        over | accept, decline → rejected nothing
        over | say → write say, send
        over | claim → rejected illegal
        over | left, told of an error → left
        over | kept for later, parted → apart
        over | told of a fork → forked
        over | replaced, not known, forked, busy, early tick, late tick → nothing
        over | met with more → apart, note lost
        over | met → together
        over | met another, met without a hash → forked, close 8
        over | not stored → failed, close 5
        offered | note challenge, note accept, note decline, note reveal, note cancel, note lost \
        9, note kept, note junk, packet junk, had too much → broken, close 2
        offered | note lost 0 → note kept, note kept, note kept, note kept
        offered | play, resign, draw → rejected over
        offered | rematch → rejected early
        offered | accept, decline → rejected nothing
        offered | say → write say, send
        offered | claim → rejected illegal
        offered | left, told of an error → left
        offered | kept for later, parted → apart
        offered | told of a fork → forked
        offered | replaced, not known, forked, busy, early tick, late tick → nothing
        offered | met with more → apart, note lost
        offered | met → together
        offered | met another, met without a hash → forked, close 8
        offered | not stored → failed, close 5
        was offered | note challenge, note accept, note decline, note reveal, note cancel, note \
        lost 9, note kept, note junk, packet junk, had too much → broken, close 2
        was offered | note lost 0 → note kept, note kept, note kept, note kept, note kept, note \
        kept
        was offered | play, resign, draw → rejected over
        was offered | rematch, accept → write accept, send
        was offered | decline → write decline, send
        was offered | say → write say, send
        was offered | claim → rejected illegal
        was offered | left, told of an error → left
        was offered | kept for later, parted → apart
        was offered | told of a fork → forked
        was offered | replaced, not known, forked, busy, early tick, late tick → nothing
        was offered | met with more → apart, note lost
        was offered | met → together
        was offered | met another, met without a hash → forked, close 8
        was offered | not stored → failed, close 5
        apart | note challenge, note accept, note decline, note reveal, note cancel, note lost 0, \
        note lost 9, note kept, note junk, packet junk, had too much, left, kept for later, \
        parted, replaced, not known, busy, early tick, late tick → nothing
        apart | play → store draft, sending
        apart | resign, draw, say → store draft
        apart | rematch, claim → rejected early
        apart | accept, decline → rejected nothing
        apart | told of an error → over abort, left
        apart | told of a fork, forked → over abort, forked
        apart | met with more → note lost
        apart | met → together
        apart | met another, met without a hash → over abort, forked, close 8
        apart | not stored → failed, close 5
        apart with a draft | note challenge, note accept, note decline, note reveal, note cancel, \
        note lost 0, note lost 9, note kept, note junk, packet junk, had too much, left, kept for \
        later, parted, replaced, not known, busy, early tick, late tick → nothing
        apart with a draft | play, rematch, claim → rejected early
        apart with a draft | resign, draw, say → store draft
        apart with a draft | accept, decline → rejected nothing
        apart with a draft | told of an error → over abort, left
        apart with a draft | told of a fork, forked → over abort, forked
        apart with a draft | met with more → note lost
        apart with a draft | met → together, write move, send
        apart with a draft | met another, met without a hash → over abort, forked, close 8
        apart with a draft | not stored → failed, close 5
        replaced | note challenge, note accept, note decline, note reveal, note cancel, note lost \
        0, note lost 9, note kept, note junk, packet junk, had too much, replaced, not known, \
        busy, early tick, late tick → nothing
        replaced | play → store draft, sending
        replaced | resign, draw, say → store draft
        replaced | rematch, claim → rejected early
        replaced | accept, decline → rejected nothing
        replaced | left, kept for later, parted → apart
        replaced | told of an error → over abort, left
        replaced | told of a fork, forked → over abort, forked
        replaced | met with more → apart, note lost
        replaced | met → together
        replaced | met another, met without a hash → over abort, forked, close 8
        replaced | not stored → failed, close 5
        refilling | note challenge, note accept, note decline, note reveal, note cancel, note \
        lost 9, note kept, note junk, packet junk, had too much → over abort, broken, close 2
        refilling | note lost 0 → note kept
        refilling | play → store draft, sending
        refilling | resign, draw, say → store draft
        refilling | rematch, claim → rejected early
        refilling | accept, decline → rejected nothing
        refilling | left, kept for later, parted → apart
        refilling | told of an error → over abort, left
        refilling | told of a fork → over abort, forked
        refilling | replaced, not known, forked, busy, early tick → nothing
        refilling | met with more → note lost
        refilling | met → together
        refilling | met another, met without a hash → over abort, forked, close 8
        refilling | not stored → failed, close 5
        refilling | late tick → apart, hang up 4
        ended | note challenge, note accept, note decline, note reveal, note cancel, note lost 0, \
        note lost 9, note kept, note junk, packet junk, had too much, play, resign, draw, \
        rematch, accept, decline, say, claim, left, kept for later, told of an error, told of a \
        fork, parted, replaced, met with more, met, met another, met without a hash, not known, \
        forked, busy, not stored, early tick, late tick → nothing
        """
}
