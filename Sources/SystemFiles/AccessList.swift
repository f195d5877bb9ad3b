// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

#if os(Linux)
internal import CSystemFiles
#endif

/// The POSIX access control list of a file on Linux: the rights of further users and groups.
///
/// In the mode of a file with a list, the bits of the group are the list's mask: the most that any
/// further user or group may do. Without the list they would be rights of the file's own group.
struct AccessList {
    // An extended attribute of this name holds the list, in the kernel's form.
    private static let attribute = "system.posix_acl_access"
    // More than any file system takes.
    private static let largestSize = 1 << 16

    private let bytes: [UInt8]

    /// Reads the list of a file; nil where it has none.
    ///
    /// - Throws: where the file can be opened neither for reading nor for writing.
    init?(of place: FilePlace) throws(SystemError) {
        #if os(Linux)
        let file = try Self.open(place)
        defer { file.close() }
        var bytes = [UInt8](repeating: 0, count: Self.largestSize)
        // SAFETY: the name is NUL-terminated; the buffer belongs to the array and has the size passed.
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe fgetxattr(file.rawValue, Self.attribute, buffer.baseAddress, buffer.count)
        }
        if count < 0 {
            guard SystemError.last.isWithoutAttribute else { throw SystemError.last }
            return nil
        }
        self.bytes = Array(bytes[..<count])
        #else
        return nil
        #endif
    }

    /// Returns whether an open file has a list.
    static func exists(on file: FileDescriptor) throws(SystemError) -> Bool {
        #if os(Linux)
        // SAFETY: the name is a NUL-terminated text for the length of the call, and no bytes are asked for.
        if unsafe fgetxattr(file.rawValue, attribute, nil, 0) >= 0 { return true }
        guard SystemError.last.isWithoutAttribute else { throw SystemError.last }
        #endif
        return false
    }

    /// The list's rights of the file's own group, as three bits; nil for a file without a list.
    ///
    /// The file is not opened: closing it would release locks that SQLite has on it in this process.
    static func rightsOfGroup(at place: FilePlace) throws(SystemError) -> UInt8? {
        #if os(Linux)
        let path = try place.checkedPath
        var bytes = [UInt8](repeating: 0, count: largestSize)
        // SAFETY: both texts are NUL-terminated; the buffer belongs to the array and has the size passed.
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe getxattr(path, attribute, buffer.baseAddress, buffer.count)
        }
        if count < 0 {
            guard SystemError.last.isWithoutAttribute else { throw SystemError.last }
            return nil
        }
        return rightsOfGroup(bytes[..<count])
        #else
        return nil
        #endif
    }

    /// The rights of the file's own group in a list; none where the list does not tell.
    ///
    /// The kernel's form has a version of 4 bytes, and entries of 8: the kind (2), the rights (2), and the user or
    /// group (4). Integers are little-endian. Kind 4 is the file's own group.
    private static func rightsOfGroup(_ list: ArraySlice<UInt8>) -> UInt8 {
        var entries = list.dropFirst(4)
        while entries.count >= 8 {
            let entry = Array(entries.prefix(8))
            if entry[0] == 4, entry[1] == 0 { return entry[2] & 0o7 }
            entries = entries.dropFirst(8)
        }
        return 0
    }

    #if os(Linux)
    /// Opens a file to ask for its attributes.
    static func open(_ place: FilePlace) throws(SystemError) -> FileDescriptor {
        do { return try FileDescriptor.open(place, O_RDONLY) } catch  where error.isDenied {
            return try FileDescriptor.open(place, O_WRONLY)
        }
    }
    #endif

    /// Gives an open file this list. The bits of its mode change with it.
    ///
    /// - Returns: whether the file has the list now.
    func apply(to file: FileDescriptor) -> Bool {
        #if os(Linux)
        // SAFETY: the name is NUL-terminated; the buffer belongs to the array and has the size passed.
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe fsetxattr(file.rawValue, Self.attribute, buffer.baseAddress, buffer.count, 0)
        } == 0
        #else
        false
        #endif
    }

    /// Removes the list that a new file has from its folder.
    static func remove(from file: FileDescriptor) throws(SystemError) {
        #if os(Linux)
        // SAFETY: the name is a NUL-terminated text for the length of the call.
        if unsafe fremovexattr(file.rawValue, attribute) == 0 { return }
        guard SystemError.last.isWithoutAttribute else { throw SystemError.last }
        #endif
    }
}
