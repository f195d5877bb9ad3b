// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import KeyedArchive
internal import PropertyList

/// A function that archives values and checks that the archive can be read.
enum ReadableArchive {
    /// Archives a root and reads the archive back within the same limits.
    ///
    /// Equal values are archived once, so a small archive may expand beyond the limits. If the
    /// root's type can only be encoded, only the archive's structure is checked.
    ///
    /// - Throws: The error of archiving, or the error of reading the archive.
    static func archive<Root: KeyedEncodable>(
        _ root: Root, _ registry: ClassRegistry, _ options: FileOptions, _ limits: ParsingLimits
    ) throws -> [UInt8] {
        let bytes = try KeyedArchiver.archive(
            root, allowing: registry, as: options.format, limits: limits)
        let archive = try KeyedUnarchiver(parsing: bytes, allowing: registry, limits: limits)
        if let type = Root.self as? any KeyedDecodable.Type { _ = try archive.unarchive(type) }
        return bytes
    }
}
