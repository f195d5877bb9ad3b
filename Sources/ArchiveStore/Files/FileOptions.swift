// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList
internal import SystemFiles

/// The options for writing files.
///
/// Always in one step: a temporary file in the same folder is filled, flushed to the disk and given the
/// name. Whoever opens the file meanwhile, or after a power cut, finds the old contents or the new. The
/// mode and the owner of a file that is replaced stay, on Linux with the POSIX access control list and the
/// extended attributes `user.*`, and so do symbolic links. Where the owner, the group or the list cannot be
/// kept, nobody else gets more rights than before. Devices and pipes are neither written nor read.
public struct FileOptions: Sendable, Hashable {
    /// The format of property lists.
    public var format: PropertyListFormat
    /// A Boolean value that says whether a file that is new can be read and written by its owner
    /// alone: mode `0600`.
    public var isPrivate: Bool

    /// Creates options; by default those of `NSKeyedArchiver`: binary, with the usual mode.
    public init(format: PropertyListFormat = .binary, isPrivate: Bool = false) {
        self.format = format
        self.isPrivate = isPrivate
    }
}

/// Whole files, with this module's errors.
enum WholeFile {
    /// - Throws: `fileMissing`, `fileAccess`.
    static func read(_ path: String, limits: ParsingLimits) throws(StoreError) -> [UInt8] {
        do { return try read(FilePlace(path), limits: limits) } catch {
            throw StoreError(error, file: path)
        }
    }

    static func read(_ place: FilePlace, limits: ParsingLimits) throws(SystemError) -> [UInt8] {
        try FileAccess.readRegularFile(place, limit: limits.inputSize).bytes
    }

    /// - Throws: `outOfSpace`, `fileAccess`.
    static func replace(
        _ path: String, with bytes: [UInt8], isPrivate: Bool
    ) throws(StoreError) {
        do { try replace(FilePlace(path), with: bytes, isPrivate: isPrivate) } catch {
            throw StoreError(error, file: path)
        }
    }

    /// Replaces a file whose contents were read, or creates the one that was missing.
    ///
    /// `known` is the mode of the file when it was read; nil where there was none.
    ///
    /// - Returns: whether the file was still the one that is known; else nothing is written.
    /// - Throws: `outOfSpace`, `fileAccess`.
    static func replace(
        _ path: String, ifStill known: FileMode?, with bytes: [UInt8], isPrivate: Bool
    ) throws(StoreError) -> Bool {
        do throws(SystemError) {
            if let known {
                try FileAccess.replace(FilePlace(path), ifUnchangedSince: known, with: bytes)
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
