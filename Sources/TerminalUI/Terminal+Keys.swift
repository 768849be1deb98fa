// SPDX-License-Identifier: MIT

import CTerminal
import Glibc

extension Terminal {
    /// All keys that wait; call it whenever standard input is readable.
    package func read() -> [Key] {
        var keys: [Key] = []
        var character: wint_t = 0
        var gotSomething = false
        let now = Self.milliseconds
        while case let kind = terminal_key(&character), kind >= 0 {
            gotSomething = true
            let key = kind == 1 ? special(Int32(bitPattern: character)) : Self.plain(character)
            if let key = key.flatMap({ late.take($0) }) { keys += paste.take(key, at: now) }
        }
        if !gotSomething, hasHungUp { keys.append(.endOfInput) }
        return keys
    }

    private func special(_ code: Int32) -> Key? {
        switch code {
        case KEY_UP: return .up
        case KEY_DOWN: return .down
        case KEY_LEFT: return .left
        case KEY_RIGHT: return .right
        case KEY_PPAGE: return .pageUp
        case KEY_NPAGE: return .pageDown
        case KEY_ENTER: return .enter
        case KEY_BACKSPACE: return .backspace
        case KEY_HOME: return .home
        case KEY_END: return .end
        case KEY_DC: return .delete
        case KEY_RESIZE: return nil
        case KEY_MOUSE:
            var mouse = MEVENT()
            guard getmouse(&mouse) == OK, mouse.bstate & terminal_press != 0 else { return nil }
            return .click(row: Int(mouse.y), column: Int(mouse.x))
        case Self.focusIn, Self.focusOut:
            isFocused = code == Self.focusIn
            return nil
        case Self.pasteBegins: return .pasteBegins
        case Self.pasteEnds: return .pasteEnds
        default: return .other
        }
    }

    private static var milliseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }

    private static func plain(_ character: wint_t) -> Key? {
        switch character {
        case 10, 13: .enter
        case 27: .escape
        case 8, 127: .backspace
        case 1: .home
        case 5: .end
        case 21: .eraseLine
        case 23: .eraseWord
        case 4: .endOfInput
        case 12: .repaint
        case 0..<32, 128..<160: .other
        default: Unicode.Scalar(character).map { .character($0) }
        }
    }

    /// Readable, and yet there is nothing to read: the terminal is gone.
    private var hasHungUp: Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, 0) == 1 && input.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
    }
}
