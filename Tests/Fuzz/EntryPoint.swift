// SPDX-License-Identifier: MIT

import Glibc

/// The target that the environment names.
private let target = getenv("FUZZ_TARGET").flatMap { FuzzTarget(rawValue: String(cString: $0)) }

/// What libFuzzer calls with each input it has thought of.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else { fatalError("FUZZ_TARGET names no target") }
    target.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
