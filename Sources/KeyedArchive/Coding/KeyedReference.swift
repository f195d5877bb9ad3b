// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// The value of a field or an element while an archive is read: an object, nil, or a plain value in
/// place.
public struct KeyedReference {
    /// The archive that is read.
    let reader: ArchiveReader
    // The number of an object, or that of the node of a plain value.
    let number: UInt32
    private let isInline: Bool

    init(_ reader: ArchiveReader, object: UInt32) {
        self.reader = reader
        number = object
        isInline = false
    }

    init(_ reader: ArchiveReader, inline node: UInt32) {
        self.reader = reader
        number = node
        isInline = true
    }

    /// The object's number in `$objects`; nil for a plain value.
    public var object: PropertyListUID? { isInline ? nil : PropertyListUID(number) }

    /// A Boolean value that says whether it is nil: object 0, or another entry that is `$null`.
    public var isNil: Bool { !isInline && reader.classNumber(of: number) == .null }

    /// The class of the object: `NSString`, `NSNumber`, `NSData` for those that archives hold as
    /// plain values; nil for nil and for a value that is no object.
    public var archivedClass: ArchivedClass? { isInline ? nil : reader.archivedClass(of: number) }

    /// A value of the object: of the type its class stands for, if that is `type` or a subclass, or
    /// of `type`, if it is read from that class.
    ///
    /// - Throws: `missingValue` for nil, `classNotAllowed`, `wrongType`, `referenceCycle`, the
    ///   limits' codes, and what the object's initializer throws.
    public func object<T: KeyedDecodable>(as type: T.Type) throws -> T {
        if isInline { throw reader.wrongType(self, expected: "\(T.self)") }
        return try reader.value(type, number)
    }

    /// A value that takes the place of the one that the object becomes, as `awakeAfter(using:)` does it. All
    /// references to the object lead to the same replacement.
    ///
    /// ```swift
    /// static func unarchive(_ reference: KeyedReference) throws -> Shape {
    ///     try reference.object(as: StoredShape.self) { try Shape($0) }
    /// }
    /// ```
    ///
    /// - Throws: as ``object(as:)``, and what `replacement` throws.
    public func object<T: KeyedDecodable, Replacement>(
        as type: T.Type, replacedBy replacement: (T) throws -> Replacement
    ) throws -> Replacement {
        let value = try object(as: type)
        if let known = reader.replacements[number] as? Replacement { return known }
        let replaced = try replacement(value)
        if reader.index.isShared(number) { reader.replacements[number] = replaced }
        return replaced
    }

    /// The node of a plain value: one that stands inline, or an object that is a string, a number,
    /// data; nil for others.
    ///
    /// - Throws: `classNotAllowed`.
    func leaf() throws -> UInt32? {
        isInline ? number : try reader.leaf(number)
    }
}
