// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import KeyedArchive
@_spi(Tables) internal import PropertyList

/// The form of an archived object: a Foundation value, a Foundation collection, or an object of
/// another class.
///
/// | form | class | fields |
/// |---|---|---|
/// | string | `NSString` | `NS.string` |
/// | data | `NSData` | `NS.data` |
/// | date | `NSDate` | `NS.time`, seconds since 2001 |
/// | uuid | `NSUUID` | `NS.uuidbytes`, 16 bytes |
/// | url | `NSURL` | `NS.base`, `NS.relative` |
/// | array, set, ordered set | `NSArray`, `NSSet`, `NSOrderedSet` | `NS.objects`, or those of ``NumberedFields`` |
/// | dictionary | `NSDictionary` | `NS.keys` and `NS.objects`, equally long, or those of ``NumberedFields`` |
///
/// A subclass has the form of its superclass. An object without the expected fields has the form
/// `object`.
///
/// Most associated values are node numbers in the document. `class` is the index of the class
/// description in `$objects`. A range contains the places to pass to ``ObjectForms/child(_:)``.
enum ObjectForm {
    case null
    case plain(UInt32)
    case object(fields: UInt32, class: UInt32)
    case string(UInt32)
    case data(UInt32)
    case date(UInt32)
    case uuid(UInt32)
    case url(base: UInt32, relative: UInt32)
    case array(Range<Int>)
    case set(Range<Int>)
    case orderedSet(Range<Int>)
    case dictionary(keys: Range<Int>, values: Range<Int>)
    case nsNull
    case classDescription
}

/// A lookup of the forms of the objects in one archive, which caches the result for each class.
struct ObjectForms {
    /// The Foundation class that a class is or descends from.
    private enum Family: BitwiseCopyable {
        case none, null, string, data, date, uuid, url, array, set, orderedSet, dictionary

        /// Creates the family of a Foundation class from the name of the class. The name is
        /// compared only with class names of the same length.
        init?(name: NodeRecord, in table: DocumentTable) {
            guard name.kind == .string else { return nil }
            let candidates: [(String, Family)] =
                switch table.contentLength(of: name) {
                case 5: [(FoundationClass.set, .set), ("NSURL", .url)]
                case 6:
                    [
                        (FoundationClass.data, .data), (FoundationClass.date, .date),
                        ("NSUUID", .uuid), (FoundationClass.null, .null),
                    ]
                case 7: [(FoundationClass.array, .array)]
                case 8: [(FoundationClass.string, .string)]
                case 12:
                    [
                        (FoundationClass.dictionary, .dictionary),
                        (FoundationClass.orderedSet, .orderedSet),
                    ]
                default: []
                }
            guard let found = candidates.first(where: { table.isString(name, $0.0) }) else {
                return nil
            }
            self = found.1
        }

        /// The keys of the fields that the form consists of.
        var fields: (first: String?, second: String?) {
            switch self {
            case .none, .null: (nil, nil)
            case .string: (FoundationField.string, nil)
            case .data: (FoundationField.data, nil)
            case .date: (FoundationField.time, nil)
            case .uuid: (FoundationField.uuidBytes, nil)
            case .url: (FoundationField.base, FoundationField.relative)
            case .array, .set, .orderedSet: (FoundationField.objects, nil)
            case .dictionary: (FoundationField.keys, FoundationField.objects)
            }
        }
    }

    /// The family of a class, with the numbers of the keys of its fields.
    private struct KnownClass: BitwiseCopyable {
        let family: Family
        let first: UInt32?
        let second: UInt32?

        init(_ family: Family, in table: DocumentTable) {
            self.family = family
            first = family.fields.first.flatMap(table.keyNumber(of:))
            second = family.fields.second.flatMap(table.keyNumber(of:))
        }
    }

    let contents: ArchiveContents
    let table: DocumentTable
    private var entries: NumberedEntries
    /// The latest class, and the object that describes it. Neighboring objects usually have the
    /// same class.
    private var latest: (description: UInt32, known: KnownClass)?
    /// The known classes before the latest one, by the object that describes the class.
    private var earlier: [UInt32: KnownClass] = [:]
    /// The number of superclasses that may still be examined. A hostile archive can share one long
    /// list of superclasses among many classes.
    private var remainingNames: Int
    /// The references of collections with ``NumberedFields``, one collection after the other.
    private(set) var numbered: [UInt32] = []
    /// The ranges of the keys and the elements in `numbered`, by the node number of the object. The
    /// value is nil for an object with other fields. Several entries of `$objects` may be the same
    /// node, which is examined once.
    private var numberedRanges: [UInt32: (keys: Range<Int>, elements: Range<Int>)?] = [:]

    init(_ contents: ArchiveContents, _ table: DocumentTable) {
        self.contents = contents
        self.table = table
        entries = NumberedEntries(contents, table)
        remainingNames = table.count &+ 1024
    }

    /// Returns the form of an object.
    ///
    /// - Throws: `danglingReference`, `malformedObject`, `malformedClass`.
    mutating func form(of object: UInt32) throws(KeyedArchiveError) -> ObjectForm {
        try described(object).form
    }

    /// Returns the form of an object, the number of its node, and the entry that describes its
    /// class, or nil for an object without a class.
    ///
    /// - Throws: The errors of ``form(of:)``.
    mutating func described(
        _ object: UInt32
    ) throws(KeyedArchiveError) -> (form: ObjectForm, node: UInt32, class: UInt32?) {
        let (node, entry) = try entries.entry(object)
        switch entry {
        case .null: return (.null, node, nil)
        case .leaf: return (.plain(node), node, nil)
        case .classDescription: return (.classDescription, node, nil)
        case .object(let description):
            let form = foundationForm(of: node, class: knownClass(description))
            return (form ?? .object(fields: node, class: description), node, description)
        }
    }

    /// Returns the Foundation form of an object, or nil if its class has none or a field of the
    /// form is missing.
    private mutating func foundationForm(
        of object: UInt32, class known: KnownClass
    ) -> ObjectForm? {
        let record = table[object]
        func field(_ key: UInt32?, _ kind: PropertyListKind) -> UInt32? {
            guard let key, let place = table.place(ofKey: key, in: record) else { return nil }
            let value = table.child(record.valuePlace(ofKeyAt: place))
            return table[value].kind == kind ? value : nil
        }
        switch known.family {
        case .none: return nil
        case .null: return .nsNull
        case .string: return field(known.first, .string).map { .string($0) }
        case .data: return field(known.first, .data).map { .data($0) }
        case .date: return field(known.first, .real).map { .date($0) }
        case .uuid:
            guard let bytes = field(known.first, .data), table.contentLength(of: table[bytes]) == 16
            else { return nil }
            return .uuid(bytes)
        case .url:
            guard let base = field(known.first, .uid), let relative = field(known.second, .uid)
            else { return nil }
            return .url(base: base, relative: relative)
        case .array: return list(field(known.first, .array), object).map { .array($0) }
        case .set: return list(field(known.first, .array), object).map { .set($0) }
        case .orderedSet: return list(field(known.first, .array), object).map { .orderedSet($0) }
        case .dictionary:
            guard let keys = field(known.first, .array), let values = field(known.second, .array)
            else { return numberedDictionary(object) }
            if table[keys].count != table[values].count { return nil }
            return .dictionary(keys: table[keys].childRange, values: table[values].childRange)
        }
    }

    /// Returns the elements of a collection without keys, given its list; nil if they are neither in
    /// a list nor in numbered fields.
    private mutating func list(_ list: UInt32?, _ object: UInt32) -> Range<Int>? {
        if let list { return table[list].childRange }
        guard let found = numberedRanges(of: object), found.keys.isEmpty else { return nil }
        return found.elements
    }

    private mutating func numberedDictionary(_ object: UInt32) -> ObjectForm? {
        guard let found = numberedRanges(of: object), found.keys.count == found.elements.count
        else { return nil }
        return .dictionary(keys: found.keys, values: found.elements)
    }

    private mutating func numberedRanges(
        of object: UInt32
    ) -> (keys: Range<Int>, elements: Range<Int>)? {
        if let known = numberedRanges[object] { return known }
        let found = NumberedFields(of: table[object], in: table).map {
            (keys: append($0.keys), elements: append($0.elements))
        }
        numberedRanges[object] = .some(found)
        return found
    }

    private mutating func append(_ references: [UInt32]) -> Range<Int> {
        let start = table.children.count &+ numbered.count
        numbered += references
        return start..<(start &+ references.count)
    }

    private mutating func knownClass(_ description: UInt32) -> KnownClass {
        if let latest {
            if latest.description == description { return latest.known }
            earlier[latest.description] = latest.known
        }
        let known = earlier[description] ?? KnownClass(family(of: description), in: table)
        latest = (description, known)
        return known
    }

    private mutating func family(of description: UInt32) -> Family {
        let node = contents.objects[Int(description)]
        if let name = node[ArchiveFormat.classNameKey],
            let found = Family(name: name.record, in: table)
        {
            return found
        }
        guard let chain = node[ArchiveFormat.classChainKey], chain.kind == .array else {
            return .none
        }
        for place in chain.record.childRange.prefix(max(remainingNames, 0)) {
            remainingNames &-= 1
            if let found = Family(name: table[table.child(place)], in: table) { return found }
        }
        return .none
    }

    /// Returns the node number of the child at a place. The places of the children in the document
    /// come first, then those of ``numbered``.
    func child(_ place: Int) -> UInt32 {
        let count = table.children.count
        return place < count ? table.child(place) : numbered[place &- count]
    }

    /// Returns the name of a class, as stored in the archive.
    func className(_ description: UInt32) -> PropertyListNode? {
        contents.objects[Int(description)][ArchiveFormat.classNameKey]
    }
}
