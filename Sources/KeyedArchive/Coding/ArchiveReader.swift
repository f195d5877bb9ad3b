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

/// The state of decoding one archive, shared by every ``KeyedDecoder`` of it.
///
/// It checks all entries and references before it makes any value. Then it makes objects on request, from
/// the leaves up: an object is returned when its initializer has returned, never before.
final class ArchiveReader {
    let table: DocumentTable
    let limits: ParsingLimits
    let index: ArchiveIndex
    // Checking that each access is exclusive would cost as much as finding a field.
    @exclusivity(unchecked) private var uncheckedState: ReadingState
    let registry: ClassRegistry
    /// Whether numbers of one kind are read as another.
    var convertsNumbers = false
    /// The values that the program hands to the initializers of its types.
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// The object that reads the archive by another protocol, if there is one.
    weak var companion: AnyObject?
    // By object: what took the place of a shared value.
    var replacements: [UInt32: Any] = [:]

    // The values of shared objects.
    var made: [UInt32: Any] = [:]
    // Objects that may be kept as they are with all below them, and those that may not, and why.
    var keepable: Set<UInt32> = []
    var unkeepable: [UInt32: KeyedArchiveError] = [:]
    private var fieldKeys = FieldKeys()
    private var longData = LongData()
    private var textsOfData: [UInt32: String] = [:]
    // The types of the root, and the classes they consist of, once one is needed that the registry does not
    // have.
    private var rootTypes: [any KeyedDecodable.Type] = []
    private var rootClasses: ClassRegistry?
    // The number of further errors that name the keys of an object.
    var remainingHints = NearestKeys.mostErrors
    /// The archive, for what is kept of it as it is.
    private(set) lazy var opaqueArchive = OpaqueArchive(table, index)
    private var lateReferences: [LateReference] = []
    private var nextLateReference = 0
    private var isReadingRoot = false

    /// A reference that is followed when everything else is complete.
    struct LateReference {
        let owner: UInt32?
        let key: String
        let isBelowAny: Bool
        let resolve: () throws -> Void
    }

    /// Prepares to read an archive; linear in its size.
    ///
    /// - Throws: `danglingReference`, `malformedObject`, `malformedClass`, `expansionLimitExceeded`.
    init(
        _ contents: ArchiveContents, allowing registry: ClassRegistry, limits: ParsingLimits
    ) throws(KeyedArchiveError) {
        table = DocumentTable(contents.document)
        index = try ArchiveIndex(contents, table, limits)
        self.registry = registry
        self.limits = limits
        unsafe uncheckedState = ReadingState(
            objectCount: index.count, classCount: index.classCount,
            visitLimit: limits.expansion.limit(for: table.extent))
    }

    /// The classes that the type of the root consists of.
    func classesOfRoot() -> ClassRegistry {
        if let rootClasses { return rootClasses }
        var classes = ClassRegistry()
        for type in rootTypes { type.register(in: &classes) }
        rootClasses = classes
        return classes
    }
}

// MARK: - Work

extension ArchiveReader {
    /// Counts values that are not objects, which count themselves: containers within objects may be
    /// shared as well.
    ///
    /// - Throws: `expansionLimitExceeded`.
    func charge(_ count: Int) throws(KeyedArchiveError) { try state.charge(count) }

    /// Counts an element that is no object: nil, or a plain value that stands in a list itself.
    ///
    /// - Throws: `expansionLimitExceeded`.
    func chargeElement(_ reference: KeyedReference) throws(KeyedArchiveError) {
        if reference.object == nil || reference.isNil { try state.charge() }
    }

    /// The text of a string.
    func text(of node: UInt32) -> String { table.string(of: node, &state.longContents) }

    /// The text of data that are UTF-8; nil where they are not.
    func validText(of node: UInt32) -> String? {
        if let known = textsOfData[node] { return known }
        let content = table.content(of: table[node])
        let text = String(validUTF8: content)
        if content.count >= LongContents.shortest { textsOfData[node] = text }
        return text
    }

    /// The bytes of data, in the form of trees.
    func bytes(of node: UInt32) -> [UInt8] { table.bytes(of: node, &state.longContents) }

    /// The bytes of data.
    func data(of node: UInt32) -> Data { longData.data(of: node, in: table) }

    /// The tree of plain values that stands at a node.
    ///
    /// - Throws: `invalidPropertyList`, `expansionLimitExceeded`.
    func tree(at node: UInt32) throws(KeyedArchiveError) -> PropertyListValue {
        let view = table.view(node)
        let isContainer = view.kind.isContainer
        // The reader has counted the value itself.
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
        // SAFETY: a reader is used by one thread, and no code of a program runs while its state is
        // changed, so that no access begins within another.
        @inline(__always) get { unsafe uncheckedState }
        @inline(__always) _modify { yield unsafe &uncheckedState }
    }

    /// A Boolean value that says whether the archive decided on a class further out.
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
    /// The class of an entry, or the constant for one that is no object.
    func classNumber(of object: UInt32) -> ClassNumber { index.classNumber(of: object) }

    /// The record of an object, or of the roots for nil.
    func record(of object: UInt32?) -> NodeRecord { table[object.map(index.node) ?? index.top] }

    /// The class of an object; nil for nil and for the description of a class.
    func archivedClass(of object: UInt32) -> ArchivedClass? {
        let number = index.classNumber(of: object)
        return number.isObject ? index.archivedClass(number) : nil
    }

    /// The node of a string, a number or data that an entry is; nil for other entries.
    ///
    /// - Throws: `classNotAllowed`.
    func leaf(_ object: UInt32) throws(KeyedArchiveError) -> UInt32? {
        let number = index.classNumber(of: object)
        guard number.isLeaf else { return nil }
        try state.charge()
        if !isAllowed(number) { throw notAllowed(object) }
        return index.node(of: object)
    }

    /// The node of a string or a number that a field holds or refers to, if its class is allowed; nil
    /// for all else, of which the long way will tell what is wrong.
    func plainNode(at node: UInt32) -> UInt32? {
        let record = table[node]
        guard record.kind == .uid else { return node }
        let object = UInt32(truncatingIfNeeded: record.payload)
        let entry = index.entry(of: object)
        guard entry.classNumber.isLeaf, isAllowed(entry.classNumber),
            (try? state.charge()) != nil
        else { return nil }
        return entry.node
    }

    /// The object that a field refers to, or the plain value that it holds.
    func reference(at node: UInt32) -> KeyedReference {
        let record = table[node]
        return record.kind == .uid
            ? KeyedReference(self, object: UInt32(truncatingIfNeeded: record.payload))
            : KeyedReference(self, inline: node)
    }
}

// MARK: - Roots

extension ArchiveReader {
    /// Reads something of the roots: with the classes of `type` allowed as well, and everything
    /// complete when it returns.
    func root<R>(_ types: [any KeyedDecodable.Type], _ body: () throws -> R) throws -> R {
        if isReadingRoot { return try body() }
        isReadingRoot = true
        defer { isReadingRoot = false }
        rootTypes = types
        rootClasses = nil
        state.restart()
        do {
            let value = try body()
            try resolveLateReferences()
            state.newlyMade.removeAll()
            return value
        } catch {
            // What refers to an object that was never completed must not be handed out later. What
            // earlier roots have brought is complete.
            forget(made: 0, late: 0)
            nextLateReference = 0
            throw error
        }
    }

    /// Keeps a reference to be followed when everything else is complete.
    func resolveLater(_ key: String, _ resolve: @escaping () throws -> Void) {
        let reference = LateReference(
            owner: state.open.last, key: key, isBelowAny: isBelowAny, resolve: resolve)
        lateReferences.append(reference)
        state.lateCount = lateReferences.count
    }

    private func resolveLateReferences() throws {
        while nextLateReference < lateReferences.count {
            let reference = lateReferences[nextLateReference]
            nextLateReference += 1
            isBelowAny = reference.isBelowAny
            defer { isBelowAny = false }
            do { try reference.resolve() } catch let error as KeyedArchiveError {
                let owner = reference.owner.map { ArchiveContents.path(of: PropertyListUID($0)) }
                throw error.inside(.key(reference.key)).inside(owner?.components ?? [])
            }
        }
        state.lateCount = 0
        lateReferences.removeAll()
        nextLateReference = 0
    }

    /// Forgets all that was made, and is to be followed later, beyond these counts.
    func forget(made madeCount: Int, late lateCount: Int) {
        let kept = min(madeCount, state.newlyMade.count)
        for object in state.newlyMade[kept...] {
            made[object] = nil
            replacements[object] = nil
        }
        state.newlyMade.removeSubrange(kept...)
        state.lateCount = min(lateCount, lateReferences.count)
        lateReferences.removeSubrange(state.lateCount...)
    }
}

// MARK: - Fields

extension ArchiveReader {
    /// The node that a field of an object holds; nil where there is no such field.
    ///
    /// Objects of one class are asked for the same keys in the same order. Those whose dictionaries have the same
    /// shape have them in the same positions. Otherwise the key is looked up, in constant time too.
    func field(_ key: String, of decoder: KeyedDecoder) -> UInt32? {
        let record = decoder.record
        guard record.kind == .dictionary else { return nil }
        if decoder.object == nil || record.shape == 0 || !index.isCommon(decoder.classIndex) {
            let found = position(of: key, in: record, areRoots: decoder.object == nil)
            return found.map { value(at: $0, in: record) }
        }
        let layout = ReadingState.Layout(classIndex: decoder.classIndex, shape: record.shape)
        let position = state.ask(key, layout)
        if position < UInt32(truncatingIfNeeded: record.count) {
            return value(at: position, in: record)
        }
        return position == ReadingState.missing ? nil : newField(key, record, layout)
    }

    /// The node that a field holds that no object of a layout was asked for at this step.
    @inline(never)
    private func newField(
        _ key: String, _ record: NodeRecord, _ layout: ReadingState.Layout
    ) -> UInt32? {
        let found = position(of: key, in: record)
        state.learn(found ?? ReadingState.missing, of: key, layout)
        return found.map { value(at: $0, in: record) }
    }

    /// The value of the entry at a position of an object.
    @inline(__always)
    private func value(at position: UInt32, in record: NodeRecord) -> UInt32 {
        table.child(record.valuePlace(ofKeyAt: record.keyRange.lowerBound &+ Int(position)))
    }

    /// The position of a field in an object, or of a root. A key such as `$0` is that of an unkeyed root,
    /// unless a program has written a root with that key.
    private func position(
        of key: String, in record: NodeRecord, areRoots: Bool = false
    ) -> UInt32? {
        if let position = position(ofWrittenKey: ArchiveKey.escaped(key), in: record) {
            return position
        }
        return areRoots && ArchiveKey.isUnkeyed(key) ? position(ofWrittenKey: key, in: record) : nil
    }

    /// The position of a key as the archive has it.
    private func position(ofWrittenKey key: String, in record: NodeRecord) -> UInt32? {
        guard let number = table.keyNumber(of: key),
            let place = table.place(ofKey: number, in: record)
        else { return nil }
        return UInt32(truncatingIfNeeded: place &- record.keyRange.lowerBound)
    }

    /// The value that was written without a key after those that have been read, or nil.
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

    /// The keys of an object's fields, in order; also those of unkeyed roots.
    func keys(of decoder: KeyedDecoder) -> [String] {
        let record = decoder.record
        guard record.kind == .dictionary else { return [] }
        return record.keyRange.compactMap { place in
            let key = fieldKeys.key(table.child(place), of: table, &state.longContents)
            return key ?? (decoder.object == nil ? unkeyedRoot(table.child(place), record) : nil)
        }
    }

    /// The key of an unkeyed root; nil for other keys of the format, and where a program has written a root
    /// with that key.
    private func unkeyedRoot(_ node: UInt32, _ roots: NodeRecord) -> String? {
        let key = text(of: node)
        guard ArchiveKey.isUnkeyed(key),
            position(ofWrittenKey: ArchiveKey.escaped(key), in: roots) == nil
        else { return nil }
        return key
    }
}
