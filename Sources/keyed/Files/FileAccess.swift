// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// Reading and replacing whole files.
enum FileAccess {
    static let standardInput = "-"

    /// Everything in a file, or in standard input for `-`.
    static func read(_ path: String, limits: ParsingLimits) throws(SystemError) -> [UInt8] {
        if path == standardInput {
            return try FileDescriptor.standardInput.readAll(limit: limits.inputSize)
        }
        if try FileMode(of: path).isDirectory { throw SystemError(message: "is a directory") }
        let file = try FileDescriptor.open(path)
        defer { file.close() }
        return try file.readAll(limit: limits.inputSize)
    }

    /// Replaces a file in one step: whoever opens it sees the old contents or the new, and a failure
    /// leaves the old. Mode, owner and symbolic links stay; a new file gets the usual mode.
    static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let existing = try FileMode.existing(at: path)
        if let existing, existing.isDirectory { throw SystemError(message: "is a directory") }
        if let existing, !existing.isRegular { return try writeThrough(path, bytes) }
        let target = existing == nil ? path : try resolved(path)
        let (file, temporary) = try FileDescriptor.createTemporary(temporaryPrefix(for: target))
        do {
            try fill(file, bytes, existing)
            try moveFile(temporary, to: target)
        } catch {
            removeFile(temporary)
            throw error
        }
        synchronizeFolder(of: target)
    }

    private static func fill(
        _ file: FileDescriptor, _ bytes: [UInt8], _ existing: FileMode?
    ) throws(SystemError) {
        defer { file.close() }
        try file.write(bytes)
        if let existing { try existing.apply(to: file) } else { try file.setMode(defaultMode()) }
        try file.synchronize()
    }

    /// A device or a pipe has nothing to replace.
    private static func writeThrough(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
        let file = try FileDescriptor.openForWriting(path)
        defer { file.close() }
        try file.write(bytes)
    }

    /// In the same folder, so that moving the file is one step.
    private static func temporaryPrefix(for path: String) -> String {
        (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + ".keyed-"
    }

    /// Makes the new name durable; without it the file is whole all the same.
    private static func synchronizeFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard let descriptor = try? FileDescriptor.open(folder) else { return }
        try? descriptor.synchronize()
        descriptor.close()
    }
}
