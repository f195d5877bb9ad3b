// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import CallStack
@_spi(Tables) internal import PropertyList
internal import PropertyListCodable
internal import ValidText

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The reader of one archive. All ``KeyedDecoder`` values of the archive share it.
///
/// It checks all entries and references before it creates any value. It then creates objects on
/// request, children first. No object is returned before its initializer has returned.
final class ArchiveReader {
    let table: DocumentTable
    let limits: ParsingLimits
    let index: ArchiveIndex
    // Dynamic exclusivity checks would cost as much as the field lookup itself.
    @exclusivity(unchecked) private var uncheckedState: ReadingState
    let registry: ClassRegistry
    /// A Boolean value indicating whether numbers are converted to the requested kind.
    var convertsNumbers = false
    /// The values that the program passes to the initializers of its types.
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// The object that reads the archive through a protocol other than ``KeyedDecodable``, if there
    /// is one.
    weak var companion: AnyObject?
    // The replacements of shared values.
    var replacements: SharedValues

    // The values of shared objects.
    var made: SharedValues
    // The objects that may be kept undecoded with everything they refer to, and the errors for
    // those that may not.
    var keepable: Set<UInt32> = []
    var unkeepable: [UInt32: KeyedArchiveError] = [:]
    private var fieldKeys = FieldKeys()
    private var longData = LongData()
    // By node: the text of long data; nil if the data is not UTF-8.
    private var textsOfData: [UInt32: String?] = [:]
    private var parsedData = ParsedData()
    // The types requested for the current root, and the classes that they register. The classes are
    // collected at the first lookup of a class that the registry lacks.
    private var rootTypes: [any KeyedDecodable.Type] = []
    private var rootClasses: ClassRegistry?
    // The number of further errors that may suggest keys of an object.
    var remainingSuggestions = NearestKeys.mostErrors
    /// The archive that opaque objects refer to.
    private(set) lazy var opaqueArchive = OpaqueArchive(table, index)
    private var deferredReferences: [DeferredReference] = []
    private var nextDeferredReference = 0
    private(set) var isReadingRoot = false

    /// A deferred reference, which is resolved after everything else is complete.
    struct DeferredReference {
        let owner: UInt32?
        let key: String
        let isBelowAny: Bool
        let resolve: () throws -> Void
    }

    /// Creates a reader of an archive, and validates the archive. Linear in its size.
    ///
    /// - Throws: `danglingReference`, `malformedObject`, `malformedClass`,
    ///   `expansionLimitExceeded`, `invalidPropertyList`.
    init(
        _ contents: ArchiveContents, allowing registry: ClassRegistry, limits: ParsingLimits
    ) throws(KeyedArchiveError) {
        table = DocumentTable(contents.document)
        index = try ArchiveIndex(contents, table, limits)
        made = SharedValues(objectCount: index.count)
        replacements = SharedValues(objectCount: index.count)
        self.registry = registry
        self.limits = limits
        unsafe uncheckedState = ReadingState(
            objectCount: index.count, classCount: index.classCount,
            visitLimit: limits.expansion.limit(for: table.extent))
    }

    /// Returns the classes that the root's types register.
    func classesOfRoot() -> ClassRegistry {
        if let rootClasses { return rootClasses }
        var classes = ClassRegistry()
        for type in rootTypes { type.register(in: &classes) }
        rootClasses = classes
        return classes
    }
}

// MARK: - Budget and plain values

extension ArchiveReader {
    /// Charges values that are not objects, such as fields and elements. Objects are charged when
    /// they are decoded. Containers within objects may be shared too, so their contents are charged
    /// at each visit.
    ///
    /// - Throws: `expansionLimitExceeded`.
    func charge(_ count: Int) throws(KeyedArchiveError) { try state.charge(count) }

    /// Charges an element that is not an object: nil, or a plain value stored inline in an array.
    ///
    /// - Throws: `expansionLimitExceeded`.
    func chargeElement(_ reference: KeyedReference) throws(KeyedArchiveError) {
        if reference.object == nil || reference.isNil { try state.charge() }
    }

    /// Returns the result of a function that reads texts to be hashed or parsed, and charges the
    /// long texts among them that were read before.
    ///
    /// - Throws: `expansionLimitExceeded`; the errors of `body`.
    func chargingRepeatedTexts<T>(_ body: () throws -> T) throws -> T {
        let before = state.longContents.repeatedBytes
        let result = try body()
        try charge(state.longContents.cost(since: before))
        return result
    }

    /// Counts a long text as repeated if several references lead to the object that has the text in
    /// a field. The object is decoded only once, so later uses of its text would not be counted
    /// otherwise.
    func noteRepetition(of text: String, in object: UInt32) {
        if text.utf8.count >= LongContents.shortest, index.isShared(object) {
            state.longContents.noteRepetition(of: text)
        }
    }

    /// Charges the bytes that a value copies: one visit for each `LongContents.shortest` bytes. A
    /// visit to a short text copies fewer bytes than that.
    ///
    /// - Throws: `expansionLimitExceeded`.
    func chargeCopy(of count: Int) throws(KeyedArchiveError) {
        try charge(count / LongContents.shortest)
    }

    /// Returns the value that `parse` creates from data. Objects that share long data share the
    /// value too.
    ///
    /// - Throws: the errors of `parse`; `expansionLimitExceeded`, because each failed attempt is
    ///   charged: errors are not cached, so `parse` runs again for the next object with the data.
    func parsed<T>(_ data: Data, _ parse: () throws -> T) throws -> T {
        guard let source = ContentIdentity(data) else { return try parse() }
        if let known = parsedData.value(T.self, of: source) { return known }
        do {
            let value = try parse()
            parsedData.insert(value, of: source)
            return value
        } catch {
            try charge(LongContents.cost(of: data.count))
            throw error
        }
    }

    /// Returns the text of a string.
    func text(of node: UInt32) -> String { table.string(of: node, &state.longContents) }

    /// Returns the text of UTF-8 data; nil for other data.
    func validText(of node: UInt32) -> String? {
        if let known = textsOfData[node] {
            if let known { state.longContents.noteRepetition(of: known) }
            return known
        }
        let content = table.content(of: table[node])
        let text = String(validUTF8: content)
        if content.count >= LongContents.shortest { textsOfData.updateValue(text, forKey: node) }
        return text
    }

    /// Returns the bytes of data as an array, as `PropertyListValue` stores them.
    func bytes(of node: UInt32) -> [UInt8] { table.bytes(of: node, &state.longContents) }

    /// Returns the bytes of data.
    func data(of node: UInt32) -> Data { longData.data(of: node, in: table) }

    /// Returns the tree of plain values at a node.
    ///
    /// - Throws: `invalidPropertyList`, `expansionLimitExceeded`.
    func tree(at node: UInt32) throws(KeyedArchiveError) -> PropertyListValue {
        let view = table.view(node)
        let isContainer = view.kind.isContainer
        // A plain value is charged elsewhere. Its budget is one value.
        var budget = OperationBudget(
            limits: limits, remainingValues: isContainer ? state.remainingVisits : 1)
        let value: PropertyListValue
        do {
            value = try view.value(within: &budget, &state.longContents)
        } catch {
            if isContainer { try state.charge(budget.visitedCount) }
            if error.code == .expansionLimitExceeded { throw state.expansionExceeded() }
            throw KeyedArchiveError(error)
        }
        if isContainer { try state.charge(budget.visitedCount) }
        return value
    }
}

extension ArchiveReader {
    /// The state of reading.
    var state: ReadingState {
        // SAFETY: only one thread uses a reader, and no client code runs during a change of
        // `state`, so no access begins within another.
        @inline(__always) get { unsafe uncheckedState }
        @inline(__always) _modify { yield unsafe &uncheckedState }
    }

    /// A Boolean value indicating whether the archive chose the class of an enclosing object.
    var isBelowAny: Bool {
        get { state.isBelowAny }
        set { state.isBelowAny = newValue }
    }

    /// The stack that nested calls may use.
    var stack: StackSegment {
        get { state.stack }
        set { state.stack = newValue }
    }
}

// MARK: - Entries

extension ArchiveReader {
    /// Returns the class of an entry; ``ClassNumber/null`` for nil, and ``ClassNumber/description``
    /// for a class description.
    func classNumber(of object: UInt32) -> ClassNumber { index.classNumber(of: object) }

    /// Returns the record of an object, or that of all roots if `object` is nil.
    func record(of object: UInt32?) -> NodeRecord { table[object.map(index.node) ?? index.top] }

    /// Returns the class of an object; nil if the entry is nil or a class description.
    func archivedClass(of object: UInt32) -> ArchivedClass? {
        let number = index.classNumber(of: object)
        return number.isObject ? index.archivedClass(number) : nil
    }

    /// Returns the node of an entry that is a plain value; nil for other entries.
    ///
    /// - Throws: `classNotAllowed`.
    func leaf(_ object: UInt32) throws(KeyedArchiveError) -> UInt32? {
        let number = index.classNumber(of: object)
        guard number.isLeaf else { return nil }
        try state.charge()
        if !isAllowed(number) { throw notAllowed(object) }
        return index.node(of: object)
    }

    /// Returns the node of an object's field that is stored inline or is a plain value, as
    /// ``inlineOrPlainNode(at:)`` does. Returns nil for other fields, and at the roots.
    @inline(__always)
    func inlineOrPlainNode(forKey key: String, of decoder: KeyedDecoder) -> UInt32? {
        guard decoder.object != nil, let node = field(key, of: decoder) else { return nil }
        return inlineOrPlainNode(at: node)
    }

    /// Returns the node of a field's inline value, which may be a container, or of the plain value
    /// that the field refers to. Returns nil for other objects and for a class that is not allowed;
    /// the slow path decodes or reports these.
    @inline(__always)
    func inlineOrPlainNode(at node: UInt32) -> UInt32? {
        let record = table[node]
        guard record.kind == .uid else { return node }
        let object = UInt32(truncatingIfNeeded: record.payload)
        let entry = index.entry(of: object)
        guard entry.classNumber.isLeaf, isAllowed(entry.classNumber),
            (try? state.charge()) != nil
        else { return nil }
        return entry.node
    }

    /// Returns the object that a field refers to, or the plain value that it contains.
    func reference(at node: UInt32) -> KeyedReference {
        let record = table[node]
        return record.kind == .uid
            ? KeyedReference(self, object: UInt32(truncatingIfNeeded: record.payload))
            : KeyedReference(self, inline: node)
    }
}

// MARK: - Roots

extension ArchiveReader {
    /// Reads a root in `body`. The classes that `types` register are allowed too. Deferred
    /// references are resolved before the call returns. A nested call only calls `body`.
    func root<R>(_ types: [any KeyedDecodable.Type], _ body: () throws -> R) throws -> R {
        if isReadingRoot { return try body() }
        isReadingRoot = true
        defer { isReadingRoot = false }
        rootTypes = types
        rootClasses = nil
        state.restart()
        do {
            let value = try body()
            try resolveDeferredReferences()
            state.newlyMade.removeAll()
            return value
        } catch {
            // Objects of this root may refer to an incomplete object and must not be returned
            // later. Objects of earlier roots are complete.
            forget(made: 0, deferred: 0)
            nextDeferredReference = 0
            throw error
        }
    }

    /// Defers the resolution of a reference until everything else is complete.
    func deferResolution(_ key: String, _ resolve: @escaping () throws -> Void) {
        let reference = DeferredReference(
            owner: state.open.last, key: key, isBelowAny: isBelowAny, resolve: resolve)
        deferredReferences.append(reference)
        state.deferredCount = deferredReferences.count
    }

    private func resolveDeferredReferences() throws {
        let outer = isBelowAny
        defer { isBelowAny = outer }
        while nextDeferredReference < deferredReferences.count {
            let reference = deferredReferences[nextDeferredReference]
            nextDeferredReference += 1
            isBelowAny = reference.isBelowAny
            do { try reference.resolve() } catch let error as KeyedArchiveError {
                let owner = reference.owner.map { ArchiveContents.path(of: PropertyListUID($0)) }
                throw error.inside(.key(reference.key)).inside(owner?.components ?? [])
            }
        }
        state.deferredCount = 0
        deferredReferences.removeAll()
        nextDeferredReference = 0
    }

    /// Discards the created objects and the deferred references beyond these counts.
    func forget(made madeCount: Int, deferred deferredCount: Int) {
        let kept = min(madeCount, state.newlyMade.count)
        for object in state.newlyMade[kept...] {
            made.remove(object)
            replacements.remove(object)
        }
        state.newlyMade.removeSubrange(kept...)
        state.deferredCount = min(deferredCount, deferredReferences.count)
        deferredReferences.removeSubrange(state.deferredCount...)
    }
}

// MARK: - Fields

extension ArchiveReader {
    /// Returns the node of a field's value; nil if there is no such field.
    ///
    /// Programs request the same keys in the same order from each object of a class, and
    /// dictionaries of one shape have each key in one position. So positions are cached by class,
    /// by shape, and by step: the place of a request in the sequence of requests to one object.
    /// Other keys are looked up, also in constant time.
    @inline(__always)
    func field(_ key: String, of decoder: KeyedDecoder) -> UInt32? {
        let record = decoder.record
        guard state.caches(decoder.object) else { return uncachedField(key, of: decoder) }
        let position = state.ask(key)
        if position < UInt32(truncatingIfNeeded: record.count) {
            return value(at: position, in: record)
        }
        return position == ReadingState.missing ? nil : newField(key, record)
    }

    /// Looks up a field of the roots, or of an object whose class has too few objects for cached
    /// positions. Programs mostly read the fields in the order in which they were written, so the
    /// key after the last one found is compared first.
    @inline(never)
    private func uncachedField(_ key: String, of decoder: KeyedDecoder) -> UInt32? {
        let record = decoder.record
        guard record.kind == .dictionary else { return nil }
        let expected = state.expectedPosition(in: decoder.object)
        if let expected, isKey(key, at: expected, in: record) {
            state.found(at: expected)
            return value(at: expected, in: record)
        }
        let found = position(of: key, in: record, areRoots: decoder.object == nil)
        if expected != nil, let found { state.found(at: found) }
        return found.map { value(at: $0, in: record) }
    }

    /// Returns whether a key is at a position of an object. Returns false for a key that needs
    /// escaping, and if the document may have duplicate keys.
    private func isKey(_ key: String, at position: UInt32, in record: NodeRecord) -> Bool {
        guard position < UInt32(truncatingIfNeeded: record.count), !table.hasDuplicateKeys,
            key.utf8.first != UInt8(ascii: "$")
        else { return false }
        let node = table.child(record.keyRange.lowerBound &+ Int(position))
        return table.isString(table[node], key)
    }

    /// Looks up a field whose position is not cached for the layout at this step, and caches the
    /// position.
    @inline(never)
    private func newField(_ key: String, _ record: NodeRecord) -> UInt32? {
        let found = position(of: key, in: record)
        state.learn(found ?? ReadingState.missing, of: key)
        return found.map { value(at: $0, in: record) }
    }

    /// Returns the layout of an object, whose record is `record`; nil if caching the positions of
    /// its fields does not pay off.
    @inline(__always)
    func layout(of object: UInt32, _ record: NodeRecord) -> ReadingState.Layout? {
        let number = index.classNumber(of: object)
        guard record.kind == .dictionary, record.shape != 0, index.isCommon(number) else {
            return nil
        }
        return ReadingState.Layout(number, shape: record.shape)
    }

    /// Returns the value of the entry at a position of an object.
    @inline(__always)
    private func value(at position: UInt32, in record: NodeRecord) -> UInt32 {
        table.child(record.valuePlace(ofKeyAt: record.keyRange.lowerBound &+ Int(position)))
    }

    /// Returns the position of a field in an object, or of a root. A key such as `$0` stands for an
    /// unkeyed root, unless the roots also have the escaped key `$$0`.
    private func position(
        of key: String, in record: NodeRecord, areRoots: Bool = false
    ) -> UInt32? {
        if let position = position(ofWrittenKey: ArchiveKey.escaped(key), in: record) {
            return position
        }
        return areRoots && ArchiveKey.isUnkeyed(key) ? position(ofWrittenKey: key, in: record) : nil
    }

    /// Returns the position of a key, which the caller has escaped.
    private func position(ofWrittenKey key: String, in record: NodeRecord) -> UInt32? {
        guard let number = table.keyNumber(of: key),
            let place = table.place(ofKey: number, in: record)
        else { return nil }
        return UInt32(truncatingIfNeeded: place &- record.keyRange.lowerBound)
    }

    /// Returns the next value that was written without a key; nil if there are no more.
    func nextUnkeyed(of decoder: KeyedDecoder) -> UInt32? {
        let record = decoder.record
        guard record.kind == .dictionary,
            let number = table.keyNumber(
                of: ArchiveFormat.unkeyedField(state.progress.unkeyedCount)),
            let place = table.place(ofKey: number, in: record)
        else { return nil }
        state.countUnkeyed()
        return table.child(record.valuePlace(ofKeyAt: place))
    }

    /// Returns the keys of an object's fields, in order, including those of unkeyed roots. Keys
    /// that are not strings are left out, because no field can be requested by them.
    func keys(of decoder: KeyedDecoder) -> [String] {
        let record = decoder.record
        guard record.kind == .dictionary else { return [] }
        return record.keyRange.compactMap { place in
            let key = fieldKeys.key(table.child(place), of: table, &state.longContents)
            return key ?? (decoder.object == nil ? unkeyedRoot(table.child(place), record) : nil)
        }
    }

    /// The keys of an object that its type has not read.
    struct UnreadFields {
        /// The keys as the file has them, in order.
        var writtenKeys: [String] = []
        /// The keys that begin with `$` and have no known meaning, in order.
        var reservedKeys: [String] = []

        var count: Int { writtenKeys.count &+ reservedKeys.count }
    }

    /// Returns the keys of an object that are not among `known`, including the keys `$0`, `$1`, …
    /// of unkeyed values that have not been read. These values count as read from then on.
    ///
    /// - Throws: `malformedObject` for a key that is not a string, because such a field cannot be
    ///   written; `misuse` at the roots.
    func unreadFields(
        of decoder: KeyedDecoder, except known: Set<String>
    ) throws(KeyedArchiveError) -> UnreadFields {
        let object = try decoder.objectReference().number
        let known = Set(known.map { ExactText($0) })
        let record = decoder.record
        guard record.kind == .dictionary else { return UnreadFields() }
        let first = state.progress.unkeyedCount
        while nextUnkeyed(of: decoder) != nil {}
        let next = state.progress.unkeyedCount
        var unread = UnreadFields()
        for place in record.keyRange {
            let node = table.child(place)
            let kind = table[node].kind
            if kind != .string { throw OpaqueArchive.nonStringKey(kind, object) }
            if let key = fieldKeys.key(node, of: table, &state.longContents) {
                if !known.contains(ExactText(key)) {
                    unread.writtenKeys.append(ArchiveKey.escaped(key))
                }
                continue
            }
            let key = text(of: node)
            if key.isLiterally(ArchiveFormat.classKey) { continue }
            switch ArchiveKey.unkeyedPosition(key) {
            case .some(..<first): continue
            case .some(..<next): unread.writtenKeys.append(key)
            default: unread.reservedKeys.append(key)
            }
        }
        return unread
    }

    /// Returns the key of an unkeyed root; nil for other keys of the format, and if the roots also
    /// have the escaped form of the key.
    private func unkeyedRoot(_ node: UInt32, _ roots: NodeRecord) -> String? {
        let key = text(of: node)
        guard ArchiveKey.isUnkeyed(key),
            position(ofWrittenKey: ArchiveKey.escaped(key), in: roots) == nil
        else { return nil }
        return key
    }
}
