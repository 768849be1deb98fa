// SPDX-License-Identifier: MIT

// The bodies of hello, welcome and refuse (`docs/protocol.md` §4.1, §4.3).

extension Hello {
    /// Smallest and largest *largest frame* that may be announced.
    static let frameSizes: ClosedRange<UInt32> = 4_096...16_777_216

    init(body: [UInt8]) throws(MessageError) {
        let fields = try Fields(body, known: 0x01...0x0a)
        self.init(
            application: try fields.text(0x02, 1...64),
            applicationVersions: try fields.versions(0x03),
            name: try fields.text(0x04, 0...64),
            instance: InstanceID(value: try fields.number(0x05)),
            largestFrame: try fields.number(0x09))
        versions = try fields.versions(0x01)
        token = try fields.bytes(0x06, 16...16).flatMap { SessionToken($0) }
        have = try fields.number(0x07)
        hash = try fields.bytes(0x08, 32...32)
        detail = try fields.bytes(0x0a, 0...255) ?? []
        guard Self.frameSizes.contains(largestFrame) else {
            throw MessageError("a largest frame of \(largestFrame)")
        }
        guard token != nil || have == 0 else { throw MessageError("have without a token") }
    }

    init(welcome body: [UInt8]) throws(MessageError) {
        try self.init(body: body)
        guard token != nil else { throw MessageError("a welcome without a token") }
        guard versions.lowest == versions.highest,
            applicationVersions.lowest == applicationVersions.highest
        else { throw MessageError("a welcome that chooses no version") }
    }

    /// The body. Its last field has a tag that never gets a meaning, taken from the instance, so
    /// that peers keep being able to skip fields.
    var fields: [UInt8] {
        var body: [UInt8] = []
        body.append(field: 0x01, versions)
        body.append(field: 0x02, application.prefix(bytes: 64))
        body.append(field: 0x03, applicationVersions)
        body.append(field: 0x04, name.prefix(bytes: 64))
        body.append(field: 0x05, number: instance.value)
        if let token { body.append(field: 0x06, token.bytes) }
        body.append(field: 0x07, number: token == nil ? 0 : have)
        if token != nil, let hash, hash.count == 32 { body.append(field: 0x08, hash) }
        body.append(field: 0x09, number: frameSize)
        if !detail.isEmpty { body.append(field: 0x0a, detail.prefix(255)) }
        body.append(field: 0xf0 | UInt8(instance.value & 0xf), number: UInt16(instance.value >> 48))
        return body
    }

    /// A message of a kind that never gets a meaning, for the same purpose.
    var unknownMessage: SessionMessage {
        .unknown(kind: 0xf0 | UInt8(instance.value >> 4 & 0xf), [UInt8(instance.value >> 56)])
    }

    /// ``largestFrame``, within what may be announced.
    var frameSize: UInt32 {
        min(max(largestFrame, Self.frameSizes.lowerBound), Self.frameSizes.upperBound)
    }
}

extension Refusal {
    init(body: [UInt8]) throws(MessageError) {
        let fields = try Fields(body, known: 1...3)
        self.init(
            RefuseCode(value: try fields.number(1)),
            text: try fields.optionalText(2, 0...200) ?? "",
            have: try fields.optionalNumber(3))
    }

    var fields: [UInt8] {
        var body: [UInt8] = []
        body.append(field: 1, number: code.value)
        if !text.isEmpty { body.append(field: 2, text.prefix(bytes: 200)) }
        if let have { body.append(field: 3, number: have) }
        return body
    }
}
