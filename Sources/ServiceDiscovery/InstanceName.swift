// SPDX-License-Identifier: MIT

/// The name of a service instance: 1 to 63 bytes of UTF-8 without control characters.
package struct InstanceName: Sendable, Hashable {
    /// The name in that form.
    package let string: String

    /// Makes a name of any string; an empty one becomes `?`.
    package init(_ string: String) {
        self.init(string, suffix: "")
    }

    private init(_ base: String, suffix: String) {
        let printable = base.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }
        var name = String(String.UnicodeScalarView(printable))
        while name.utf8.count > 63 - suffix.utf8.count { name.removeLast() }
        string = name.isEmpty && suffix.isEmpty ? "?" : name + suffix
    }

    /// The name to try after this one was taken: `Alice`, `Alice #2`, `Alice #3`.
    package var next: InstanceName {
        let parts = string.split(separator: "#", omittingEmptySubsequences: false)
        if parts.count > 1, let last = parts.last, let number = UInt32(last), number >= 2,
            number < 1_000_000, string.hasSuffix(" #\(number)")
        {
            let base = String(string.dropLast(last.count + 2))
            // cannot trap: it is below a million.
            return InstanceName(base, suffix: " #\(number + 1)")
        }
        return InstanceName(string, suffix: " #2")
    }
}
