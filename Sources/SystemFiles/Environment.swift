// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

/// The environment of the process: variables, standard error, and a clock.
package enum Environment {
    /// The value of an environment variable, or nil if it is not set.
    package static subscript(name: String) -> String? {
        // SAFETY: the name is NUL-terminated for the call. The value is copied before the call
        // returns, and nothing in the package changes variables.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// The index of the first argument of the process that is not UTF-8, or nil if there is none.
    /// Swift's own array of arguments has U+FFFD in place of invalid bytes.
    package static var firstInvalidArgument: Int? {
        // SAFETY: the system's array has `argc` NUL-terminated arguments, which nothing changes.
        (0..<Int(CommandLine.argc)).first { index in
            unsafe CommandLine.unsafeArgv[index].map {
                unsafe String(validatingCString: $0) == nil
            } ?? false
        }
    }

    /// Registers a function to be called when the process exits by calling `exit` or by returning
    /// from `main`. It is not called when the process is killed, crashes, or calls `_exit`.
    package static func onExit(_ body: @escaping @convention(c) () -> Void) { _ = atexit(body) }

    /// The process identifier. A forked child has a different one.
    package static var processIdentifier: Int32 { getpid() }

    /// Writes a line to standard error if it is writable. Writing to a pipe without a reader would
    /// terminate the process.
    package static func log(_ line: String) {
        let output = FileDescriptor(rawValue: 2)
        guard output.isWritable else { return }
        try? output.write(Array("\(line)\n".utf8))
    }

    /// Suspends the calling thread. The time must be less than a second.
    package static func sleep(microseconds: UInt32) { _ = usleep(microseconds) }

    /// The seconds on a monotonic clock, which no change of the system time affects. The clock
    /// started at an unspecified moment before the process did.
    package static var uptime: Double {
        var time = timespec()
        // SAFETY: the structure is ours for the call.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns the time on the clock of ``uptime`` at which a timeout that begins now expires. A
    /// timeout that is negative or not a number expires immediately.
    package static func deadline(after timeout: Double) -> Double {
        uptime + (timeout.isNaN ? 0 : max(timeout, 0))
    }
}
