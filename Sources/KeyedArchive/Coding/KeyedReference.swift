// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// The value of a field or an element in an archive: an object, nil, or an inline plain value.
public struct KeyedReference {
    /// The reader of the archive.
    let reader: ArchiveReader
    // The number of an object, or the node of an inline value.
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

    /// The object's number in `$objects`; nil for an inline value.
    public var object: PropertyListUID? { isInline ? nil : PropertyListUID(number) }

    /// A Boolean value indicating whether the reference is nil: object 0, or another entry that is
    /// `$null`.
    public var isNil: Bool { !isInline && reader.classNumber(of: number) == .null }

    /// The class of the object; nil for a reference to nil or to a class description, and for an
    /// inline value. An object stored as a plain value has the class `NSString`, `NSNumber`,
    /// `NSData` or `NSDate`.
    public var archivedClass: ArchivedClass? { isInline ? nil : reader.archivedClass(of: number) }

    /// Returns the value of the object. If the registry binds the object's class to `type` or a
    /// subclass, the value has the bound type. Otherwise the value has the type `type`, if that
    /// type can be read from the class.
    ///
    /// Outside the initializers of objects, the call reads a root, as `decode(_:forKey:)` of the
    /// roots does: the classes that `type` registers are allowed, and deferred references are
    /// resolved before the call returns.
    ///
    /// - Throws: `missingValue` for nil, `classNotAllowed`, `wrongType`, `referenceCycle`, errors
    ///   for exceeded limits, and the errors of the object's initializer.
    public func object<T: KeyedDecodable>(as type: T.Type) throws -> T {
        if isInline { throw reader.wrongType(self, expected: "\(T.self)") }
        if reader.isReadingRoot { return try reader.value(type, number) }
        return try reader.root([type]) { try reader.value(type, number) }
    }

    /// Returns a replacement for the value of the object, as `awakeAfter(using:)` does. All
    /// references to the object get the same replacement.
    ///
    /// ```swift
    /// static func unarchive(_ reference: KeyedReference) throws -> Shape {
    ///     try reference.object(as: StoredShape.self) { try Shape($0) }
    /// }
    /// ```
    ///
    /// - Throws: the errors of ``object(as:)``, and the errors of `replacement`.
    public func object<T: KeyedDecodable, Replacement>(
        as type: T.Type, replacedBy replacement: (T) throws -> Replacement
    ) throws -> Replacement {
        let value = try object(as: type)
        guard reader.index.isShared(number) else { return try replacement(value) }
        if let known: Replacement = knownReplacement() { return known }
        let replaced = try replacement(value)
        reader.replacements.insert(replaced, for: number)
        return replaced
    }

    /// Returns the replacement of a shared object, if there is one of this type.
    private func knownReplacement<Replacement>() -> Replacement? {
        guard let known = reader.replacements[number] else { return nil }
        if let same = known.same(as: Replacement.self) { return same.value }
        // An instance may be requested as its superclass. A cast of a collection would convert each
        // element again.
        let value = known.any
        return type(of: value) is AnyClass ? value as? Replacement : nil
    }

    /// Returns the node of an inline value, or of an object that is a plain value; nil for other
    /// references.
    ///
    /// - Throws: `classNotAllowed`.
    func leaf() throws -> UInt32? {
        isInline ? number : try reader.leaf(number)
    }
}
