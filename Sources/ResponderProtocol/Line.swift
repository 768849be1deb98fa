// SPDX-License-Identifier: MIT

// The lines between a program and its `ttt-mdns` process, both ways, over a socket pair that is
// the process's standard input and output. One order or report a line, at most 4096 bytes with
// its newline; words with one space between; the first word says what it is. Numbers are decimal;
// names, addresses and TXT strings are lower-case hex, and `-` is the empty one. What cannot be
// read as such is skipped: neither side believes the other. The end of the stream ends the process.
//
//     publish PORT PLACE NAME TEXT…    established NAME
//     withdraw                         collision NAME
//     browse                           found INTERFACE 4|6 NAME HOST ADDRESS PORT TEXT…
//     stop                             silent INTERFACE 4|6 NAME
//     ignore INTERFACE 4|6 NAME        lost INTERFACE 4|6 NAME
//     lookup NUMBER HOST               address NUMBER INTERFACE ADDRESS
//     forget NUMBER                    unknown NUMBER 4|6
//                                      ready
//
// PLACE is `INTERFACE 4|6`, or `0 4` for all.

/// The longest line, in bytes, with its newline.
package let longestLine = 4096

extension Order {
    /// The order as a line with its newline, or `nil` if it is too long.
    package var line: [UInt8]? {
        switch self {
        case .publish(let name, let port, let text, let place):
            joined(["publish", "\(port)"] + words(place) + [hex(name)] + text.map(hex))
        case .withdraw: joined(["withdraw"])
        case .browse: joined(["browse"])
        case .stop: joined(["stop"])
        case .ignore(let sighting): joined(["ignore"] + words(sighting))
        case .lookUp(let number, let host): joined(["lookup", "\(number)", hex(host)])
        case .forget(let number): joined(["forget", "\(number)"])
        }
    }

    /// Reads a line without its newline; `nil` if it is no order.
    package init?(line: [UInt8]) {
        var words = Words(line)
        switch words.next() {
        case "publish":
            guard let port: UInt16 = words.number(), let interface: UInt32 = words.number(),
                let family = words.family(), let name = words.string(), let text = words.rest()
            else { return nil }
            let place = interface == 0 ? nil : Place(interface: interface, family: family)
            self = .publish(name: name, port: port, text: text, at: place)
        case "withdraw": self = .withdraw
        case "browse": self = .browse
        case "stop": self = .stop
        case "ignore":
            guard let sighting = words.sighting() else { return nil }
            self = .ignore(sighting)
        case "lookup":
            guard let number: UInt32 = words.number(), let host = words.string() else { return nil }
            self = .lookUp(number: number, host: host)
        case "forget":
            guard let number: UInt32 = words.number() else { return nil }
            self = .forget(number: number)
        default: return nil
        }
        guard words.atEnd else { return nil }
    }
}

extension Report {
    /// The report as a line with its newline, or `nil` if it is too long. What is found and does
    /// not fit is as good as not found, and must not be waited for: it is silent.
    package var line: [UInt8]? {
        switch self {
        case .ready: joined(["ready"])
        case .established(let name): joined(["established", hex(name)])
        case .collision(let name): joined(["collision", hex(name)])
        case .found(let sighting, let detail):
            joined(
                ["found"] + words(sighting)
                    + [hex(detail.host), hex(detail.address), "\(detail.port)"]
                    + detail.text.map(hex)) ?? Report.silent(sighting).line
        case .silent(let sighting): joined(["silent"] + words(sighting))
        case .lost(let sighting): joined(["lost"] + words(sighting))
        case .address(let number, let interface, let bytes):
            joined(["address", "\(number)", "\(interface)", hex(bytes)])
        case .unknown(let number, let family):
            joined(["unknown", "\(number)", "\(family.rawValue)"])
        }
    }

    /// Reads a line without its newline; `nil` if it is no report.
    package init?(line: [UInt8]) {
        var words = Words(line)
        switch words.next() {
        case "ready": self = .ready
        case "established":
            guard let name = words.string() else { return nil }
            self = .established(name: name)
        case "collision":
            guard let name = words.string() else { return nil }
            self = .collision(name: name)
        case "found":
            guard let sighting = words.sighting(), let host = words.string(),
                let address = words.address(), let port: UInt16 = words.number(),
                let text = words.rest()
            else { return nil }
            self = .found(
                sighting, Detail(host: host, address: address, port: port, text: text))
        case "silent":
            guard let sighting = words.sighting() else { return nil }
            self = .silent(sighting)
        case "lost":
            guard let sighting = words.sighting() else { return nil }
            self = .lost(sighting)
        case "address":
            guard let number: UInt32 = words.number(), let interface: UInt32 = words.number(),
                let bytes = words.address()
            else { return nil }
            self = .address(number: number, interface: interface, bytes: bytes)
        case "unknown":
            guard let number: UInt32 = words.number(), let family = words.family() else {
                return nil
            }
            self = .unknown(number: number, family: family)
        default: return nil
        }
        guard words.atEnd else { return nil }
    }
}

private func joined(_ words: [String]) -> [UInt8]? {
    let line = Array(words.joined(separator: " ").utf8) + [10]
    return line.count <= longestLine ? line : nil
}

private func words(_ place: Place?) -> [String] {
    ["\(place?.interface ?? 0)", "\((place?.family ?? .ipv4).rawValue)"]
}

private func words(_ sighting: Sighting) -> [String] {
    ["\(sighting.interface)", "\(sighting.family.rawValue)", hex(sighting.name)]
}

private func hex(_ string: String) -> String { hex(Array(string.utf8)) }

private func hex(_ bytes: [UInt8]) -> String {
    guard !bytes.isEmpty else { return "-" }
    let digits = Array("0123456789abcdef".utf8)
    let pairs = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: pairs, as: UTF8.self)
}
