// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A temporary folder that is removed with this object.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        path =
            FileManager.default.temporaryDirectory.appending(path: "keyed-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public var url: URL { URL(filePath: path) }

    /// Returns the path of a file in the folder.
    public func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// The names in the folder, sorted.
    public var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? []
    }
}

/// Files with a given mode.
extension TemporaryFolder {
    /// Creates a file with the text "old" and the given mode.
    public func write(_ name: String, mode: mode_t) throws {
        try Data("old".utf8).write(to: URL(filePath: self(name)))
        guard unsafe chmod(self(name), mode) == 0 else { throw Self.lastError }
    }

    /// Returns the mode of a file, without the bits for the kind of file.
    public func mode(of name: String) throws -> mode_t { try status(of: name).st_mode & 0o7777 }

    /// Returns the status of a file.
    public func status(of name: String) throws -> stat {
        var status = stat()
        guard unsafe stat(self(name), &status) == 0 else { throw Self.lastError }
        return status
    }

    private static var lastError: any Error { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
