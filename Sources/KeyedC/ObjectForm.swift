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
/// | array, set | `NSArray`, `NSSet` | `NS.objects` |
/// | ordered set | `NSOrderedSet` | `NS.object.0`, `NS.object.1`, … and no others |
/// | dictionary | `NSDictionary` | `NS.keys`, `NS.objects`, equally long |
///
/// A subclass has the form of its superclass. An object without the expected fields has the form
/// `object`. The associated values are node numbers in the document, except `class`, which is the
/// index of the class description in `$objects`.
enum ObjectForm: BitwiseCopyable {
    case null
    case plain(UInt32)
    case object(fields: UInt32, class: UInt32)
    case string(UInt32)
    case data(UInt32)
    case date(UInt32)
    case uuid(UInt32)
    case url(base: UInt32, relative: UInt32)
    case array(UInt32)
    case set(UInt32)
    case orderedSet(fields: UInt32)
    case dictionary(keys: UInt32, values: UInt32)
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
                case 12: [(FoundationClass.dictionary, .dictionary), ("NSOrderedSet", .orderedSet)]
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
            case .none, .null, .orderedSet: (nil, nil)
            case .string: (FoundationField.string, nil)
            case .data: (FoundationField.data, nil)
            case .date: (FoundationField.time, nil)
            case .uuid: (FoundationField.uuidBytes, nil)
            case .url: (FoundationField.base, FoundationField.relative)
            case .array, .set: (FoundationField.objects, nil)
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
    /// The elements of ordered sets.
    private var numbered: NumberedElements

    init(_ contents: ArchiveContents, _ table: DocumentTable) {
        self.contents = contents
        self.table = table
        entries = NumberedEntries(contents, table)
        remainingNames = table.count &+ 1024
        numbered = NumberedElements(table)
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
        case .array: return field(known.first, .array).map { .array($0) }
        case .set: return field(known.first, .array).map { .set($0) }
        case .orderedSet:
            return numbered.elements(of: object).map { _ in .orderedSet(fields: object) }
        case .dictionary:
            guard let keys = field(known.first, .array), let values = field(known.second, .array),
                table[keys].count == table[values].count
            else { return nil }
            return .dictionary(keys: keys, values: values)
        }
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

    /// Returns the indices of the elements of an ordered set, for ``element(at:)``.
    mutating func elements(ofOrderedSet fields: UInt32) -> Range<Int> {
        numbered.elements(of: fields) ?? 0..<0
    }

    /// Returns the node number of an element of an ordered set.
    func element(at place: Int) -> UInt32 { numbered[place] }

    /// Returns the name of a class, as stored in the archive.
    func className(_ description: UInt32) -> PropertyListNode? {
        contents.objects[Int(description)][ArchiveFormat.classNameKey]
    }
}

/// The elements of the ordered sets of an archive, in the order of their numbers.
///
/// The order of the fields says nothing: Apple's software has written `NS.object.1` before
/// `NS.object.0`. The elements of each dictionary are found once, however many objects share it.
private struct NumberedElements {
    private let table: DocumentTable
    /// The elements of all known ordered sets, one set after the other.
    private var elements: [UInt32] = []
    /// The indices of the elements by the node number of the fields. The value is nil for a
    /// dictionary that has other fields, or in which an element is missing.
    private var ranges: [UInt32: Range<Int>?] = [:]

    init(_ table: DocumentTable) { self.table = table }

    subscript(place: Int) -> UInt32 { elements[place] }

    /// Returns the indices of the elements of an ordered set, or nil if the fields are not those of
    /// an ordered set.
    mutating func elements(of fields: UInt32) -> Range<Int>? {
        if let known = ranges[fields] { return known }
        let start = elements.count
        let isComplete = append(table[fields])
        if !isComplete { elements.removeSubrange(start...) }
        let found = isComplete ? start..<elements.count : nil
        ranges[fields] = .some(found)
        return found
    }

    /// Appends the elements of a dictionary that has a class. Returns false if the other keys are
    /// not the numbers of elements. In that case, one of the numbers is missing.
    private mutating func append(_ record: NodeRecord) -> Bool {
        for number in 0..<max(record.count &- 1, 0) {
            guard let key = table.keyNumber(of: "NS.object.\(number)"),
                let place = table.place(ofKey: key, in: record)
            else { return false }
            elements.append(table.child(record.valuePlace(ofKeyAt: place)))
        }
        return true
    }
}
