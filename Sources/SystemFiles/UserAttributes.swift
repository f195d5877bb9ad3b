// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

#if os(Linux)
internal import CSystemFiles
#endif

/// The extended attributes that users set on a file on Linux, whose names begin with `user.`.
struct UserAttributes {
    #if os(Linux)
    private static let prefix = Array("user.".utf8)
    // The system's limit in bytes, both for all names together and for one value.
    private static let largestSize = 1 << 16
    /// The maximum number of bytes kept, for all values together.
    private static let limit = 1 << 20

    private var values: [(name: [CChar], bytes: [UInt8])] = []
    #endif
    /// A Boolean value indicating whether all attributes of the file were read.
    private(set) var isComplete = true

    /// Reads the attributes of a file.
    init(of place: FilePlace) throws(SystemError) {
        #if os(Linux)
        let file = try AccessList.open(place)
        defer { file.close() }
        guard let names = Self.names(of: file) else {
            isComplete = false
            return
        }
        var size = 0
        for name in names {
            guard let bytes = Self.value(name, of: file), size + bytes.count <= Self.limit else {
                isComplete = false
                continue
            }
            size += bytes.count
            values.append((name, bytes))
        }
        #endif
    }

    /// Sets these attributes on an open file.
    ///
    /// - Returns: A Boolean value indicating whether the file now has all attributes.
    func apply(to file: FileDescriptor) -> Bool {
        #if os(Linux)
        var isWhole = isComplete
        for (name, bytes) in values {
            // SAFETY: the name ends in NUL; the buffer belongs to the array and has the size
            // passed.
            let status = unsafe bytes.withUnsafeBytes { buffer in
                unsafe fsetxattr(file.rawValue, name, buffer.baseAddress, buffer.count, 0)
            }
            if status != 0 { isWhole = false }
        }
        return isWhole
        #else
        return true
        #endif
    }

    #if os(Linux)
    /// Returns the names, each with its NUL, or nil if they cannot be listed. On a file system
    /// without attributes, the result is empty.
    private static func names(of file: FileDescriptor) -> [[CChar]]? {
        var names = [UInt8](repeating: 0, count: largestSize)
        // SAFETY: the buffer belongs to the array and has the size passed.
        let count = unsafe names.withUnsafeMutableBytes { buffer in
            unsafe flistxattr(
                file.rawValue, buffer.assumingMemoryBound(to: CChar.self).baseAddress,
                buffer.count)
        }
        if count < 0, errno != ENOTSUP { return nil }
        return names.prefix(max(count, 0)).split(separator: 0).filter { $0.starts(with: prefix) }
            .map { name in name.map { CChar(bitPattern: $0) } + [0] }
    }

    /// Returns the value of an attribute, or nil if it cannot be read.
    private static func value(_ name: [CChar], of file: FileDescriptor) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: largestSize)
        // SAFETY: the name ends in NUL; the buffer belongs to the array and has the size passed.
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe fgetxattr(file.rawValue, name, buffer.baseAddress, buffer.count)
        }
        return count < 0 ? nil : Array(bytes.prefix(count))
    }
    #endif
}
