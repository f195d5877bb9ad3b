// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) internal import PropertyList

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
        let elements = try located(key) { try array.object(as: UnreadElements.self) }
        var values: [T] = []
        for (index, node) in elements.nodes.enumerated() {
            let element = reader.reference(at: node)
            do {
                try reader.chargeElement(element)
                values.append(try T.unarchive(element))
            } catch {
                let error = Self.located(error, in: key, at: index)
                if let error = error as? KeyedArchiveError, error.isLimit { throw error }
                if let value = try recovery(element, error) { values.append(value) }
            }
        }
        return values
    }

    private static func located(_ error: any Error, in key: String, at index: Int) -> any Error {
        guard let error = error as? KeyedArchiveError else { return error }
        return error.inside([.key(key), .index(index)])
    }
}

/// The elements of an `NSArray` before they are read.
///
/// The elements are stored as nodes. The reader keeps this value if the array is shared, and a
/// `KeyedReference` retains the reader, so references would form a retain cycle.
private struct UnreadElements: KeyedDecodable {
    static var archivedClass: ArchivedClass { [AnyArchived].archivedClass }
    static var archivedAliases: [String] { [AnyArchived].archivedAliases }

    let nodes: ArraySlice<UInt32>

    static func register(in registry: inout ClassRegistry) {}

    init(coder: KeyedDecoder) throws {
        let reader = coder.reader
        if let list = reader.field(FoundationField.objects, of: coder) {
            nodes = reader.table.children[try reader.listRecord(list).valueRange]
            return
        }
        var nodes: ArraySlice<UInt32> = []
        while let node = reader.field(
            FoundationField.numberedObject + "\(nodes.count)", of: coder)
        {
            try reader.charge(1)
            nodes.append(node)
        }
        self.nodes = nodes
    }
}
