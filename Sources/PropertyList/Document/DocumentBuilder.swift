// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Makes a ``PropertyListDocument`` from values given one after the other.
///
/// A mistake in the order of calls (a value without a key, a container that is not ended) is kept
/// and thrown by ``finish()``, so that the calls themselves need no `try`.
///
/// ```swift
/// var builder = DocumentBuilder()
/// builder.beginDictionary()
/// builder.key("name"); builder.string("Anna")
/// builder.key("ages"); builder.beginArray(); builder.integer(7); builder.end()
/// builder.end()
/// let document = try builder.finish()
/// ```
///
/// A builder cannot be copied: ``finish()`` takes its values without copying them, and a
/// ``CompletedValue`` belongs to one builder.
public struct DocumentBuilder: ~Copyable {
    private var tree = TreeAssembler()
    private var keys = BuiltKeys()
    private var failure: PropertyListError?
    private var hasRoot = false
    private let limits: ParsingLimits
    private var shared = SharedValues()

    /// A Boolean value that says whether there was a mistake, after which the builder takes nothing
    /// more.
    var hasFailed: Bool { failure != nil }

    /// The number of values and keys so far.
    package var recordCount: Int { tree.store.records.count }

    /// Refuses to add `count` values, which are too many.
    mutating func refuse(count: Int) {
        if failure != nil { return }
        failure = TreeExtent.tooManyValues(count)
    }

    /// Creates a builder; `limits` bound the nesting and the size.
    public init(limits: ParsingLimits = .default) { self.limits = limits }

    /// Creates a builder of a document that is made of a file of another format. ``sourceData(_:)`` adds bytes of
    /// the file without a copy of each.
    package init(source: [UInt8], limits: ParsingLimits) {
        self.limits = limits
        tree = TreeAssembler(bytes: source)
    }

    /// The document.
    ///
    /// - Throws: `unexpectedElement` for a mistake in the order of calls, `duplicateKey`,
    ///   `depthLimitExceeded`, `sizeLimitExceeded`.
    public consuming func finish() throws(PropertyListError) -> PropertyListDocument {
        try finish(origin: nil, problems: [])
    }

    /// The document, with the file of another format that it was made of, and the flaws of that.
    ///
    /// - Throws: As ``finish()``.
    package consuming func finish(
        origin: DocumentOrigin?, problems: [PropertyListError]
    ) throws(PropertyListError) -> PropertyListDocument {
        if let failure { throw failure }
        if !hasRoot { throw Self.misuse("a document needs a value") }
        if tree.depth > 0 { throw Self.misuse("\(tree.depth) containers are not ended") }
        var pass = DictionaryPass(options: .strict, format: nil, keys: keys.table)
        try pass.run(&tree.store)
        return PropertyListDocument(
            .init(store: tree.store, keys: pass.keys, problems: problems, origin: origin))
    }
}

// MARK: - Values

extension DocumentBuilder {
    /// Adds the null object of binary property lists.
    public mutating func null() { add(.null) }

    /// Adds a boolean.
    public mutating func boolean(_ value: Bool) { add(.boolean(value)) }

    /// Adds an integer.
    public mutating func integer(_ value: PropertyListInteger) { add(.integer(value)) }

    /// Adds a floating-point number.
    public mutating func real(_ value: PropertyListReal) { add(.real(value)) }

    /// Adds a date.
    public mutating func date(_ value: PropertyListDate) { add(.date(value)) }

    /// Adds a reference into an object table.
    public mutating func uid(_ value: PropertyListUID) { add(.uid(value.value)) }

    /// Adds bytes.
    public mutating func data(_ value: some Collection<UInt8>) {
        let start = tree.store.bytes.count
        tree.store.bytes.makeRoom(for: value.count)
        tree.store.bytes.append(contentsOf: value)
        addContent(kind: .data, from: start)
    }

    /// Adds bytes of the source, which must be in it.
    package mutating func sourceData(_ range: Range<Int>) {
        guard admits() else { return }
        tree.add(
            NodeRecord(
                kind: .data, offset: UInt32(truncatingIfNeeded: range.lowerBound),
                payload: NodeRecord.payload(low: UInt32(truncatingIfNeeded: range.count))))
    }

    /// Adds text.
    public mutating func string(_ value: String) {
        let start = tree.store.bytes.count
        tree.store.bytes.append(text: value.utf8)
        addContent(kind: .string, from: start)
    }

    /// Adds a long text or long data by `adding`. If `known` already contains it, adds a reference to the existing
    /// value: a tree of a small file may hold it a million times.
    mutating func addLong(
        _ identity: ContentIdentity, _ known: inout [ContentIdentity: UInt32],
        _ adding: (inout DocumentBuilder) -> Void
    ) {
        if let node = known[identity] {
            if admits() { tree.addShared(node) }
        } else {
            let node = tree.store.nextIndex
            adding(&self)
            if !hasFailed { known[identity] = node }
        }
    }

    /// Adds a long key. If `known` already contains it, adds a reference to the existing string without comparing
    /// the text.
    mutating func longKey(
        _ text: String, _ identity: ContentIdentity, _ known: inout [ContentIdentity: Int]
    ) {
        if let number = known[identity], admitsKey(text) {
            tree.addShared(keys.use(number))
        } else {
            key(text)
            if !hasFailed { known[identity] = keys.last }
        }
    }

    /// Adds the text of a key; its value comes next.
    public mutating func key(_ text: String) {
        guard admitsKey(text) else { return }
        if let next = keys.successor(text, in: tree.store) { return tree.addShared(next) }
        let place = keys.place(of: text, in: tree.store)
        if let known = keys.node(at: place) { return tree.addShared(known) }
        let start = tree.store.bytes.count
        tree.store.bytes.append(text: text.utf8)
        if let record = contentRecord(kind: .string, from: start) {
            keys.insert(tree.add(record), at: place, &tree.store)
        }
    }

    /// The last complete value of the innermost open container. Pass it to ``again(_:)`` to refer to it
    /// from another place. Nil at the root, in an empty container, and after a key.
    public var lastValue: CompletedValue? {
        let isAfterKey = tree.openKind == .dictionary && tree.openCount % 2 == 1
        guard tree.depth > 0, !isAfterKey, let node = tree.lastNode else { return nil }
        return CompletedValue(node: node, builder: shared.builder)
    }

    /// Adds a value once more. The document holds it once, and refers to it from each place, as binary
    /// property lists can; writers of text write it for each place.
    ///
    /// Only complete values can be added again, so no value can contain itself. Linear in the containers
    /// of the value the first time, and constant afterwards. A value of another builder is a mistake,
    /// which ``finish()`` throws.
    ///
    /// - Parameter value: what ``lastValue`` of this builder was.
    public mutating func again(_ value: CompletedValue) {
        guard value.builder === shared.builder else {
            return fail("expected a value of this builder to add again, found one of another")
        }
        let depth = tree.depth &+ shared.height(of: value.node, in: tree.store)
        if depth > limits.depth, failure == nil {
            failure = OperationBudget.depthExceeded(depth, limit: limits.depth)
        }
        if admits() { tree.addShared(value.node) }
    }

    /// Begins an array; what is added until ``end()`` are its elements.
    public mutating func beginArray() { open(.array) }

    /// Begins a set; what is added until ``end()`` are its elements.
    public mutating func beginSet() { open(.set) }

    /// Begins a dictionary; keys and values follow until ``end()``.
    public mutating func beginDictionary() { open(.dictionary) }

    /// Ends the innermost container.
    public mutating func end() {
        if tree.depth == 0 { return fail("there is no container to end") }
        if tree.openKind == .dictionary, tree.openCount % 2 == 1 {
            return fail("the last key of a dictionary has no value")
        }
        tree.close()
    }
}

// MARK: - Adding

extension DocumentBuilder {
    private mutating func add(_ record: NodeRecord) {
        if admits() { tree.add(record) }
    }

    private mutating func open(_ kind: PropertyListKind) {
        guard admits() else { return }
        tree.open(NodeRecord(kind: kind, offset: 0))
        if tree.depth > limits.depth, failure == nil {
            failure = OperationBudget.depthExceeded(tree.depth, limit: limits.depth)
        }
    }

    private mutating func addContent(kind: PropertyListKind, from start: Int) {
        guard admits(), let record = contentRecord(kind: kind, from: start) else { return }
        tree.add(record)
    }

    /// A record for the bytes collected since `start`; nil after a failure.
    private mutating func contentRecord(kind: PropertyListKind, from start: Int) -> NodeRecord? {
        guard failure == nil else { return nil }
        do { return try tree.store.contentRecord(kind, from: start) } catch {
            failure = error
            return nil
        }
    }

    /// Returns whether a value may stand here.
    private mutating func admits() -> Bool {
        if failure != nil { return false }
        if tree.depth == 0 {
            if hasRoot { fail("a document has one root, this is a second") }
            hasRoot = true
        } else if tree.openKind == .dictionary, tree.openCount % 2 == 0 {
            fail("a value stands where a key belongs")
        }
        return failure == nil
    }

    /// Returns whether a key may stand here.
    private mutating func admitsKey(_ text: String) -> Bool {
        if tree.openKind == .dictionary, tree.openCount % 2 == 0 { return true }
        fail("the key `\(text)` stands where a value belongs")
        return false
    }

    private mutating func fail(_ what: String) {
        if failure == nil { failure = Self.misuse(what).at(path: tree.path()) }
    }

    private static func misuse(_ what: String) -> PropertyListError {
        PropertyListError(.unexpectedElement, what: what)
    }
}

// MARK: - Values added again

/// A value that a ``DocumentBuilder`` has completed, for ``DocumentBuilder/again(_:)``.
public struct CompletedValue: Sendable {
    fileprivate let node: UInt32
    fileprivate let builder: SharedValues.Builder
}

/// The heights of the values of a builder that were added again.
private struct SharedValues {
    /// Identifies a builder. Its values keep it, so no other builder has the same identity.
    final class Builder: Sendable {}

    let builder = Builder()
    // By container: how many containers are nested in it, itself included.
    private var heights: [UInt32: Int] = [:]

    /// The number of containers that are nested in a value, itself included. Linear in the containers that are
    /// not known yet; not recursive.
    mutating func height(of node: UInt32, in store: NodeStore) -> Int {
        var pending = [node]
        while let container = pending.last {
            let record = store.records[Int(container)]
            guard record.isContainer, heights[container] == nil else {
                pending.removeLast()
                continue
            }
            let inner = store.children[record.childRange]
                .filter { store.records[Int($0)].isContainer }
            let unknown = inner.filter { heights[$0] == nil }
            if unknown.isEmpty {
                heights[container] = 1 &+ (inner.map { heights[$0] ?? 0 }.max() ?? 0)
                pending.removeLast()
            } else {
                pending += unknown
            }
        }
        return heights[node] ?? 0
    }
}
