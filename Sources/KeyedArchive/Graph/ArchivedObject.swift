// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
public import PropertyList

/// An object of a keyed archive as a class and fields. The class need not be known.
///
/// A UID in the fields is a reference to another object. Other values are stored inline.
public struct ArchivedObject: Sendable, Hashable {
    /// All entries of the object's dictionary, in order, including `$class`.
    public var fields: PropertyListDictionary

    /// Creates an object of the class that `classReference` describes.
    public init(class classReference: PropertyListUID, fields: PropertyListDictionary = [:]) {
        self.fields = fields
        self.classReference = classReference
    }

    /// Creates an object from a dictionary known to have a `$class`.
    init(checked fields: PropertyListDictionary) { self.fields = fields }

    /// The number of the entry that describes the class; 0, the number of nil, if `$class` is not a
    /// reference.
    public var classReference: PropertyListUID {
        get { fields[ArchiveFormat.classKey]?.uid ?? 0 }
        set { fields[ArchiveFormat.classKey] = .uid(newValue) }
    }

    /// The value of a field; nil if there is none.
    public subscript(key: String) -> PropertyListValue? {
        get { fields[key] }
        set { fields[key] = newValue }
    }
}

/// An entry of `$objects`.
public enum ArchivedEntry: Sendable, Hashable {
    /// Nil, stored as the string `$null`.
    case null
    /// A plain value: a string, number, boolean, data or date.
    case leaf(PropertyListValue)
    /// An object with a class.
    case object(ArchivedObject)
    /// The description of a class.
    case classDescription(ArchivedClass)
    /// Any other value; present only in an archive that was read with `keepingMalformed: true`.
    case malformed(PropertyListValue)

    /// The representation of the entry in `$objects`.
    var value: PropertyListValue {
        switch self {
        case .null: .string(ArchiveFormat.null)
        case .leaf(let value), .malformed(let value): value
        case .object(let object): .dictionary(object.fields)
        case .classDescription(let description): description.value
        }
    }
}
