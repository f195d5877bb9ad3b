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
    private var keys = KeyTable()
    // By key number, from 1: the string that all dictionaries share, and the number of the key that
    // came after it last, which mostly comes after it again; 0 is none.
    private var keyNodes: [(node: UInt32, successor: UInt32)] = []
    // The number of the key that came last.
    private var lastKey = 0
    private var failure: PropertyListError?
    private var hasRoot = false
    private let limits: ParsingLimits
    private var shared = SharedValues()

    /// Whether a mistake has been made already, so that nothing more is taken.
    var hasFailed: Bool { failure != nil }

    /// The number of values and keys so far.
    var recordCount: Int { tree.store.records.count }

    /// Refuses to add `count` values, which are too many.
    mutating func refuse(count: Int) {
        if failure != nil { return }
        failure = TreeExtent.tooManyValues(count)
    }

    /// Creates a builder; `limits` bound the nesting and the size.
    public init(limits: ParsingLimits = .default) { self.limits = limits }

    /// The document.
    ///
    /// - Throws: `unexpectedElement` for a mistake in the order of calls, `duplicateKey`,
    ///   `depthLimitExceeded`, `sizeLimitExceeded`.
    public consuming func finish() throws(PropertyListError) -> PropertyListDocument {
        if let failure { throw failure }
        if !hasRoot { throw Self.misuse("a document needs a value") }
        if tree.depth > 0 { throw Self.misuse("\(tree.depth) containers are not ended") }
        var pass = DictionaryPass(options: .strict, format: nil, keys: keys)
        try pass.run(&tree.store)
        return PropertyListDocument(.init(store: tree.store, keys: pass.keys, homes: pass.homes))
    }
}

// MARK: - Values

extension DocumentBuilder {
    /// Adds the null object of binary property lists.
    public mutating func null() { add(NodeRecord(kind: .null, offset: 0)) }

    /// Adds a boolean.
    public mutating func boolean(_ value: Bool) {
        add(NodeRecord(kind: .boolean, offset: 0, payload: value ? 1 : 0))
    }

    /// Adds an integer.
    public mutating func integer(_ value: PropertyListInteger) {
        var record = NodeRecord(kind: .integer, offset: 0, payload: value.bits)
        record.isNegative = value.isNegative
        add(record)
    }

    /// Adds a floating-point number.
    public mutating func real(_ value: PropertyListReal) {
        let width: UInt16 = value.width == .single ? 4 : 8
        add(NodeRecord(kind: .real, offset: 0, header: width, payload: value.value.bitPattern))
    }

    /// Adds a date.
    public mutating func date(_ value: PropertyListDate) {
        add(NodeRecord(kind: .date, offset: 0, payload: value.secondsSince2001.bitPattern))
    }

    /// Adds a reference into an object table.
    public mutating func uid(_ value: PropertyListUID) {
        add(NodeRecord(kind: .uid, offset: 0, payload: UInt64(value.value)))
    }

    /// Adds bytes.
    public mutating func data(_ value: some Collection<UInt8>) {
        let start = tree.store.bytes.count
        tree.store.bytes.makeRoom(for: value.count)
        tree.store.bytes.append(contentsOf: value)
        addContent(kind: .data, from: start)
    }

    /// Adds text.
    public mutating func string(_ value: String) {
        let start = tree.store.bytes.count
        tree.store.bytes.append(text: value.utf8)
        addContent(kind: .string, from: start)
    }

    /// Adds a long text or long data by `adding`; of those that were added already and are `known`, the
    /// same value once more. What a tree of a small file holds a million times is not copied as often.
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

    /// Adds a long key; of those that were added already and are `known`, the same once more, without
    /// a look at it.
    mutating func longKey(
        _ text: String, _ identity: ContentIdentity, _ known: inout [ContentIdentity: Int]
    ) {
        if let number = known[identity], admitsKey(text) {
            addKey(number)
        } else {
            key(text)
            if !hasFailed { known[identity] = lastKey }
        }
    }

    /// Adds the text of a key; its value comes next.
    public mutating func key(_ text: String) {
        guard admitsKey(text) else { return }
        if lastKey > 0 {
            let successor = Int(keyNodes[lastKey &- 1].successor)
            if successor > 0, isKey(successor, text) { return addKey(successor) }
        }
        search(text)
    }

    /// Adds a key that the document has, by its number.
    private mutating func addKey(_ number: Int) {
        lastKey = number
        tree.addShared(keyNodes[number &- 1].node)
    }

    private func isKey(_ number: Int, _ text: String) -> Bool {
        tree.store.isString(tree.store.records[Int(keyNodes[number &- 1].node)], text)
    }

    /// Adds a key that is not the one which came after the last the time before.
    private mutating func search(_ text: String) {
        let last = lastKey
        if let known = keys.number(of: text, in: tree.store) {
            addKey(Int(known))
        } else if !insertKey(text) {
            return
        }
        if last > 0 { keyNodes[last &- 1].successor = UInt32(truncatingIfNeeded: lastKey) }
    }

    /// Adds a key that the document does not have yet; false where it cannot.
    private mutating func insertKey(_ text: String) -> Bool {
        let start = tree.store.bytes.count
        tree.store.bytes.append(text: text.utf8)
        guard let record = contentRecord(kind: .string, from: start) else { return false }
        let node = tree.add(record)
        let number = keys.intern(node, in: tree.store)
        tree.store.records[Int(node)].setHigh(number)
        keyNodes.append((node, 0))
        lastKey = Int(number)
        return true
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

    /// A record for the bytes collected since `start`.
    private mutating func contentRecord(kind: PropertyListKind, from start: Int) -> NodeRecord? {
        let end = tree.store.bytes.count
        guard failure == nil else { return nil }
        guard let offset = UInt32(exactly: start), UInt32(exactly: end) != nil else {
            failure = PropertyListError(
                .sizeLimitExceeded, what: "\(end) bytes of text and data, 4294967295 are possible")
            return nil
        }
        var record = NodeRecord(kind: kind, offset: offset)
        record.payload = NodeRecord.payload(low: UInt32(truncatingIfNeeded: end - start))
        let isASCII = kind == .data || tree.store.bytes.span.extracting(start..<end).isASCII()
        record.encoding = isASCII ? .ascii : .utf8
        return record
    }

    /// Whether a value may stand here.
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

    /// Whether a key may stand here.
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

/// What a builder knows of values that are added again.
private struct SharedValues {
    /// Identifies a builder. Its values keep it, so no other builder has the same identity.
    final class Builder: Sendable {}

    let builder = Builder()
    // By container: how many containers are nested in it, itself included.
    private var heights: [UInt32: Int] = [:]

    /// How many containers are nested in a value, itself included. Linear in the containers that are
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
