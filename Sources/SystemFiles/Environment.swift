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

    /// Calls a function when the process ends by `exit` or by the end of `main`. It is not called when the process
    /// is killed or crashes, nor by `_exit`.
    package static func onExit(_ body: @escaping @convention(c) () -> Void) { _ = atexit(body) }

    /// The number of the process. A child that was forked off has another one.
    package static var processNumber: Int32 { getpid() }

    /// Writes a line to standard error, if something takes it. A pipe that nobody reads from would end the process.
    package static func log(_ line: String) {
        let output = FileDescriptor(rawValue: 2)
        guard output.isWritable else { return }
        try? output.write(Array("\(line)\n".utf8))
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
