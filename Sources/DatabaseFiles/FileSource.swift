// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

package import SystemFiles

/// A regular file that is read in portions. The file is not memory-mapped, so if it shrinks, reads
/// return fewer bytes.
package final class FileSource: ByteSource {
    /// The number of bytes, clamped to the size of the largest possible database.
    package let size: Int
    private let file: FileDescriptor
    private let closesFile: Bool

    /// The size of 4,294,967,295 pages of 65,536 bytes. On 64-bit systems, a sum of a few such
    /// sizes does not overflow.
    private static let largestDatabase = Int(clamping: Int64(UInt32.max) << 16)

    /// Opens a file for reading.
    ///
    /// - Throws: A system error, or an error if the file is not a regular file.
    package init(_ path: String) throws(SystemError) {
        file = try FileDescriptor.open(path)
        closesFile = true
        do throws(SystemError) { size = try Self.size(of: file) } catch {
            file.close()
            throw error
        }
    }

    /// Creates a source for an open file, which stays open.
    package init(reading file: FileDescriptor) throws(SystemError) {
        self.file = file
        closesFile = false
        size = try Self.size(of: file)
    }

    private static func size(of file: FileDescriptor) throws(SystemError) -> Int {
        let mode = try FileMode(of: file)
        if mode.isDirectory { throw SystemError.isDirectory }
        guard mode.isRegular else { throw SystemError.notRegular(mode) }
        return min(mode.size, largestDatabase)
    }

    deinit { if closesFile { file.close() } }

    package func read(at offset: Int, count: Int) throws(DatabaseFileError) -> [UInt8] {
        // The size bounds the memory that a malformed file can request.
        guard offset >= 0, offset < size, count > 0 else { return [] }
        do {
            return try file.bytes(at: offset, count: min(count, size - offset))
        } catch {
            throw DatabaseFileError(error.message)
        }
    }
}
