// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import SystemFiles

/// A database file to be read without leaving a trace beside it.
///
/// SQLite keeps what is not in the file yet in `NAME-wal`, and what an interrupted change has to undo
/// in `NAME-journal`; to read them it writes. Where there is one that is not empty, and for standard
/// input, a copy is read instead.
struct DatabaseCopy {
    /// The file to be opened.
    let path: String
    /// Whether it is a copy, to be removed.
    let isCopy: Bool
    /// How many bytes the file and its journals have.
    let size: Int

    private static let companions = ["-wal", "-journal"]

    init(_ path: String, limits: ParsingLimits) throws(Failure) {
        do {
            let journals = path == FileAccess.standardInput ? [] : Self.journals(of: path)
            let isRegular = try Self.isRegular(path)
            guard isRegular && journals.isEmpty else {
                (self.path, size) = try Self.copy(path, journals, limit: limits.inputSize)
                isCopy = true
                return
            }
            let file = try FileDescriptor.open(path)
            file.close()
            self.path = path
            size = try FileMode(of: path).size
            isCopy = false
        } catch {
            throw Failure(.invalid, "\(TerminalText.escaped(path)): \(error.message)")
        }
    }

    /// Removes the copy.
    func remove() {
        guard isCopy else { return }
        for name in [""] + Self.companions + ["-shm"] { _ = try? removeFile(path + name) }
    }

    private static func isRegular(_ path: String) throws(SystemError) -> Bool {
        if path == FileAccess.standardInput { return false }
        let mode = try FileMode(of: path)
        if mode.isDirectory { throw SystemError(message: "is a directory") }
        return mode.isRegular
    }

    private static func journals(of path: String) -> [String] {
        companions.filter { name in
            (try? FileMode(of: path + name)).map { $0.isRegular && $0.size > 0 } ?? false
        }
    }

    private static func copy(
        _ path: String, _ journals: [String], limit: Int
    ) throws(SystemError) -> (path: String, size: Int) {
        let bytes = try FileAccess.read(path, limit: limit)
        if bytes.count > limit {
            throw SystemError(message: "has more than \(limit) bytes, which --limits allows")
        }
        let folder = Environment["TMPDIR"] ?? "/tmp"
        let (file, name) = try FileDescriptor.createTemporary(folder + "/keyed-")
        defer { file.close() }
        var size = bytes.count
        do {
            try file.write(bytes)
            for journal in journals {
                let bytes = try FileAccess.read(path + journal, limit: limit)
                size += bytes.count
                try FileAccess.create(name + journal, with: bytes, mode: 0o600)
            }
        } catch {
            for journal in [""] + journals { _ = try? removeFile(name + journal) }
            throw error
        }
        return (name, size)
    }
}
