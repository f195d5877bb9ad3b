// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Files to test with: the repository's own, and an optional external collection.
public enum Corpus {
    /// A file, named by its path within its folder.
    public struct File: Sendable, CustomStringConvertible {
        public let name: String
        public let bytes: [UInt8]

        public var description: String { name }
    }

    /// The root of the repository.
    public static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The repository's `Fixtures`.
    public static let fixtures = repository.appendingPathComponent("Fixtures")

    /// The folder of the external collection, which `KEYED_CORPUS` names or which is beside the
    /// repository; nil if there is none.
    public static let external: URL? = {
        let named = ProcessInfo.processInfo.environment["KEYED_CORPUS"]
        let folder =
            named.map { URL(fileURLWithPath: $0) }
            ?? repository.deletingLastPathComponent().appendingPathComponent("shared/fixtures")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// Whether the external collection exists.
    public static var hasExternal: Bool { external != nil }

    /// Returns the files in `folder` and below, sorted by name.
    ///
    /// `suffix` selects files by the end of their names.
    public static func files(in folder: URL, suffix: String = "") -> [File] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap {
            $0 as? String
        }
        return (names ?? []).filter { $0.hasSuffix(suffix) }.sorted().compactMap { name in
            // Reading fails for a folder, which is skipped.
            let data = try? Data(contentsOf: folder.appendingPathComponent(name))
            guard let data else { return nil }
            return File(name: name, bytes: Array(data))
        }
    }

    /// Returns the files in a folder of `Fixtures`.
    public static func fixtures(_ folder: String, suffix: String = "") -> [File] {
        files(in: fixtures.appendingPathComponent(folder), suffix: suffix)
    }

    /// Returns the files in a folder of the external collection; none if the folder is missing.
    public static func external(_ folder: String) -> [File] {
        external.map { files(in: $0.appendingPathComponent(folder)) } ?? []
    }
}
