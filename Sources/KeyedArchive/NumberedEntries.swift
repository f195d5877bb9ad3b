// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) package import PropertyList

/// The entries of `$objects`, by object number.
///
/// ``ArchiveContents/entry(_:)`` returns views, each of which retains the document. Code that
/// visits every entry uses this type instead.
package struct NumberedEntries {
    /// An entry of `$objects`. The cases are those of ``ArchiveContents/Entry``, but malformed
    /// entries are thrown as errors.
    package enum Entry: BitwiseCopyable {
        case null
        case leaf
        /// An object, with the entry that describes its class.
        case object(class: UInt32)
        case classDescription
    }

    private let table: DocumentTable
    private let list: NodeRecord
    private var keys: EntryKeys
    // The latest entry that is known to describe a class. Neighboring objects usually have the same
    // class.
    private var latestDescription = UInt32.max

    private var count: Int { list.count }

    /// Creates the entries of an archive. `table` is the table of the archive's document.
    package init(_ contents: ArchiveContents, _ table: DocumentTable) {
        self.table = table
        list = table[contents.objectsNumber]
        keys = EntryKeys(contents, table)
    }

    @inline(__always)
    private func node(of object: UInt32) -> UInt32 {
        table.child(list.valueRange.lowerBound &+ Int(object))
    }

    /// Returns an entry and the number of its node. Constant time.
    ///
    /// - Throws: `danglingReference`, `malformedObject`, `malformedClass`.
    package mutating func entry(
        _ object: UInt32
    ) throws(KeyedArchiveError) -> (node: UInt32, entry: Entry) {
        guard UInt64(object) < UInt64(count) else {
            throw ArchiveContents.dangling(PropertyListUID(object), count: count)
        }
        let node = node(of: object)
        switch kind(of: table[node]) {
        case .null: return (node, .null)
        case .leaf: return (node, .leaf)
        case .object(let description): return (node, .object(class: description))
        case .classDescription: return (node, .classDescription)
        case .malformed(let flaw): throw flaw.error(of: PropertyListUID(object), count: count)
        }
    }

    private mutating func kind(of record: NodeRecord) -> EntryKind {
        guard record.kind == .dictionary else {
            return .plain(record.kind) { table.isNull(record) }
        }
        let form = keys.form(of: record, table)
        if form.hasName { return .classDescription }
        return .object(classValue: form.classValue(of: record, table), count: count) {
            $0 == latestDescription || describesClass($0)
        }
    }

    @inline(never)
    private mutating func describesClass(_ object: UInt32) -> Bool {
        let record = table[node(of: object)]
        guard record.kind == .dictionary, keys.form(of: record, table).hasName else { return false }
        latestDescription = object
        return true
    }
}

/// The keys `$class` and `$classname` in dictionaries, which are looked up once for each shape.
struct EntryKeys {
    /// The keys of a dictionary that make it an object or a class description.
    struct Form: BitwiseCopyable {
        fileprivate var isKnown = false
        /// A Boolean value indicating whether there is a `$classname`.
        fileprivate(set) var hasName = false
        /// The position of `$class`; -1 if it is missing.
        fileprivate var classPosition: Int32 = -1

        /// Returns the value of `$class`, or nil.
        @inline(__always)
        func classValue(of record: NodeRecord, _ table: DocumentTable) -> NodeRecord? {
            if classPosition < 0 { return nil }
            return table[table.child(record.valueRange.lowerBound &+ Int(classPosition))]
        }
    }

    private let classKey: UInt32?
    private let nameKey: UInt32?
    // By shape.
    private var forms: [Form]

    init(_ contents: ArchiveContents, _ table: DocumentTable) {
        classKey = contents.classKey
        nameKey = contents.classNameKey
        forms = .repeated(Form(), count: table.shapeCount &+ 1)
    }

    /// Returns the form of a dictionary.
    @inline(__always)
    mutating func form(of record: NodeRecord, _ table: DocumentTable) -> Form {
        let form = forms[Int(record.shape)]
        return form.isKnown ? form : newForm(of: record, table)
    }

    @inline(never)
    private mutating func newForm(of record: NodeRecord, _ table: DocumentTable) -> Form {
        let place = classKey.flatMap { table.place(ofKey: $0, in: record) }
        let hasName = nameKey.flatMap { table.place(ofKey: $0, in: record) } != nil
        let position = place.map { Int32(truncatingIfNeeded: $0 &- record.keyRange.lowerBound) }
        let form = Form(isKnown: true, hasName: hasName, classPosition: position ?? -1)
        // Dictionaries without a shape may have different keys.
        if record.shape != 0 { forms[Int(record.shape)] = form }
        return form
    }
}

extension DocumentTable {
    /// Returns whether a string is `$null`, which represents nil.
    func isNull(_ record: NodeRecord) -> Bool {
        // `$null` has five characters, of one or two bytes each.
        let length = contentLength(of: record)
        if length != 5, length != 10 { return false }
        return isString(record, ArchiveFormat.null)
    }
}
