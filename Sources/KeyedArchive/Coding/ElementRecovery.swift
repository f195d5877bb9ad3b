// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

extension KeyedDecoder {
    /// Returns the elements of an `NSArray`, calling `recovery` for each element that cannot be
    /// read.
    ///
    /// ```swift
    /// var report: [any Error] = []
    /// let pets = try coder.decodeArray(of: Pet.self, forKey: "pets") { _, error in
    ///     report.append(error)
    ///     return nil
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: the type of the elements.
    ///   - key: the key of the field.
    ///   - recovery: receives the reference to an unreadable element and its error. It returns a
    ///     replacement, such as an ``AnyArchived`` of an ``OpaqueObject`` read from the reference.
    ///     It may return nil to omit the element, or throw.
    /// - Returns: The elements, in order.
    /// - Throws: `missingValue` if there is no array; `wrongType` for another object;
    ///   `classNotAllowed` for the class of the array; the errors of `recovery`; errors for
    ///   exceeded limits, for which `recovery` is not called.
    public func decodeArray<T: KeyedDecodable>(
        of type: T.Type = T.self, forKey key: String,
        recovery: (KeyedReference, any Error) throws -> T?
    ) throws -> [T] {
        guard object == nil else { return try elements(of: key, recovery) }
        return try reader.root([[T].self]) { try elements(of: key, recovery) }
    }

    private func elements<T: KeyedDecodable>(
        of key: String, _ recovery: (KeyedReference, any Error) throws -> T?
    ) throws -> [T] {
        guard let array = reference(forKey: key) else { throw missing(key) }
        var values: [T] = []
        for (index, place) in try located(key, { try array.object(as: [Unread].self) }).enumerated()
        {
            let reference = place.reference(in: reader)
            do { values.append(try T.unarchive(reference)) } catch {
                let error = Self.located(error, in: key, at: index)
                if let error = error as? KeyedArchiveError, error.isLimit { throw error }
                if let value = try recovery(reference, error) { values.append(value) }
            }
        }
        try chargeRepeated(values.count, forKey: key)
        return values
    }

    private static func located(_ error: any Error, in key: String, at index: Int) -> any Error {
        guard let error = error as? KeyedArchiveError else { return error }
        return error.inside([.key(key), .index(index)])
    }
}

/// An array element that has not been read yet. The reader keeps the elements of a shared array, so
/// they do not retain the reader.
private struct Unread: KeyedDecodable {
    static var archivedClass: ArchivedClass { AnyArchived.archivedClass }
    // The number of an object, or the node of an inline value.
    private let number: UInt32
    private let isInline: Bool

    static func register(in registry: inout ClassRegistry) {}

    init(coder: KeyedDecoder) throws { self.init(try coder.objectReference()) }

    private init(_ reference: KeyedReference) {
        number = reference.number
        isInline = reference.object == nil
    }

    func reference(in reader: ArchiveReader) -> KeyedReference {
        isInline ? KeyedReference(reader, inline: number) : KeyedReference(reader, object: number)
    }

    static func unarchive(_ reference: KeyedReference) throws -> Unread { Unread(reference) }
}
