// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A folder of a test's own, removed with it.
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

    /// The path of a file in the folder.
    public func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// The names in the folder, sorted.
    public var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? []
    }
}
