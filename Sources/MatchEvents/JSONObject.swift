// SPDX-License-Identifier: MIT

import CJansson

/// A JSON object that owns its jansson value; the only place that holds one.
///
/// Jansson gives `nil` when memory is short; a field is then missing and nothing else happens.
struct JSONObject: ~Copyable {
    private let value: UnsafeMutablePointer<json_t>?

    /// Makes an empty object; fields keep the order in which they are set.
    init() {
        value = json_object()
    }

    /// Reads one object and nothing after it.
    ///
    /// Jansson bounds the depth (2048), checks the UTF-8 and refuses a key that comes twice.
    init(parsing bytes: [UInt8]) throws(CommandError) {
        var error = json_error_t()
        let parsed = bytes.withUnsafeBytes {
            json_loadb(
                $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count,
                Int(JSON_REJECT_DUPLICATES), &error)
        }
        guard let parsed else {
            throw CommandError(
                .malformed, "This line is not JSON: \(String(cString: json_complaint(&error))).")
        }
        guard json_kind(parsed) == JSON_OBJECT else {
            json_decref(parsed)
            throw CommandError(.malformed, "This line is JSON, but not an object.")
        }
        value = parsed
    }

    deinit {
        json_decref(value)
    }

    /// The object in one line, everything outside printable ASCII escaped so that no terminal is
    /// moved by it.
    var line: String {
        guard let text = json_dumps(value, Int(JSON_COMPACT | JSON_ENSURE_ASCII)) else {
            return "{}"
        }
        defer { free(text) }
        let line = String(cString: text)
        // Jansson leaves DEL, which can only stand in a string, as it is.
        guard line.utf8.contains(0x7f) else { return line }
        return line.split(separator: "\u{7f}", omittingEmptySubsequences: false)
            .joined(separator: "\\u007f")
    }

    mutating func set(_ key: String, _ string: String?) {
        guard let string else { return set(key, json_null()) }
        set(key, Self.string(string))
    }

    mutating func set(_ key: String, _ number: Int) {
        set(key, json_integer(json_int_t(number)))
    }

    mutating func set(_ key: String, _ truth: Bool) {
        set(key, truth ? json_true() : json_false())
    }

    mutating func set(_ key: String, _ strings: [String]) {
        let array = json_array()
        for string in strings { json_array_append_new(array, Self.string(string)) }
        set(key, array)
    }

    mutating func set(_ key: String, _ numbers: [Int]) {
        let array = json_array()
        for number in numbers { json_array_append_new(array, json_integer(json_int_t(number))) }
        set(key, array)
    }

    /// Adds an object to the array at `key`, which is made with its first one.
    mutating func append(_ key: String, _ object: consuming JSONObject) {
        if json_object_get(value, key) == nil { set(key, json_array()) }
        json_array_append_new(json_object_get(value, key), json_incref(object.value))
    }

    mutating func set(_ key: String, _ object: consuming JSONObject) {
        set(key, json_incref(object.value))
    }

    /// Whether there is anything at `key`.
    func has(_ key: String) -> Bool { json_object_get(value, key) != nil }

    /// The string at `key`, or `nil` if there is none or it is something else.
    func string(_ key: String) -> String? {
        guard let field = json_object_get(value, key), json_kind(field) == JSON_STRING,
            let start = json_string_value(field)
        else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: json_string_length(field))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The whole number at `key`, or `nil` if there is none or it is something else.
    func integer(_ key: String) -> Int64? {
        guard let field = json_object_get(value, key), json_kind(field) == JSON_INTEGER else {
            return nil
        }
        return Int64(json_integer_value(field))
    }

    /// Takes over `field`.
    private mutating func set(_ key: String, _ field: UnsafeMutablePointer<json_t>?) {
        json_object_set_new(value, key, field)
    }

    private static func string(_ string: String) -> UnsafeMutablePointer<json_t>? {
        var string = string
        return string.withUTF8 { bytes in
            // A string that is empty may have no address, which jansson would take for an error.
            guard let start = bytes.baseAddress, !bytes.isEmpty else { return json_string("") }
            return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                json_stringn($0, bytes.count)
            }
        }
    }
}
