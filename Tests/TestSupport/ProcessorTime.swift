// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Processor time, which is independent of other work on the machine.
public enum ProcessorTime {
    /// Runs `work`, and returns the seconds of processor time that this thread spent on it.
    public static func seconds(of work: () throws -> Void) rethrows -> Double {
        let start = now
        try work()
        return now - start
    }

    private static var now: Double {
        var time = timespec()
        // SAFETY: the clock is this thread's, and the structure is on its stack.
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
