// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// A type that is archived as an `NSString`.
public protocol ArchivedStringConvertible: KeyedCodable {
    /// Creates a value from its text; nil if the text is not valid for the type.
    init?(archivedString text: String)

    /// The value as text.
    var archivedString: String { get }
}

extension ArchivedStringConvertible {
    public static var archivedClass: ArchivedClass { String.archivedClass }
    public static var archivedAliases: [String] { String.archivedAliases }

    public static func register(in registry: inout ClassRegistry) {
        String.register(in: &registry)
    }

    public func encode(with coder: KeyedEncoder) {
        archivedString.encode(with: coder)
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try archivedString.archive(in: writer)
    }

    /// Reads the text.
    ///
    /// - Throws: `valueOutOfRange` for text that is not valid for the type.
    public init(coder: KeyedDecoder) throws {
        let text = try coder.reader.chargingRepeatedTexts { try String(coder: coder) }
        self = try Self.value(of: text, coder.uid)
    }

    public static func unarchive(_ reference: KeyedReference) throws -> Self {
        let text = try reference.reader.chargingRepeatedTexts { try String.unarchive(reference) }
        return try value(of: text, reference.object)
    }

    private static func value(of text: String, _ object: PropertyListUID?) throws -> Self {
        if let value = Self(archivedString: text) { return value }
        throw KeyedArchiveError(
            .valueOutOfRange,
            what: "expected text that represents \(Self.self), found other text of "
                + "\(text.utf8.count) bytes",
            object: object)
    }
}
