// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A failed system call: what the system says about it.
struct SystemError: Error {
    let message: String

    /// The error of the call that failed last on this thread.
    static var last: SystemError {
        // SAFETY: `strerror` returns a NUL-terminated text that is copied at once.
        SystemError(message: unsafe String(cString: strerror(errno)))
    }
}

/// A number with six places after the point, as C's `%f`.
func fixedPointText(_ value: Double) -> String {
    // The largest has 309 digits before the point.
    var buffer = [CChar](repeating: 0, count: 512)
    // SAFETY: the function writes at most the number of characters passed, and ends them with NUL.
    _ = unsafe withVaList([value]) { unsafe vsnprintf(&buffer, buffer.count, "%f", $0) }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Ends the process.
func leave(_ status: ExitStatus) -> Never { exit(status.rawValue) }

/// Standard output or standard error.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    var isTerminal: Bool { isatty(rawValue) != 0 }

    /// Writes all of `bytes`. Where the reader has gone there is nobody to tell, and the process
    /// ends; where the disk is full it says so and ends as a failure.
    func write(_ bytes: [UInt8]) {
        do {
            try FileDescriptor(rawValue: rawValue).write(bytes)
        } catch {
            if self == .output {
                StandardStream.error.write(Array("keyed: standard output: \(error.message)\n".utf8))
            }
            leave(.invalid)
        }
    }
}

/// An open file.
struct FileDescriptor {
    let rawValue: Int32

    static let standardInput = FileDescriptor(rawValue: 0)

    /// Opens a file for reading.
    static func open(_ path: String) throws(SystemError) -> FileDescriptor {
        try open(path, O_RDONLY)
    }

    /// Opens a file for writing, as it is.
    static func openForWriting(_ path: String) throws(SystemError) -> FileDescriptor {
        try open(path, O_WRONLY)
    }

    private static func open(_ path: String, _ flags: Int32) throws(SystemError) -> FileDescriptor {
        let descriptor = openDescriptor(path, flags | O_CLOEXEC)
        if descriptor < 0 { throw SystemError.last }
        return FileDescriptor(rawValue: descriptor)
    }

    func close() { _ = closeDescriptor(rawValue) }

    /// Everything up to the end, at most `limit` bytes and one more.
    func readAll(limit: Int) throws(SystemError) -> [UInt8] {
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while result.count <= limit {
            // SAFETY: the buffer belongs to the array and has the size passed.
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe read(rawValue, buffer.baseAddress, buffer.count)
            }
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError.last
            }
            result.append(contentsOf: chunk[..<count])
        }
        return result
    }

    /// Writes all of `bytes`.
    func write(_ bytes: [UInt8]) throws(SystemError) {
        var start = 0
        while start < bytes.count {
            // SAFETY: the buffer belongs to the array; the part passed lies within it.
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
                return unsafe writeDescriptor(rawValue, rest)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError.last
            }
            start += count
        }
    }
}

// The system's functions under names that a method of the same name does not hide.

private func openDescriptor(_ path: String, _ flags: Int32) -> Int32 {
    // SAFETY: Swift passes the path as a NUL-terminated text for the length of the call.
    unsafe open(path, flags)
}

private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

@unsafe private func writeDescriptor(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

/// A file's place after all symbolic links.
func resolved(_ path: String) throws(SystemError) -> String {
    // SAFETY: `realpath` returns memory of its own or NULL; it is copied and freed once.
    guard let result = unsafe realpath(path, nil) else { throw SystemError.last }
    defer { unsafe free(result) }
    return unsafe String(cString: result)
}

/// Who may do what with a file, and whose it is.
struct FileMode {
    let mode: mode_t
    let owner: uid_t
    let group: gid_t
    let isDirectory: Bool
    let isRegular: Bool

    init(of path: String) throws(SystemError) {
        var status = stat()
        // SAFETY: the path is NUL-terminated and the structure is ours, both for the call.
        if unsafe stat(path, &status) != 0 { throw SystemError.last }
        mode = status.st_mode & 0o7777
        owner = status.st_uid
        group = status.st_gid
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }

    /// The mode of a file that is to be replaced; nil where there is none. A symbolic link to nothing
    /// is an error, for what is to be replaced then is not known.
    static func existing(at path: String) throws(SystemError) -> FileMode? {
        do { return try FileMode(of: path) } catch {
            var status = stat()
            // SAFETY: the path is NUL-terminated and the structure is ours, both for the call.
            if unsafe lstat(path, &status) == 0 {
                throw SystemError(message: "is a symbolic link that leads to no file")
            }
            return nil
        }
    }

    /// Gives an open file the same mode and, where the process may, the same owner.
    func apply(to file: FileDescriptor) throws(SystemError) {
        // Changing the owner is the superuser's right; without it the file is the caller's.
        _ = fchown(file.rawValue, owner, group)
        if fchmod(file.rawValue, mode) != 0 { throw SystemError.last }
    }
}

/// The mode that a new file gets from the process.
func defaultMode() -> mode_t {
    let mask = umask(0)
    _ = umask(mask)
    return 0o666 & ~mask
}

extension FileDescriptor {
    /// Creates a file with an unused name that begins with `prefix`.
    static func createTemporary(_ prefix: String) throws(SystemError) -> (FileDescriptor, String) {
        var name = Array((prefix + "XXXXXX").utf8CString)
        // SAFETY: `mkstemp` changes the six last characters of a NUL-terminated text of ours.
        let descriptor = unsafe name.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe mkstemp($0) } ?? -1
        }
        if descriptor < 0 { throw SystemError.last }
        let path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        return (FileDescriptor(rawValue: descriptor), path)
    }

    /// Waits until the file is on the disk.
    func synchronize() throws(SystemError) {
        if fsync(rawValue) != 0 { throw SystemError.last }
    }

    func setMode(_ mode: mode_t) throws(SystemError) {
        if fchmod(rawValue, mode) != 0 { throw SystemError.last }
    }
}

/// Puts the file `source` in the place of `target` in one step.
func moveFile(_ source: String, to target: String) throws(SystemError) {
    // SAFETY: both paths are NUL-terminated texts for the length of the call.
    if unsafe rename(source, target) != 0 { throw SystemError.last }
}

/// Removes a file, if it is there.
func removeFile(_ path: String) {
    // SAFETY: the path is a NUL-terminated text for the length of the call.
    _ = unsafe unlink(path)
}
