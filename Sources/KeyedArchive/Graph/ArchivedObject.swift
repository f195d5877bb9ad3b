// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
public import PropertyList

/// An object of a keyed archive whose class need not exist: a class and fields.
///
/// In the fields a UID is a reference to another object, and a plain value is what the object
/// stored inline.
public struct ArchivedObject: Sendable, Hashable {
    /// Everything the object's dictionary holds, in order, `$class` included.
    public var fields: PropertyListDictionary

    /// An object of the class that `classReference` describes.
    public init(class classReference: PropertyListUID, fields: PropertyListDictionary = [:]) {
        self.fields = fields
        self.classReference = classReference
    }

    /// Takes a dictionary that has a `$class`.
    init(checked fields: PropertyListDictionary) { self.fields = fields }

    /// The entry that describes the class. Object 0, nil, where `$class` is no reference.
    public var classReference: PropertyListUID {
        get { fields[ArchiveFormat.classKey]?.uid ?? 0 }
        set { fields[ArchiveFormat.classKey] = .uid(newValue) }
    }

    /// The value of a field, or nil.
    public subscript(key: String) -> PropertyListValue? {
        get { fields[key] }
        set { fields[key] = newValue }
    }
}

/// An entry of `$objects`.
public enum ArchivedEntry: Sendable, Hashable {
    /// The string `$null`: nil.
    case null
    /// A plain value: string, number, boolean, data, date.
    case leaf(PropertyListValue)
    /// An object with a class.
    case object(ArchivedObject)
    /// The description of a class.
    case classDescription(ArchivedClass)
    /// Any other value; kept only where problems are.
    case malformed(PropertyListValue)

    /// The entry as it stands in `$objects`.
    var value: PropertyListValue {
        switch self {
        case .null: .string(ArchiveFormat.null)
        case .leaf(let value), .malformed(let value): value
        case .object(let object): .dictionary(object.fields)
        case .classDescription(let description): description.value
        }
    }
}
