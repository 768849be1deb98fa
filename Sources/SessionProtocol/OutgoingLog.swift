// SPDX-License-Identifier: MIT

/// The packets of this side's log that the other side is not yet known to have.
///
/// It outlives a connection: give it to the next ``SessionMachine`` of the session, which sends
/// what the peer lacks.
package struct OutgoingLog: Sendable, Hashable {
    /// The number of the first packet kept, or of the next one if none is.
    package private(set) var first: UInt64
    /// The bytes of all packets kept.
    package private(set) var bytes: Int
    private var packets = Queue<[UInt8]>()

    /// Makes a log whose packets have the numbers from `first`, at least 1.
    package init(first: UInt64 = 1, packets: [[UInt8]] = []) {
        self.first = max(first, 1)
        bytes = 0
        for packet in packets { append(packet) }
    }

    /// How many packets are kept.
    package var count: Int { packets.count }
    /// The number of the last packet, kept or not; 0 if there never was one.
    package var last: UInt64 { first &+ UInt64(packets.count) &- 1 }

    /// Whether the sending can go on for a peer that has `count` packets.
    func covers(_ count: UInt64) -> Bool { count >= first &- 1 && count <= last }

    /// The packet `index` places behind the first.
    subscript(index: Int) -> [UInt8] { packets[index] ?? [] }

    mutating func append(_ packet: [UInt8]) {
        packets.append(packet)
        bytes += packet.count
    }

    /// Forgets the first packet and returns its size.
    mutating func dropFirst() -> Int {
        guard let packet = packets.popFirst() else { return 0 }
        first &+= 1
        bytes -= packet.count
        return packet.count
    }
}
