// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// An IP address with a port, and for link-local IPv6 the interface.
///
/// Written `10.0.0.1:4242` or `[fe80::1%eth0]:4242`.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    // Not an array: every session has an endpoint for as long as it lives. IPv4 as if mapped into
    // IPv6.
    private let high: UInt64
    private let low: UInt64
    /// The number of the interface that a link-local IPv6 address belongs to, else 0.
    public let scope: UInt32
    /// The TCP port.
    public let port: UInt16

    /// Makes an endpoint, or `nil` if `address` has neither 4 nor 16 bytes.
    ///
    /// An IPv4 address mapped into IPv6 becomes the IPv4 address it is.
    public init?(address: [UInt8], scope: UInt32 = 0, port: UInt16) {
        guard address.count == 4 || address.count == 16 else { return nil }
        let bytes = address.count == 4 ? Self.mappedPrefix + address : address
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
        self.scope = bytes.starts(with: Self.mappedPrefix) ? 0 : scope
        self.port = port
    }

    /// 4 bytes for IPv4, 16 for IPv6, most significant first.
    public var address: [UInt8] { isIPv4 ? Array(mapped[12...]) : mapped }

    /// Whether this is IPv4.
    public var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

    private var mapped: [UInt8] {
        [high, low].flatMap { half in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) }
        }
    }

    /// Reads the written form; `nil` if it is none, names an interface that is not there, or has
    /// no port from 1 to 65535. Host names are no endpoints; see ``lookUp(host:port:by:loop:)``.
    public init?(parsing text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            self.init(host: String(host.dropFirst().dropLast()), port: port)
        } else {
            guard !host.contains(":") else { return nil }
            self.init(host: String(host), port: port)
        }
    }

    /// Makes an endpoint of an address in figures without brackets, such as `fe80::1%eth0`.
    public init?(host: String, port: UInt16) {
        let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if parts.count == 1, inet_pton(AF_INET, String(address), &bytes) == 1 {
            self.init(address: Array(bytes[..<4]), port: port)
            return
        }
        guard inet_pton(AF_INET6, String(address), &bytes) == 1 else { return nil }
        var scope: UInt32 = 0
        if parts.count == 2 {
            let name = String(parts[1])
            scope = UInt32(name) ?? if_nametoindex(name)
            guard scope != 0 else { return nil }
        }
        self.init(address: bytes, scope: scope, port: port)
    }

    /// The address in figures, with the interface's name where there is one, without the port.
    public var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = isIPv4 ? AF_INET : AF_INET6
        guard inet_ntop(family, address, &text, socklen_t(text.count)) != nil else { return "?" }
        let figures = text.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? "?"
        }
        return scope == 0 ? figures : "\(figures)%\(Self.interfaceName(scope))"
    }

    /// The written form.
    public var description: String {
        isIPv4 ? "\(host):\(port)" : "[\(host)]:\(port)"
    }

    private static let mappedPrefix: [UInt8] = [UInt8](repeating: 0, count: 10) + [255, 255]

    private static func interfaceName(_ scope: UInt32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
            guard let start = buffer.baseAddress, if_indextoname(scope, start) != nil else {
                return "\(scope)"
            }
            return String(cString: start)
        }
    }
}

extension Endpoint {
    /// The endpoint in the system's form, or `nil` if that is of another family.
    init?(_ storage: sockaddr_storage) {
        let endpoint = withUnsafeBytes(of: storage) { bytes -> Endpoint? in
            switch Int32(storage.ss_family) {
            case AF_INET:
                let address = bytes.loadUnaligned(as: sockaddr_in.self)
                return withUnsafeBytes(of: address.sin_addr) {
                    Endpoint(address: Array($0), port: UInt16(bigEndian: address.sin_port))
                }
            case AF_INET6:
                let address = bytes.loadUnaligned(as: sockaddr_in6.self)
                return withUnsafeBytes(of: address.sin6_addr) {
                    Endpoint(
                        address: Array($0), scope: address.sin6_scope_id,
                        port: UInt16(bigEndian: address.sin6_port))
                }
            default:
                return nil
            }
        }
        guard let endpoint else { return nil }
        self = endpoint
    }

    /// Calls `body` with the endpoint as the system wants it.
    func withSocketAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        if isIPv4 {
            var system = sockaddr_in()
            system.sin_family = sa_family_t(AF_INET)
            system.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &system.sin_addr) { $0.copyBytes(from: address) }
            return withUnsafePointer(to: system) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var system = sockaddr_in6()
        system.sin6_family = sa_family_t(AF_INET6)
        system.sin6_port = port.bigEndian
        system.sin6_scope_id = scope
        withUnsafeMutableBytes(of: &system.sin6_addr) { $0.copyBytes(from: address) }
        return withUnsafePointer(to: system) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    /// The endpoint at the far (`getpeername`) or near (`getsockname`) end of a socket.
    init?(
        of descriptor: Int32,
        by call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, &length)
            }
        }
        guard result == 0 else { return nil }
        self.init(storage)
    }
}
