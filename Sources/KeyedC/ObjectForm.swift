// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import KeyedArchive
internal import PropertyList

/// The form of an object of an archive: a value or collection of Foundation, or an object of another class.
///
/// | form | class | fields |
/// |---|---|---|
/// | string | `NSString` | `NS.string` |
/// | data | `NSData` | `NS.data` |
/// | date | `NSDate` | `NS.time`, seconds since 2001 |
/// | uuid | `NSUUID` | `NS.uuidbytes`, 16 bytes |
/// | url | `NSURL` | `NS.base`, `NS.relative` |
/// | array, set, ordered set | `NSArray`, `NSSet`, `NSOrderedSet` | `NS.objects` |
/// | dictionary | `NSDictionary` | `NS.keys`, `NS.objects`, equally long |
///
/// A class is known by the names of its superclasses too. An object that lacks the fields is an object like any other.
enum ObjectForm {
    case null
    case plain(PropertyListNode)
    case object(fields: PropertyListNode, class: UInt32)
    case string(PropertyListNode)
    case data(PropertyListNode)
    case date(PropertyListNode)
    case uuid(PropertyListNode)
    case url(base: PropertyListNode, relative: PropertyListNode)
    case array(PropertyListNode)
    case set(PropertyListNode)
    case orderedSet(PropertyListNode)
    case dictionary(keys: PropertyListNode, values: PropertyListNode)
    case nsNull
    case classDescription
}

/// Finds the forms of the objects of one archive, and remembers those of their classes.
struct ObjectForms {
    /// The class of Foundation that a class is, or descends from.
    private enum Family {
        case none, null, string, data, date, uuid, url, array, set, orderedSet, dictionary

        init?(name: PropertyListNode) {
            guard let family = Self.names.first(where: { name.isString($0.0) }) else { return nil }
            self = family.1
        }

        private static let names: [(String, Family)] = [
            (FoundationClass.dictionary, .dictionary), (FoundationClass.array, .array),
            (FoundationClass.string, .string), (FoundationClass.data, .data),
            (FoundationClass.date, .date), (FoundationClass.set, .set), ("NSUUID", .uuid),
            ("NSURL", .url), (FoundationClass.null, .null), ("NSOrderedSet", .orderedSet),
        ]
    }

    let contents: ArchiveContents
    // By the entry that describes a class.
    private var families: [UInt32: Family] = [:]
    // The budget of superclasses that are looked at: hostile archives share long lists of them.
    private var remainingNames: Int

    init(_ contents: ArchiveContents) {
        self.contents = contents
        remainingNames = contents.document.nodeCount &+ 1024
    }

    /// The form of an object.
    ///
    /// - Throws: `danglingReference`, `malformedObject`, `malformedClass`.
    mutating func form(of object: UInt32) throws(KeyedArchiveError) -> ObjectForm {
        switch try contents.entry(PropertyListUID(object)) {
        case .null: return .null
        case .leaf(let node): return .plain(node)
        case .classDescription: return .classDescription
        case .malformed(_, let error): throw error
        case .object(_, let description):
            let node = contents.objects[Int(object)]
            return known(node, family(of: description.value))
                ?? .object(fields: node, class: description.value)
        }
    }

    private func known(_ node: PropertyListNode, _ family: Family) -> ObjectForm? {
        func field(_ key: String, _ kind: PropertyListKind) -> PropertyListNode? {
            guard let value = node[key], value.kind == kind else { return nil }
            return value
        }
        switch family {
        case .none: return nil
        case .null: return .nsNull
        case .string: return field(FoundationField.string, .string).map { .string($0) }
        case .data: return field(FoundationField.data, .data).map { .data($0) }
        case .date: return field(FoundationField.time, .real).map { .date($0) }
        case .uuid:
            guard let bytes = field(FoundationField.uuidBytes, .data), bytes.data?.count == 16
            else { return nil }
            return .uuid(bytes)
        case .url:
            guard let base = field(FoundationField.base, .uid),
                let relative = field(FoundationField.relative, .uid)
            else { return nil }
            return .url(base: base, relative: relative)
        case .array: return field(FoundationField.objects, .array).map { .array($0) }
        case .set: return field(FoundationField.objects, .array).map { .set($0) }
        case .orderedSet: return field(FoundationField.objects, .array).map { .orderedSet($0) }
        case .dictionary:
            guard let keys = field(FoundationField.keys, .array),
                let values = field(FoundationField.objects, .array),
                keys.array?.count == values.array?.count
            else { return nil }
            return .dictionary(keys: keys, values: values)
        }
    }

    private mutating func family(of description: UInt32) -> Family {
        if let known = families[description] { return known }
        var family = Family.none
        let node = contents.objects[Int(description)]
        if let name = node[ArchiveFormat.classNameKey], let found = Family(name: name) {
            family = found
        } else if let chain = node[ArchiveFormat.classChainKey]?.array {
            for name in chain.prefix(max(remainingNames, 0)) {
                remainingNames &-= 1
                if let found = Family(name: name) {
                    family = found
                    break
                }
            }
        }
        families[description] = family
        return family
    }

    /// The name of a class, as the archive has it.
    func className(_ description: UInt32) -> PropertyListNode? {
        contents.objects[Int(description)][ArchiveFormat.classNameKey]
    }
}
