// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How much memory of this process is resident, in bytes.
enum ResidentMemory {
    #if os(Linux)
    /// Now, with the free memory of the allocator given back.
    static func current() -> Int {
        _ = returnFreeMemory(keeping: 0)
        return status("VmRSS")
    }

    /// Begins to look for the peak anew: "5" does that, see proc(5), /proc/PID/clear_refs.
    static func resetPeak() {
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    /// The most that was resident since then.
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
// The module of the C library leaves malloc.h out.
@_silgen_name("malloc_trim")
private func returnFreeMemory(keeping pad: Int) -> CInt
#endif
