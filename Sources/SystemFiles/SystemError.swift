// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A failed system call: what the system says about it.
package struct SystemError: Error {
    /// The system's number of the error; 0 for an error of our own.
    package let number: Int32
    package let message: String

    package init(message: String) {
        number = 0
        self.message = message
    }

    private init(number: Int32) {
        self.number = number
        // SAFETY: `strerror` returns a NUL-terminated text that is copied at once.
        message = unsafe String(cString: strerror(number))
    }

    /// What is no file with contents of its own.
    package static let notRegular = SystemError(
        message: "is no regular file, but a device or a pipe")

    /// The error of the call that failed last on this thread.
    package static var last: SystemError { SystemError(number: errno) }

    /// There is no such file or folder.
    package var isMissing: Bool { number == ENOENT || number == ENOTDIR }
    /// There is a file of that name already.
    package var isExisting: Bool { number == EEXIST }
    /// A signal came between; the call is to be made again.
    package var isInterruption: Bool { number == EINTR }
    /// The disk or the user's share of it is full.
    package var isOutOfSpace: Bool { number == ENOSPC || number == EDQUOT || number == EFBIG }
}
