// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList

/// Values of one shape, generated from a seed. The scale determines their number.
public struct Family: Sendable {
    /// The name of the shape.
    public let name: String
    /// A description of the values at scale 1, for the tables.
    public let summary: String

    let make: @Sendable (PropertyListFormat, Double) throws -> [UInt8]

    /// The revision of the generators. Increase it when one changes, so that older files are not
    /// reused.
    static let revision = 3

    func bytes(_ format: PropertyListFormat, _ scale: Double) throws -> [UInt8] {
        try make(format, scale)
    }

    /// Creates a family whose files `bytes` generates, in a single format.
    init(_ name: String, _ summary: String, bytes: @escaping @Sendable (Double) throws -> [UInt8]) {
        self.name = name
        self.summary = summary
        make = { _, scale in try bytes(scale) }
    }

    /// Creates a family of property lists.
    init(
        _ name: String, _ summary: String, seed: UInt64,
        build: @escaping @Sendable (inout DocumentBuilder, inout Random, Double) -> Void
    ) {
        self.name = name
        self.summary = summary
        make = { format, scale in
            var builder = DocumentBuilder(limits: .trusted)
            var random = Random(seed: seed)
            build(&builder, &random, scale)
            return try builder.finish().serialized(as: format)
        }
    }

    /// Creates a family of keyed archives.
    init<Root: KeyedEncodable>(
        _ name: String, _ summary: String, seed: UInt64,
        root: @escaping @Sendable (inout Random, Double) -> Root
    ) {
        self.name = name
        self.summary = summary
        make = { format, scale in
            var random = Random(seed: seed)
            return try KeyedArchiver.archive(
                root(&random, scale), allowing: Part.registry, as: format, limits: .trusted)
        }
    }

    static func count(_ usual: Int, _ scale: Double) -> Int { max(1, Int(Double(usual) * scale)) }
}

extension PropertyListDocument {
    /// Returns the document in a format, serialized by this library.
    func serialized(as format: PropertyListFormat) throws(PropertyListError) -> [UInt8] {
        guard format == .xml else {
            return try BinaryPropertyList.serialize(self, limits: .trusted)
        }
        return try XMLPropertyList.serialize(self, limits: .trusted).bytes
    }
}
