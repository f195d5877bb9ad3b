// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

/// The surroundings of the process: its variables, and time.
package enum Environment {
    /// The value of a variable; nil where it is not set.
    package static subscript(name: String) -> String? {
        // SAFETY: the name is NUL-terminated for the call; the value is copied at once, and nothing in
        // the package changes variables.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Waits for less than a second.
    package static func sleep(microseconds: UInt32) { _ = usleep(microseconds) }

    /// Seconds since some moment before the process began, on a clock that nobody sets.
    package static var uptime: Double {
        var time = timespec()
        // SAFETY: the structure is ours for the call.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The moment on the clock of ``uptime`` at which a timeout that begins now is over. A timeout that is
    /// negative or not a number is over at once.
    package static func deadline(after timeout: Double) -> Double {
        uptime + (timeout.isNaN ? 0 : max(timeout, 0))
    }
}
