// SPDX-License-Identifier: MIT

/// How a match stands, in one place: whoever looks at it, or changes it and is the only one to
/// hold it, does not copy it.
struct Standing<G: Game>: Sendable {
    // An array of one, as arrays are copied only when they are changed and are also somebody else's.
    private var box: [MatchPlay<G>]

    init(_ play: MatchPlay<G>) { box = [play] }

    var play: MatchPlay<G> {
        _read { yield box[0] }  // cannot trap: there is always one.
        _modify { yield &box[0] }
    }
}
