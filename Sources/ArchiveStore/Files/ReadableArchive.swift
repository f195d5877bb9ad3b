// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import KeyedArchive
internal import PropertyList

/// Archives that are read again before they replace others.
enum ReadableArchive {
    /// Reads an archive. Its errors name the file or the item that it is from.
    static func named<Value>(_ source: @autoclosure () -> String, _ read: () throws -> Value) throws
        -> Value
    {
        do { return try read() } catch let error as KeyedArchiveError {
            throw error.of(source: source())
        }
    }

    /// Returns a root as an archive that can be read within the limits it was written with.
    ///
    /// Equal values are archived once, so a small archive may expand to more than the limits allow. A
    /// root of a type that can only be encoded is checked as far as that takes no type.
    ///
    /// - Throws: what archiving throws, or what reading the archive would throw.
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
