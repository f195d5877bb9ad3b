// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList
internal import SystemFiles

/// How files are written.
///
/// Always in one step: a temporary file in the same folder is filled, flushed to the disk and given the
/// name. Whoever opens the file meanwhile, or after a power cut, finds the old contents or the new. The
/// mode and the owner of a file that is replaced stay, and so do symbolic links. Devices and pipes are
/// neither written nor read.
public struct FileOptions: Sendable, Hashable {
    /// The format of property lists.
    public var format: PropertyListFormat
    /// Whether a file that is new can be read and written by its owner alone: mode `0600`.
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
        do {
            return try FileAccess.readRegularFile(path, limit: limits.inputSize).bytes
        } catch {
            throw StoreError(error, file: path)
        }
    }

    /// - Throws: `outOfSpace`, `fileAccess`; where the file must be new and is not, an error that
    ///   `isExistingFile`.
    static func replace(
        _ path: String, with bytes: [UInt8], isPrivate: Bool, mustBeNew: Bool = false
    ) throws(StoreError) {
        let mode = isPrivate ? FileMode.ownerOnly : nil
        do {
            if mustBeNew { return try FileAccess.create(path, with: bytes, mode: mode) }
            try FileAccess.replace(
                path, with: bytes, newFileMode: mode, specialFiles: .refused)
        } catch {
            throw StoreError(error, file: path)
        }
    }
}
