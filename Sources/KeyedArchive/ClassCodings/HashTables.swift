// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

// | class | fields |
// |---|---|
// | `NSHashTable` | unkeyed values: an integer, then the elements, then nil |
//
// Source: another implementation's interpretation of an archive that Apple's software wrote. The
// meaning of the integer is not certain.

extension ClassRegistry {
    static let hashTableClasses = ClassRegistry(ArchivedHashTable.self)
}

/// An `NSHashTable`.
public struct ArchivedHashTable {
    /// The integer before the elements, presumably the options.
    public var options: Int
    /// The elements, in the order of the archive.
    public var elements: [AnyArchived]

    /// Creates a table of elements, which must be distinct.
    public init(options: Int, elements: [AnyArchived]) {
        self.options = options
        self.elements = elements
    }
}

extension ArchivedHashTable: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSHashTable" }

    public func encode(with coder: KeyedEncoder) {
        coder.encodeUnkeyed(ArchivedNumber.integer(PropertyListInteger(options)))
        for element in elements { coder.encodeUnkeyed(element) }
        coder.encodeUnkeyed(AnyArchived?.none)
    }

    /// Reads the elements up to nil.
    ///
    /// - Throws: `missingValue` if there is no nil after the elements.
    public init(coder: KeyedDecoder) throws {
        options = try coder.decodeUnkeyed()
        elements = []
        while let reference = coder.nextUnkeyed() {
            if reference.isNil { return }
            try coder.reader.chargeElement(reference)
            elements.append(try AnyArchived.unarchive(reference))
        }
        throw KeyedArchiveError.missing(
            "expected nil after \(elements.count) elements, found the end of the values", coder.uid)
    }
}
