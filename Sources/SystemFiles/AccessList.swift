// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

#if os(Linux)
internal import CSystemFiles
#endif

/// The POSIX access control list of a file on Linux: the rights of additional users and groups.
///
/// In the mode of a file with a list, the group bits are the list's mask, which limits the rights
/// of all groups and of the additional users. Without a list, they are the rights of the file's own
/// group.
struct AccessList {
    // The extended attribute that holds the list, in the kernel's binary form.
    private static let attribute = "system.posix_acl_access"
    // The system's limit for one attribute, in bytes.
    private static let largestSize = 1 << 16

    private let bytes: [UInt8]

    /// Reads the list of a file. The result is nil if the file has none.
    ///
    /// - Throws: An error if the file can be opened neither for reading nor for writing, or if the
    ///   list cannot be read.
    init?(of place: FilePlace) throws(SystemError) {
        #if os(Linux)
        let file = try Self.open(place)
        defer { file.close() }
        var bytes = [UInt8](repeating: 0, count: Self.largestSize)
        // SAFETY: the name ends in NUL; the buffer belongs to the array and has the size passed.
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
        // SAFETY: the name is NUL-terminated for the length of the call, and no bytes are
        // requested.
        if unsafe fgetxattr(file.rawValue, attribute, nil, 0) >= 0 { return true }
        guard SystemError.last.isWithoutAttribute else { throw SystemError.last }
        #endif
        return false
    }

    /// Returns the rights that the list gives to the file's own group, as three bits, or nil for a
    /// file without a list.
    ///
    /// The function does not open the file: closing it would release locks that SQLite holds on it
    /// in this process. It takes a path rather than a ``FilePlace``, because `getxattr` cannot
    /// begin at an open folder.
    static func rightsOfGroup(
        at path: String, followingLinks: Bool
    ) throws(SystemError) -> UInt8? {
        #if os(Linux)
        let path = try FilePlace(path).checkedPath
        var bytes = [UInt8](repeating: 0, count: largestSize)
        // SAFETY: both strings are NUL-terminated; the buffer belongs to the array and has the size
        // passed.
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe followingLinks
                ? getxattr(path, attribute, buffer.baseAddress, buffer.count)
                : lgetxattr(path, attribute, buffer.baseAddress, buffer.count)
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

    /// Returns the rights of the file's own group in a list, or no rights if the list has no entry
    /// for that group.
    ///
    /// The kernel's form is a version of 4 bytes, followed by entries of 8 bytes. An entry is the
    /// kind (2), the rights (2), and the user or group (4), all little-endian. Kind 4 is the file's
    /// own group.
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
    /// Opens a file in order to read its extended attributes.
    static func open(_ place: FilePlace) throws(SystemError) -> FileDescriptor {
        do { return try FileDescriptor.open(place, O_RDONLY) } catch  where error.isDenied {
            return try FileDescriptor.open(place, O_WRONLY)
        }
    }
    #endif

    /// Sets this list on an open file, which also changes the permission bits of the file's mode.
    ///
    /// - Returns: A Boolean value indicating whether the file now has the list.
    func apply(to file: FileDescriptor) -> Bool {
        #if os(Linux)
        // SAFETY: the name ends in NUL; the buffer belongs to the array and has the size passed.
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe fsetxattr(file.rawValue, Self.attribute, buffer.baseAddress, buffer.count, 0)
        } == 0
        #else
        false
        #endif
    }

    /// Removes the list that a new file inherited from its folder.
    static func remove(from file: FileDescriptor) throws(SystemError) {
        #if os(Linux)
        // SAFETY: the name is a NUL-terminated string for the length of the call.
        if unsafe fremovexattr(file.rawValue, attribute) == 0 { return }
        guard SystemError.last.isWithoutAttribute else { throw SystemError.last }
        #endif
    }
}
