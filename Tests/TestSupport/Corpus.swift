// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Files to test with: the repository's own, and a larger collection that need not be there.
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

    /// The external collection: the folder that `KEYED_CORPUS` names, or the one beside the
    /// repository; nil where there is none.
    public static let external: URL? = {
        let named = ProcessInfo.processInfo.environment["KEYED_CORPUS"]
        let folder =
            named.map { URL(fileURLWithPath: $0) }
            ?? repository.deletingLastPathComponent().appendingPathComponent("shared/fixtures")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// Whether there is an external collection.
    public static var hasExternal: Bool { external != nil }

    /// The files in `folder` and below, by name.
    ///
    /// `suffix` says how their names end.
    public static func files(in folder: URL, suffix: String = "") -> [File] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap {
            $0 as? String
        }
        return (names ?? []).filter { $0.hasSuffix(suffix) }.sorted().compactMap { name in
            // A folder cannot be read, and drops out.
            let data = try? Data(contentsOf: folder.appendingPathComponent(name))
            guard let data else { return nil }
            return File(name: name, bytes: Array(data))
        }
    }

    /// The files in a folder of `Fixtures`.
    public static func fixtures(_ folder: String, suffix: String = "") -> [File] {
        files(in: fixtures.appendingPathComponent(folder), suffix: suffix)
    }

    /// The files in a folder of the external collection; none where it is absent.
    public static func external(_ folder: String) -> [File] {
        external.map { files(in: $0.appendingPathComponent(folder)) } ?? []
    }
}
