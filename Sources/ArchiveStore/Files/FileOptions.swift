// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList
internal import SystemFiles

/// The options for writing files.
///
/// Files are always replaced atomically: a temporary file in the same folder is filled, flushed to
/// disk, and renamed. A program that opens the file during the replacement, or after a power
/// failure, finds the old contents or the new.
///
/// A replaced file keeps its mode and its owner. A symbolic link at the path stays, and its target
/// is replaced. On Linux the file also keeps its POSIX access control list and the extended
/// attributes `user.*`. If the owner, the group or the list cannot be kept, no other user gains
/// rights. Devices and pipes are neither written nor read.
public struct FileOptions: Sendable, Hashable {
    /// The format of property lists. The files of `PropertyListDictionary`, `PropertyListArray` and
    /// ``Preferences`` are binary or XML, because the other formats lose kinds of values. Archives
    /// may have any format.
    public var format: PropertyListFormat
    /// A Boolean value indicating whether a new file can be read and written only by its owner:
    /// mode `0600`.
    public var isPrivate: Bool

    /// Creates options. The defaults are those of `NSKeyedArchiver`: the binary format and the
    /// default mode.
    public init(format: PropertyListFormat = .binary, isPrivate: Bool = false) {
        self.format = format
        self.isPrivate = isPrivate
    }

    /// Checks that the format can hold all values of a property list.
    ///
    /// - Throws: `misuse`.
    func requireLosslessFormat() throws(StoreError) {
        if format == .binary || format == .xml { return }
        throw StoreError(
            .misuse, what: "expected the format binary or XML, found \(format)",
            recovery: "`PropertyListDocument.serialized(as:)` writes other formats")
    }
}

/// Functions that read and write whole files, with the errors of this module.
enum WholeFile {
    /// - Throws: `fileMissing`, `fileAccess`.
    static func read(_ path: String, limits: ParsingLimits) throws(StoreError) -> [UInt8] {
        do { return try read(FilePlace(path), limits: limits) } catch {
            throw StoreError(error, file: path)
        }
    }

    static func read(_ place: FilePlace, limits: ParsingLimits) throws(SystemError) -> [UInt8] {
        do { return try FileAccess.readRegularFile(place, limit: limits.inputSize).bytes } catch {
            throw error.isTooLarge ? error.suggesting(limits.sizeRecovery?.text) : error
        }
    }

    /// - Throws: `outOfSpace`, `fileAccess`.
    static func replace(
        _ path: String, with bytes: [UInt8], isPrivate: Bool
    ) throws(StoreError) {
        do { try replace(FilePlace(path), with: bytes, isPrivate: isPrivate) } catch {
            throw StoreError(error, file: path)
        }
    }

    /// Replaces a file that was read before, or creates the file if it was missing then.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - known: The mode of the file when it was read, or nil if there was no file.
    ///   - bytes: The new contents.
    ///   - isPrivate: A Boolean value indicating whether only its owner can read and write a new
    ///     file.
    ///   - lock: A function that takes the lock to hold while an existing file is checked and
    ///     replaced.
    /// - Returns: true if the file was unchanged and has been replaced or created; false if it has
    ///   changed and nothing was written.
    /// - Throws: `outOfSpace`, `fileAccess`.
    static func replace(
        _ path: String, ifStill known: FileMode?, with bytes: [UInt8], isPrivate: Bool,
        lock: () -> FileLock?
    ) throws(StoreError) -> Bool {
        do throws(SystemError) {
            if let known {
                try FileAccess.replace(
                    FilePlace(path), ifUnchangedSince: known, with: bytes, lock: lock)
            } else {
                let mode = isPrivate ? FileMode.ownerOnly : nil
                try FileAccess.create(path, with: bytes, mode: mode)
            }
            return true
        } catch {
            if error.isExisting { return false }
            throw StoreError(error, file: path)
        }
    }

    static func replace(
        _ place: FilePlace, with bytes: [UInt8], isPrivate: Bool
    ) throws(SystemError) {
        try FileAccess.replace(
            place, with: bytes, newFileMode: isPrivate ? FileMode.ownerOnly : nil,
            specialFiles: .refused)
    }
}
