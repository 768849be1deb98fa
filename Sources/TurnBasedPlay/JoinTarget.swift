// SPDX-License-Identifier: MIT

/// Whom a player wants to join, as typed.
///
/// `HOST`, `HOST:PORT`, `[IPV6%SCOPE]:PORT` and `SCHEME://HOST:PORT[?key=FINGERPRINT]` are addresses;
/// anything else is the name of a game. A bare word without a dot or a colon is a name too, except
/// `localhost`: games are met more often than hosts.
public enum JoinTarget: Sendable, Equatable {
    /// A host and port, and the 52-letter fingerprint it must have, if one was named.
    case address(host: String, port: UInt16, key: String?)
    /// An advertised game.
    case name(String)

    /// Reads what was typed; `nil` if it looks like an address and is none.
    ///
    /// - Parameters:
    ///   - text: What was typed.
    ///   - usualPort: The port of an address that names none; 0: it must name one.
    ///   - scheme: What links begin with, before `://`.
    public init?(_ text: String, usualPort: UInt16, scheme: String) {
        if let rest = text.dropping(prefix: scheme + "://") {
            self.init(link: rest, usualPort)
        } else if text.hasPrefix("[") {
            guard let (host, port) = Self.hostAndPort(text, usualPort) else { return nil }
            self = .address(host: host, port: port, key: nil)
        } else if text.utf8.contains(UInt8(ascii: " ")) || text.isEmpty {
            guard !text.isEmpty else { return nil }
            self = .name(text)
        } else if text.count(where: { $0 == ":" }) >= 2 {
            guard usualPort != 0 else { return nil }
            self = .address(host: text, port: usualPort, key: nil)
        } else if text.contains(":") || text.contains(".") || text == "localhost" {
            guard let (host, port) = Self.hostAndPort(text, usualPort) else { return nil }
            self = .address(host: host, port: port, key: nil)
        } else {
            self = .name(text)
        }
    }

    private init?(link: String, _ usualPort: UInt16) {
        let parts = link.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var place = String(parts[0])
        if place.hasSuffix("/") { place.removeLast() }
        guard let (host, port) = Self.hostAndPort(place, usualPort) else { return nil }
        var key: String?
        if parts.count == 2 {
            for item in parts[1].split(separator: "&") {
                key = String(item).dropping(prefix: "key=") ?? key
            }
            if let key, key.utf8.count != 52 { return nil }
        }
        self = .address(host: host, port: port, key: key)
    }

    /// Splits `HOST`, `HOST:PORT`, `[HOST]` and `[HOST]:PORT`.
    private static func hostAndPort(_ text: String, _ usualPort: UInt16) -> (String, UInt16)? {
        var host = text
        var port = usualPort
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            if !rest.isEmpty {
                guard rest.hasPrefix(":"), let number = UInt16(rest.dropFirst()) else { return nil }
                port = number
            }
        } else if let colon = text.lastIndex(of: ":") {
            guard let number = UInt16(text[text.index(after: colon)...]) else { return nil }
            host = String(text[..<colon])
            port = number
        }
        return host.isEmpty || port == 0 ? nil : (host, port)
    }
}

extension String {
    fileprivate func dropping(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
