// SPDX-License-Identifier: MIT

import MatchEvents
import OnlinePlay
import ResponderProtocol
import ServiceDiscovery
import TerminalUI
import TurnBasedPlay

/// Lines as the responder process writes them; what is no report is taken for the strings of a TXT
/// record, with tabs between them.
func fuzzAdverts(_ bytes: [UInt8]) {
    var decoder = LineDecoder()
    var list = ServiceList(hidden: "00000000000000ff")
    list.take(LocalNetworks([.init(interface: 2, address: [10, 0, 0, 9], prefix: 8)]), at: 0)
    var now: Milliseconds = 0
    for line in decoder.append(bytes) {
        require(line.count < longestLine, "a line is longer than lines are")
        if let order = Order(line: line), let again = order.line {
            require(Order(line: again.dropLast()) == order, "an order changes on its way")
        }
        now += Milliseconds(line.count)
        let report = Report(line: line)
        if let report, let again = report.line {
            require(Report(line: again.dropLast()) == report, "a report changes on its way")
        }
        take(report ?? .found(sighting(line), detail(line)), into: &list, at: now)
        for event in list.tick(at: now) { look(at: event) }
    }
    _ = list.deadline
    list.orphan(at: now)
    for event in list.tick(at: now + ServiceList.orphanhood * 2) { look(at: event) }
    _ = list.clear()
}

private func sighting(_ line: [UInt8]) -> Sighting {
    Sighting(
        interface: UInt32(line.count % 5), family: line.count % 2 == 0 ? .ipv4 : .ipv6,
        name: String(decoding: line.prefix(9), as: UTF8.self))
}

private func detail(_ line: [UInt8]) -> Detail {
    Detail(
        host: "h.local", address: [10, 0, 0, UInt8(truncatingIfNeeded: line.count)], port: 4_242,
        text: line.split(separator: 9, omittingEmptySubsequences: false).map(Array.init))
}

private func take(_ report: Report, into list: inout ServiceList, at now: Milliseconds) {
    switch report {
    case .found(let sighting, let detail): list.found(sighting, detail, at: now)
    case .silent(let sighting): list.silent(sighting, at: now)
    case .lost(let sighting): list.lost(sighting, at: now)
    default: break
    }
}

private func look(at event: DiscoveryEvent) {
    guard case .found(let service) = event else { return }
    require(service.port > 0 && !service.addresses.isEmpty, "a service is nowhere")
    require(service.id.utf8.count == 16, "a service has no id")
    if let text = AdvertText(service) {
        require(text.salt.count == 8 && text.tag.count == 8, "a tag has another size")
    }
}

/// Input as it is typed or piped in, in pieces of the size that the first byte says.
func fuzzCommands(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let size = Int(input.byte()) + 1
    let front = PlainFront(utf8: true)
    var buffer = LineBuffer()
    while !input.isEmpty {
        buffer.append(input.take(size))
        while let line = buffer.next() { read(line, front) }
    }
    buffer.finish()
    while let line = buffer.next() { read(line, front) }
}

private func read(_ line: LineBuffer.Line, _ front: PlainFront) {
    guard case .line(let bytes) = line else { return }
    require(bytes.count <= LineBuffer.longestLine, "a line is longer than lines are")
    do throws(CommandError) {
        if case .move(let square) = try PlayerCommand(jsonLine: bytes) {
            require((1...9).contains(square), "there is no such square")
        }
    } catch {
        tell(.failed(code: error.code.rawValue, message: error.message))
    }
    if case .lines(let lines) = front.read(bytes) { lines.forEach(requireHarmless) }
    let text = String(decoding: bytes, as: UTF8.self)
    tell(.said(by: .opponent, text: text))
    _ = JoinTarget(text, usualPort: 28_888, scheme: "ttt")
    _ = Fingerprint(parsing: text)
    if let endpoint = Endpoint(parsing: text) {
        require(Endpoint(parsing: endpoint.description) == endpoint, "an address changes")
    }
}

/// An event with foreign text is one line of ASCII.
private func tell(_ event: PlayerEvent) {
    guard let line = event.jsonLine else { return }
    require(line.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "a line of JSON is not harmless")
}

/// The first byte says how wide the terminal is, the rest is the text.
func fuzzDisplay(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let columns = Int(input.byte())
    let text = String(decoding: input.rest, as: UTF8.self)
    for utf8 in [true, false] {
        let shown = display(text, columns: columns, utf8: utf8)
        requireHarmless(shown)
        require(display(shown, columns: columns, utf8: utf8) == shown, "it is not shown as it is")
        require(utf8 || shown.utf8.allSatisfy { $0 < 0x80 }, "it is not ASCII")
        require(shown.unicodeScalars.count <= columns * (1 + marksPerCharacter), "it is too long")
    }
    var front = PlainFront(utf8: true)
    front.lines(for: .said(by: .opponent, text: text)).forEach(requireHarmless)
    front.lines(for: .challenged(by: text, key: text, known: false)).forEach(requireHarmless)
    front.lines(for: .failed(code: text, message: text)).forEach(requireHarmless)
}

/// Nothing in it moves a cursor, turns the direction of writing or hides.
private func requireHarmless(_ text: String) {
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .lineSeparator, .paragraphSeparator:
            fatalError("it is not harmless")
        default: require(!scalar.properties.isDefaultIgnorableCodePoint, "it hides")
        }
    }
}
