// SPDX-License-Identifier: MIT

extension SessionMachine {
    /// Responder: takes the peer on. Does nothing unless a hello waits for an answer.
    ///
    /// - Parameters:
    ///   - have: When a session is resumed, how many packets of the peer's log are stored here.
    ///   - hash: The application's hash of that log at `have`.
    ///   - log: This side's log of the session with the token in the peer's hello. If it cannot
    ///     serve what the peer says it has, the session is refused as not here.
    ///   - detail: What the welcome says to the application, if not what the hello passed to the
    ///     initializer says.
    ///   - proof: After an answer that was right, the tag of 64 bytes that proves the code in turn.
    package mutating func accept(
        have: UInt64 = 0, hash: [UInt8]? = nil, log: OutgoingLog = OutgoingLog(),
        detail: [UInt8]? = nil, proof: [UInt8]? = nil
    ) {
        guard let (local, hello) = undecided else { return }
        var peer = hello
        guard let log = resumed(log, for: peer.have) else {
            let text = "that session's packets are not here"
            return refuse(Refusal(.noSuchSession, text: text, have: have))
        }
        var welcome = local
        welcome.versions = peer.versions
        welcome.applicationVersions = peer.applicationVersions
        welcome.token = peer.token ?? newToken
        welcome.detail = detail ?? local.detail
        welcome.have = peer.token == nil ? 0 : have
        welcome.hash = peer.token == nil ? nil : hash
        if let proof { output.append(.code(proof)) }
        output.append(.welcome(welcome))
        output.append(welcome.unknownMessage)
        peer.token = welcome.token
        self.log = log
        open(welcome, peer: peer)
    }

    /// Responder: turns the peer away. Does nothing unless a hello waits for an answer.
    package mutating func refuse(_ refusal: Refusal) {
        guard undecided != nil else { return }
        turnAway(refusal)
    }

    /// Responder: the session that a peer whose hello waits for an answer wants to go on with.
    package var peerToken: SessionToken? { undecided?.peer.token }

    /// The hellos of both sides while the application decides.
    private var undecided: (local: Hello, peer: Hello)? {
        switch state {
        case .deciding(let local, let peer), .answered(let local, let peer): (local, peer)
        default: nil
        }
    }

    /// Refuses and ends.
    mutating func turnAway(_ refusal: Refusal) {
        output.append(.refuse(refusal))
        finish(.refused(refusal), keepingOutput: true)
    }

    /// Responder: judges a hello; what can never be a session is refused at once.
    mutating func received(hello peer: Hello, as local: Hello) {
        var chosen = peer
        state = .deciding(local, peer: peer)
        guard let version = local.versions.highestCommon(with: peer.versions) else {
            return refuse(Refusal(.version, text: "no protocol version in common"))
        }
        guard local.application == peer.application else {
            return refuse(Refusal(.application, text: "this is \(local.application)"))
        }
        guard
            let applicationVersion = local.applicationVersions.highestCommon(
                with: peer.applicationVersions)
        else {
            return refuse(Refusal(.application, text: "no application version in common"))
        }
        guard local.instance != peer.instance else { return refuse(Refusal(.dialledSelf)) }
        chosen.versions = VersionRange(version, version)
        chosen.applicationVersions = VersionRange(applicationVersion, applicationVersion)
        state = .deciding(local, peer: chosen)
        events.append(.hello(chosen))
    }

    /// Initiator: judges a welcome.
    mutating func received(welcome peer: Hello, as local: Hello) throws(MessageError) {
        guard local.versions.highestCommon(with: peer.versions) != nil,
            local.application == peer.application,
            local.applicationVersions.highestCommon(with: peer.applicationVersions) != nil
        else { throw MessageError("a welcome to something else") }
        guard !wantsProof else {
            let text = "The other side did not ask for the code; it is not whose code you have."
            return finish(.refused(Refusal(.codeNeeded, text: text)))
        }
        guard local.token == nil || local.token == peer.token else {
            throw MessageError("a welcome to another session")
        }
        guard local.token != nil || peer.have == 0, let log = resumed(log, for: peer.have) else {
            throw MessageError("have of what was not sent")
        }
        self.log = log
        open(local, peer: peer)
    }

    /// The hello is done.
    private mutating func open(_ local: Hello, peer: Hello) {
        state = .open
        token = peer.token
        have = local.token == nil ? 0 : local.have
        received = have
        said = have
        decoder.largest = local.frameSize
        largestPacket = Int(peer.largestFrame) - 9
        while log.first <= peer.have { _ = log.dropFirst() }
        events.append(.ready(peer))
        sendFromLog()
    }

    /// The log as it is to be sent on to a peer that has `count` packets, or `nil` if it cannot be.
    /// An application that stores its log by itself may have lost some of it and yet get it back:
    /// then the peer has more, and the next packet has the number after that.
    private func resumed(_ log: OutgoingLog, for count: UInt64) -> OutgoingLog? {
        if log.covers(count) { return log }
        guard acknowledgement == .explicit, count > log.last, count < .max else { return nil }
        return OutgoingLog(first: count + 1)
    }

    private var newToken: SessionToken? {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: tokenSeed.0)
        bytes.append(bigEndian: tokenSeed.1)
        return SessionToken(bytes)
    }
}
