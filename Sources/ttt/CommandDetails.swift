// SPDX-License-Identifier: MIT

extension Command {
    /// What `ttt help COMMAND` says behind the options, in lines of at most 80 columns.
    var details: String {
        switch self {
        case .host: Self.clock + "\n\n" + Self.codes
        case .play:
            Self.code + "\n\n" + Self.clock + "\n\n" + Self.codes
        case .join:
            """
            NAME is what 'ttt list' shows; without any, the screen asks which open game is
            joined, and --plain and --json join the first one found.

            \(Self.code)

            \(Self.clock)

            \(Self.codes)
            """
        case .resume:
            """
            MATCH is the beginning of what 'ttt games' lists first in a line; without it
            the match goes on that was played last and is not over.

            Exit code 64: there is none of that name; 69: there is none to go on with, or
            the other side has it no longer; 74: the disk refuses; 75: it is open in another
            process; 76, 77: the other side broke the protocol, or refused.
            """
        case .list: "Exit code 69: no open game was found."
        case .games: Self.place
        case .peers:
            """
            KEY is a key of the list, or as many of its first letters as no other has; to
            name or block somebody who is not on it, type all 52. An empty NAME, "", takes
            the name back that you gave.
            The list is the file known_peers in $XDG_CONFIG_HOME/ttt, or ~/.config/ttt.

            Exit code 74: it cannot be read or written; 75: another process changes it.
            """
        case .verify, .show:
            """
            FILE is a record of a match, MATCH the beginning of what 'ttt games' lists.
            \(Self.place)

            Exit code 77: it is not right, or no record; 64: it is not there; 74: it cannot
            be read.
            """
        case .id:
            """
            --name keeps a name for later games, --name "" forgets it.
            The key is made by the first game, in $XDG_CONFIG_HOME/ttt, or
            ~/.config/ttt.

            'move FILE' puts the key into FILE under a passphrase and removes it here;
            'move --from FILE', on the other machine, takes it in and removes FILE. Only
            the key moves. Copy the rest along once no program of yours runs: known_peers
            and name beside the key (whom you have met, named and blocked, and your name),
            and the matches.
            \(Self.place)

            Exit code 75: a program uses the key; 77: the passphrase is another one.
            """
        case .help: "COMMAND is one of those that 'ttt help' lists."
        }
    }

    private static let place = """
        Records are files in $XDG_STATE_HOME/ttt/games, or ~/.local/state/ttt/games.
        """

    private static let code = """
        A code is typed when it is asked for, or comes in TTT_CODE or as the first line
        of standard input, never on the command line.
        """

    private static let clock = """
        A clock is 5m+3: five minutes for a game and three seconds more for each move.
        A number without s, m or h is in seconds.
        """

    private static let codes = """
        Exit code 64: wrong command line; 69: nobody to play with, or the port cannot be
        listened on; 74: the disk refuses; 75: the key is being moved; 76, 77: the other
        side broke the protocol, or refused; 128 + N: signal N.
        """
}
