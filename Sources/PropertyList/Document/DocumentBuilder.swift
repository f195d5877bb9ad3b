// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A builder of a ``PropertyListDocument`` from values in document order.
///
/// The calls do not throw. The builder records the first mistake, such as a value without a key or
/// a container without an end, and ``finish()`` throws it.
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
/// A builder cannot be copied, because ``finish()`` takes its values without copying them and a
/// ``CompletedValue`` belongs to one builder.
public struct DocumentBuilder: ~Copyable {
    private var tree = TreeAssembler()
    private var keys = BuiltKeys()
    private var failure: PropertyListError?
    private var hasRoot = false
    private let limits: ParsingLimits
    private var shared = SharedValues()

    /// A Boolean value that is true after a mistake. The builder then ignores further values.
    var hasFailed: Bool { failure != nil }

    /// The number of values and keys so far.
    package var recordCount: Int { tree.store.records.count }

    /// Records an error for `count` values, which exceed the maximum.
    mutating func failTooManyValues(_ count: Int) {
        if failure != nil { return }
        failure = TreeExtent.tooManyValues(
            count, recovery: "set `sharesCopies`, which stores copies of a container only once")
    }

    /// Creates a builder. `limits.depth` bounds the nesting. The other limits do not apply.
    public init(limits: ParsingLimits = .default) { self.limits = limits }

    /// Creates a builder for converting a file of another format. ``sourceData(_:)`` adds ranges of
    /// the file without copying them.
    package init(source: [UInt8], limits: ParsingLimits) {
        self.limits = limits
        tree = TreeAssembler(bytes: source)
    }

    /// Returns the document. Linear in the number of dictionary entries.
    ///
    /// - Throws: `unexpectedElement` for a mistake in the calls, `duplicateKey`,
    ///   `depthLimitExceeded`, `sizeLimitExceeded`.
    public consuming func finish() throws(PropertyListError) -> PropertyListDocument {
        try finish(origin: nil, problems: [])
    }

    /// Returns the document, together with the converted file and the problems of that file.
    ///
    /// - Throws: as ``finish()``.
    package consuming func finish(
        origin: DocumentOrigin?, problems: [PropertyListError]
    ) throws(PropertyListError) -> PropertyListDocument {
        if let failure { throw failure }
        if !hasRoot { throw Self.misuse("expected a root value, found none") }
        if tree.depth > 0 {
            throw Self.misuse(
                "expected `end()` for every container, found \(tree.depth) still open")
        }
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

    /// Adds a UID, a reference into the object table of a keyed archive.
    public mutating func uid(_ value: PropertyListUID) { add(.uid(value.value)) }

    /// Adds data.
    public mutating func data(_ value: some Collection<UInt8>) {
        let start = tree.store.bytes.count
        tree.store.bytes.makeRoom(for: value.count)
        tree.store.bytes.append(contentsOf: value)
        addContent(kind: .data, from: start)
    }

    /// Adds data that is a range of the source. The range must be within the source.
    package mutating func sourceData(_ range: Range<Int>) {
        guard admits() else { return }
        tree.add(
            NodeRecord(
                kind: .data, offset: UInt32(truncatingIfNeeded: range.lowerBound),
                payload: NodeRecord.payload(low: UInt32(truncatingIfNeeded: range.count))))
    }

    /// Adds a string.
    public mutating func string(_ value: String) {
        let start = tree.store.bytes.count
        tree.store.bytes.append(text: value.utf8)
        addContent(kind: .string, from: start)
    }

    /// Adds a long string or long data by calling `adding`. If `known` already contains it, adds a
    /// reference to the existing value, because the tree of a small file may contain it a million
    /// times.
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

    /// Adds a long key. If `known` already contains it, adds a reference to the existing string
    /// without comparing the text.
    mutating func longKey(
        _ text: String, _ identity: ContentIdentity, _ known: inout [ContentIdentity: Int]
    ) {
        key(text, known: &known[identity])
    }

    /// Adds a key. If `known` is its number, `text` is read only for an error. Otherwise sets
    /// `known`, so that later calls need not read the text again.
    package mutating func key(_ text: @autoclosure () -> String, known: inout Int?) {
        if let number = known, admitsKey(text()) {
            tree.addShared(keys.use(number))
        } else {
            key(text())
            if !hasFailed { known = keys.last }
        }
    }

    /// Adds a key. Its value must follow.
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

    /// The last complete value in the innermost open container. It is nil at the root, in an empty
    /// container, and after a key. Pass it to ``reference(to:)`` to refer to it again.
    public var lastValue: CompletedValue? {
        let isAfterKey = tree.openKind == .dictionary && tree.openCount % 2 == 1
        guard tree.depth > 0, !isAfterKey, let node = tree.lastNode else { return nil }
        return CompletedValue(node: node, builder: shared.builder)
    }

    /// Adds a reference to a completed value.
    ///
    /// The document stores the value once and refers to it several times, like a binary property
    /// list. Writers of text formats write it out for each reference.
    ///
    /// Only complete values can be added again, so no value can contain itself. A value of another
    /// builder is a mistake, which ``finish()`` throws.
    ///
    /// - Parameter value: a value from ``lastValue`` of this builder.
    /// - Complexity: Linear in the size of the value for the first reference, constant for further
    ///   ones.
    public mutating func reference(to value: CompletedValue) {
        guard value.builder === shared.builder else {
            return fail("expected a value of this builder, found a value of another builder")
        }
        let depth = tree.depth &+ shared.height(of: value.node, in: tree.store)
        if depth > limits.depth, failure == nil {
            failure = OperationBudget.depthExceeded(depth, limit: limits.depth)
        }
        if admits() { tree.addShared(value.node) }
    }

    /// Begins an array. Values added before the matching ``end()`` are its elements.
    public mutating func beginArray() { open(.array) }

    /// Begins a set. Values added before the matching ``end()`` are its elements.
    public mutating func beginSet() { open(.set) }

    /// Begins a dictionary. Keys and values alternate until the matching ``end()``.
    public mutating func beginDictionary() { open(.dictionary) }

    /// Ends the innermost container.
    public mutating func end() {
        if tree.depth == 0 { return fail("expected an open container to end, found none") }
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

    /// Returns a record for the bytes appended since `start`, or nil after a failure.
    private mutating func contentRecord(kind: PropertyListKind, from start: Int) -> NodeRecord? {
        guard failure == nil else { return nil }
        do { return try tree.store.contentRecord(kind, from: start) } catch {
            failure = error
            return nil
        }
    }

    /// Returns whether a value is allowed at this point. Records the mistake if not.
    private mutating func admits() -> Bool {
        if failure != nil { return false }
        if tree.depth == 0 {
            if hasRoot { fail("expected one root value, found a second") }
            hasRoot = true
        } else if tree.openKind == .dictionary, tree.openCount % 2 == 0 {
            fail("expected a key, found a value")
        }
        return failure == nil
    }

    /// Returns whether a key is allowed at this point. Records the mistake if not.
    private mutating func admitsKey(_ text: @autoclosure () -> String) -> Bool {
        if tree.openKind == .dictionary, tree.openCount % 2 == 0 { return true }
        let key = TerminalText.escaped(String(text().unicodeScalars.prefix(64)))
        fail("expected a value, found the key `\(key)`")
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

/// A complete value of a ``DocumentBuilder``, to be passed to ``DocumentBuilder/reference(to:)``.
public struct CompletedValue: Sendable {
    fileprivate let node: UInt32
    fileprivate let builder: SharedValues.Builder
}

/// The heights of the values that a builder added again.
private struct SharedValues {
    /// The identity of a builder. Completed values retain it, so it stays unique as long as they
    /// exist.
    final class Builder: Sendable {}

    let builder = Builder()
    // The height of each container: the number of container levels, including its own.
    private var heights: [UInt32: Int] = [:]

    /// Returns the height of a value: the number of container levels, including its own. The height
    /// of a leaf is 0. Linear in the children of the containers whose height is not yet known; not
    /// recursive.
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
