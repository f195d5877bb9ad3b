// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) internal import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// | class | fields |
// |---|---|
// | `NSDate` | `NS.time`: real, seconds since 2001-01-01 00:00 UTC |
// | `NSUUID` | `NS.uuidbytes`: 16 bytes, stored inline |
// | `NSURL` | `NS.base`: an NSURL or nil; `NS.relative`: a string |
// | `NSNull` | none |
//
// Source: archives that Apple's software wrote. GNUstep stores a date as a plain date in
// `$objects`, which is read too.

extension Date: KeyedCodable {
    public static var archivedClass: ArchivedClass { ArchivedClass(FoundationClass.date) }

    public func encode(with coder: KeyedEncoder) {
        coder.encode(timeIntervalSinceReferenceDate, forKey: FoundationField.time)
    }

    public init(coder: KeyedDecoder) throws {
        self.init(
            timeIntervalSinceReferenceDate: try coder.decodeDouble(forKey: FoundationField.time))
    }

    public static func unarchive(_ reference: KeyedReference) throws -> Date {
        guard let node = try reference.leaf() else { return try reference.object(as: Date.self) }
        guard let date = reference.reader.table.view(node).date else {
            throw reference.reader.wrongType(reference, expected: "Date")
        }
        return Date(timeIntervalSinceReferenceDate: date.secondsSince2001)
    }
}

extension UUID: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSUUID" }

    public func encode(with coder: KeyedEncoder) {
        let u = uuid
        let bytes = [
            u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
        ]
        coder.encodeBytes(bytes, forKey: FoundationField.uuidBytes)
    }

    public init(coder: KeyedDecoder) throws {
        let bytes = try coder.decodeBytes(forKey: FoundationField.uuidBytes)
        guard bytes.count == 16 else {
            throw KeyedArchiveError(
                .valueOutOfRange, what: "expected 16 bytes of a UUID, found \(bytes.count)",
                object: coder.uid)
        }
        let b = Array(bytes)
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
                b[13], b[14], b[15]
            ))
    }
}

extension URL: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSURL" }

    public static func register(in registry: inout ClassRegistry) {
        String.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) {
        coder.encode(baseURL, forKey: FoundationField.base)
        coder.encode(relativeString, forKey: FoundationField.relative)
    }

    /// Reads the URL from its text. Nothing is resolved or looked up.
    ///
    /// - Throws: `valueOutOfRange` for text that is not a valid URL.
    public init(coder: KeyedDecoder) throws {
        let base = try coder.decode(URL?.self, forKey: FoundationField.base)
        let text = try coder.reader.chargingRepeatedTexts {
            try coder.decode(String.self, forKey: FoundationField.relative)
        }
        // A URL keeps the text of its base, together with that of the base's own base.
        if let base { try coder.reader.chargeCopy(of: base.absoluteString.utf8.count) }
        guard let url = URL(string: text, relativeTo: base), url.relativeString.isLiterally(text)
        else {
            throw KeyedArchiveError(
                .valueOutOfRange, what: "`NS.relative` is not a valid URL", object: coder.uid)
        }
        self = url
    }
}

/// An `NSNull`, which represents nil in arrays and dictionaries.
public struct ArchivedNull: KeyedCodable, Sendable, Hashable {
    public static var archivedClass: ArchivedClass { ArchivedClass(FoundationClass.null) }

    /// Creates the only value.
    public init() {}

    public func encode(with coder: KeyedEncoder) {}
    public init(coder: KeyedDecoder) throws {}
}
