// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The resident memory of this process, in bytes.
enum ResidentMemory {
    #if os(Linux)
    /// Returns the current size, after the allocator has returned free memory.
    static func current() -> Int {
        _ = returnFreeMemory(keeping: 0)
        return status("VmRSS")
    }

    /// Resets the recorded peak by writing "5" to /proc/self/clear_refs, as described in proc(5).
    static func resetPeak() {
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    /// Returns the peak since the last reset.
    static func peak() -> Int { status("VmHWM") }

    private static func status(_ name: String) -> Int {
        let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        let number = line?.split(whereSeparator: { !$0.isNumber }).first
        return (number.flatMap { Int($0) } ?? 0) << 10
    }
    #else
    static func current() -> Int { peak() }

    static func resetPeak() {}

    static func peak() -> Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF, &usage)
        return usage.ru_maxrss
    }
    #endif
}

#if os(Linux)
// The module of the C library does not include malloc.h.
@_silgen_name("malloc_trim")
private func returnFreeMemory(keeping pad: Int) -> CInt
#endif
