// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

/// The error of a failed system call, or an error that this module reports itself.
package struct SystemError: Error {
    /// The error number of the system, a negative number that only this module uses, or 0 if the
    /// error has only a message.
    package let number: Int32
    package let message: String
    /// The suggested fix, for some of the errors that this module reports itself.
    package let recovery: String?

    package init(message: String, recovery: String? = nil) {
        number = 0
        self.message = message
        self.recovery = recovery
    }

    private init(number: Int32) {
        self.number = number
        // SAFETY: `strerror` returns a NUL-terminated string, which is copied immediately.
        message = unsafe String(cString: strerror(number))
        recovery = nil
    }

    private init(number: Int32, message: String, recovery: String? = nil) {
        self.number = number
        self.message = message
        self.recovery = recovery
    }

    /// Returns this error with a suggested fix.
    package func suggesting(_ recovery: String?) -> SystemError {
        SystemError(number: number, message: message, recovery: recovery)
    }

    package static let isDirectory = SystemError(
        number: noFile, message: "expected a file, found a directory")
    static let notFolder = SystemError(number: noFolder, message: "expected a folder, found a file")

    // Error numbers that the system does not use.
    private static let invalidName: Int32 = -1
    private static let noFolder: Int32 = -2
    private static let locked: Int32 = -3
    private static let noFile: Int32 = -4
    private static let largeFile: Int32 = -5

    /// The error for a name that the system would truncate at a NUL.
    static let nulInName = SystemError(
        number: invalidName,
        message: "the name contains a NUL character, which file names cannot have")

    /// Returns the error for a file that is not a regular file.
    package static func notRegular(_ mode: FileMode) -> SystemError {
        let kind =
            switch mode.kind {
            case .regular: "file"
            case .directory: "directory"
            case .symbolicLink: "symbolic link"
            case .pipe: "pipe"
            case .socket: "socket"
            case .device: "device"
            }
        return SystemError(message: "expected a regular file, found a \(kind)")
    }

    /// Returns the error for a file of more than `limit` bytes.
    static func tooLarge(_ mode: FileMode, limit: Int) -> SystemError {
        SystemError(
            number: largeFile, message: "expected at most \(limit) bytes, found \(mode.size)")
    }

    /// A Boolean value indicating whether the file has more bytes than the caller accepts.
    package var isTooLarge: Bool { number == Self.largeFile }

    /// The error for a name that is taken.
    static let existing = SystemError(number: EEXIST)

    /// Returns the error for a lock that another program held for too long.
    static func timeout(_ details: String) -> SystemError {
        SystemError(
            number: locked,
            message: "the file has been locked by another program for too long\(details)")
    }

    /// The error for a file that is gone.
    static let missing = SystemError(number: ENOENT)

    /// Returns an error with an explanation, followed by the system's message. The result has no
    /// error number, so all properties such as ``isOutOfSpace`` are false.
    func explained(_ text: String) -> SystemError {
        SystemError(message: "\(text): \(message)")
    }

    /// The error for a symbolic link in place of a file.
    static let notFollowed = SystemError(
        number: ELOOP, message: "the file is a symbolic link, which is not followed")

    /// This error, or ``notFollowed`` if a symbolic link caused it.
    var aboutLink: SystemError {
        isLink ? SystemError.notFollowed : self
    }

    /// The error of the call that failed last on this thread.
    package static var last: SystemError { SystemError(number: errno) }

    /// There is no such file or folder.
    package var isMissing: Bool { number == ENOENT || number == ENOTDIR }
    /// There is a directory in place of a file, or a file in place of a directory.
    package var isWrongKind: Bool { number == Self.noFile || number == Self.noFolder }
    /// There is a file of that name already.
    package var isExisting: Bool { number == EEXIST }
    /// A signal interrupted the call, which should be repeated.
    var isInterruption: Bool { number == EINTR }
    /// There is nothing to read yet, or no room for more bytes.
    var isNotReady: Bool { number == EAGAIN || number == EWOULDBLOCK }
    /// A pipe has no reader, a device does not exist, or the file is a socket.
    var hasNoReader: Bool { number == ENXIO }
    /// The user lacks permission.
    package var isDenied: Bool { number == EACCES }
    /// The device failed to read or write.
    var isDeviceFailure: Bool { number == EIO }
    /// The file system is read-only.
    var isReadOnly: Bool { number == EROFS }
    /// The file lacks this extended attribute, or the file system does not support such attributes.
    var isWithoutAttribute: Bool {
        [ENOTSUP, EOPNOTSUPP, ENOSYS, Self.noAttribute].contains(number)
    }
    /// The name is not valid for a file.
    package var isInvalidName: Bool { number == Self.invalidName }
    /// There is a file, or a symbolic link that is not followed, in place of a folder.
    package var isNotFolder: Bool { number == Self.noFolder || isLink }
    /// There is a symbolic link that is not followed.
    package var isLink: Bool { number == ELOOP || number == EMLINK }
    /// A lock was not released in time.
    package var isTimeout: Bool { number == Self.locked }
    /// The file system does not support the operation.
    var isUnsupported: Bool { [EINVAL, EOPNOTSUPP, ENOTSUP, ENOSYS].contains(number) }
    /// The file system or the environment of the process may lack an optional feature.
    var isMissingFeature: Bool {
        isUnsupported || [EPERM, EXDEV, ENOENT, EROFS].contains(number)
    }
    #if canImport(Darwin)
    private static let noAttribute = ENOATTR
    #else
    private static let noAttribute = ENODATA
    #endif

    /// Whether the disk or the user's quota is full, or the file would exceed the maximum size.
    package var isOutOfSpace: Bool { number == ENOSPC || number == EDQUOT || number == EFBIG }
}
