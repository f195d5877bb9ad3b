// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import FuzzTargets

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

// libFuzzer calls `fuzzOneInput` with every input. The environment variable KEYED_FUZZ_TARGET names
// the target.

private let target: (name: String, run: @Sendable ([UInt8]) throws -> Void) = {
    // SAFETY: this program does not change the environment, and the text is copied.
    let name = unsafe getenv("KEYED_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
    guard let target = fuzzTargets.first(where: { $0.name == name }) else {
        let names = fuzzTargets.map(\.name).joined(separator: ", ")
        print("KEYED_FUZZ_TARGET must be one of \(names)")
        exit(2)
    }
    return target
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: libFuzzer passes `count` bytes that live for the call; they are copied.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    do { try target.run(bytes) } catch {
        print("target \(target.name): \(error)")
        fflush(nil)
        abort()
    }
    return 0
}
