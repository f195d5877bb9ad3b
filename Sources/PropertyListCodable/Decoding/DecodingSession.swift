// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import CallStack
@_spi(Tables) internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The state of one call of ``PlistDecoder``: the tables of the document and the remaining limits.
///
/// Decoders and containers are small values that refer to a node of the document by its index. They
/// retain the session, so they may outlive the call.
final class DecodingSession {
    let table: DocumentTable
    let records: [NodeRecord]
    let children: [UInt32]
    let userInfo: [CodingUserInfoKey: Any]
    let limits: ParsingLimits

    private let plans = KeyPlans()
    // A cache of strings, used for binary property lists, in which strings may be shared. Dynamic
    // exclusivity checks would cost as much as a lookup.
    @exclusivity(unchecked) private var sharedTexts: SharedTexts?
    private var longContents = LongContents()
    // The type whose `init(from:)` runs. The types that the session decodes itself do not count.
    private var openType: Any.Type?
    /// The long data read so far.
    var longData = LongData()
    private let hasNonStringKeys: Bool
    // For each dictionary searched so far: its first key that is not a string, if any.
    private var nonStringKeys: [UInt32: UInt32?] = [:]
    /// A key that a dictionary does not contain in any canonically equivalent spelling.
    struct MissedKey: Hashable {
        let name: ExactText
        let dictionary: UInt32
    }

    /// The keys that a full search of a large dictionary did not find. A dictionary with many
    /// references is thus searched only once for each key.
    var missedKeys: Set<MissedKey> = []
    private var visits = 0
    private let visitLimit: Int
    /// A Boolean value that indicates whether a value may have several references. Text formats
    /// have no references.
    let sharesNodes: Bool
    // The number of nested initializer calls. It exceeds the container depth if a type decodes
    // another type from the same value.
    private var calls = 0
    private let callLimit: Int
    private var stack = StackSegment()
    // The last type that turned out not to be a dictionary with string keys.
    private var lastOtherType: ObjectIdentifier?
    // The line index of the source, built when an error first needs it.
    private lazy var lines = SourceLines(table.view(table.root))

    /// The node index that represents a missing value, which reads as null.
    static let missing = UInt32.max

    private static let null = NodeRecord(kind: .null, offset: 0)

    init(
        _ table: DocumentTable, userInfo: [CodingUserInfoKey: any Sendable], limits: ParsingLimits
    ) {
        self.table = table
        self.userInfo = userInfo
        self.limits = limits
        // SAFETY: nothing else refers to the session yet.
        unsafe sharedTexts = table.format == .binary ? SharedTexts() : nil
        sharesNodes = table.format?.isText != true
        hasNonStringKeys = table.hasNonStringKeys
        records = table.records
        children = table.children
        visitLimit = limits.expansion.limit(for: table.extent)
        callLimit = ParsingLimits.Allowance(factor: 16, base: 1024).limit(for: limits.depth)
    }

    /// Returns the record of a value.
    @inline(__always)
    func record(_ node: UInt32) -> NodeRecord {
        node == Self.missing ? Self.null : records[Int(node)]
    }

    /// Returns the text of a string.
    @inline(__always)
    func text(_ node: UInt32, _ record: NodeRecord) -> String {
        if record.mayBeLong { return longText(node) }
        // SAFETY: only one thread uses a session, and making a string does not access it.
        return unsafe sharedTexts?.text(of: node) { table.string(of: record) }
            ?? table.string(of: record)
    }

    /// Returns the text of a string that may be long.
    @inline(never)
    private func longText(_ node: UInt32, isKey: Bool = false) -> String {
        guard sharesNodes else { return table.string(of: records[Int(node)]) }
        let before = longContents.repeatedBytes
        let text = table.string(of: node, &longContents)
        let cost = longContents.cost(since: before)
        if cost > 0, isKey || hashesOrParsesTexts { note(visits: cost) }
        return text
    }

    /// A Boolean value that is true if the initializer of the open type hashes or parses each text,
    /// in time linear in the length of the text.
    private var hashesOrParsesTexts: Bool {
        openType == URL.self || openType is any SetOfElements.Type
    }

    /// Returns the text of a key.
    func key(_ node: UInt32, _ record: NodeRecord) -> String {
        record.mayBeLong ? longText(node, isKey: true) : table.string(of: record)
    }

    /// Returns a value with everything below it, and counts each value as visited.
    ///
    /// - Throws: `expansionLimitExceeded`, `depthLimitExceeded`, `unrepresentableValue`.
    func tree(of node: UInt32) throws(PropertyListError) -> PropertyListValue {
        let view = table.view(node)
        // The reference to the value itself has been counted already.
        let isContainer = view.kind.isContainer
        var budget = OperationBudget(
            limits: limits,
            remainingValues: isContainer ? max(visitLimit &- visits, 0) : min(visitLimit, 1))
        defer { if isContainer { visits &+= budget.visitedCount } }
        return try view.value(within: &budget, &longContents)
    }

    /// Returns the location of a value in the source.
    func location(of node: UInt32) -> PropertyListError.Location? {
        lines.location(of: table.view(node))
    }

    /// Returns the first key of a dictionary that is not a string, or nil if all keys are strings.
    /// Searches each dictionary once, however many references it has.
    @inline(__always)
    func nonStringKey(of dictionary: UInt32) -> UInt32? {
        hasNonStringKeys ? searchNonStringKey(of: dictionary) : nil
    }

    @inline(never)
    private func searchNonStringKey(of dictionary: UInt32) -> UInt32? {
        if let known = nonStringKeys[dictionary] { return known }
        let record = record(dictionary)
        let key = children[record.keyRange].first { records[Int($0)].kind != .string }
        nonStringKeys.updateValue(key, forKey: dictionary)
        return key
    }

    /// Returns the plan for the keys of a type.
    func plan(of type: any CodingKey.Type, shape: UInt16) -> KeyPlan {
        plans.plan(of: type, shape: shape)
    }

    /// Counts followed references. Each reference to a shared value counts, which bounds the
    /// expansion of small files. Reading a value again from a keyed container counts again. In text
    /// formats, values are not shared, and there is no limit.
    @inline(__always)
    func charge(_ count: Int = 1, _ path: () -> CodingPath?) throws {
        visits &+= count
        if visits > visitLimit, sharesNodes { throw expansionExceeded(path()) }
    }

    /// Counts visited values in a function that cannot throw. The next ``charge(_:_:)`` throws if
    /// the limit is exceeded.
    func note(visits count: Int) { visits &+= count }

    /// Checks the nesting depth, and the stack, before a container is read. A type that calls an
    /// initializer with a decoder from `superDecoder(forKey:)` recurses without ``descend(_:_:)``.
    @inline(__always)
    func enter(_ path: CodingPath?) throws {
        let depth = path?.depth ?? 0
        if depth >= limits.depth { throw depthExceeded(depth &+ 1, limit: limits.depth, path) }
        if stack.isExhausted { throw stackExceeded(path) }
    }

    /// Returns whether a value represents nil: the null of binary property lists and JSON, or the
    /// string `$null`, which Apple's encoders write for nil.
    @inline(__always)
    func isNull(_ node: UInt32) -> Bool {
        let record = record(node)
        if record.kind == .null { return true }
        return record.kind == .string && isNullText(node)
    }

    @inline(never)
    private func isNullText(_ node: UInt32) -> Bool {
        table.contentLength(of: records[Int(node)]) <= 10
            && table.view(node).isString(ArchiveFormat.null)
    }
}

/// A set, which hashes its elements.
private protocol SetOfElements {}

extension Set: SetOfElements {}

// MARK: - Values

extension DecodingSession {
    /// Decodes a value of any type. `path` builds the coding path if it is needed.
    func value<T: Decodable>(
        _ type: T.Type, _ node: UInt32, _ path: () -> CodingPath?
    ) throws -> T {
        // Types that property lists represent directly. Comparing types compares pointers.
        if type == String.self { return same(try string(node, path), as: type) }
        if type == Int.self { return same(try integer(Int.self, node, path), as: type) }
        if type == Date.self { return same(try date(node, path), as: type) }
        if type == Data.self { return same(try data(node, path), as: type) }
        if type == Double.self { return same(try real(Double.self, node, path), as: type) }
        if type == Bool.self { return same(try boolean(node, path), as: type) }
        if type == PropertyListValue.self { return same(try tree(node, path), as: type) }
        if type == PropertyListUID.self { return same(try uid(node, path), as: type) }
        let path = path()
        if let dictionary = stringKeyedDictionary(type, node) {
            return try descend(path) { try dictionary.decode(self, node, path, as: type) }
        }
        return try descend(path) {
            let outerType = openType
            openType = type
            defer { openType = outerType }
            return try type.init(from: NodeDecoder(session: self, path: path, node: node))
        }
    }

    /// Returns `type` as a dictionary type with string keys, if it is one and the value is a
    /// dictionary. Returns nil otherwise, and for a document with duplicate keys, in which a lookup
    /// must choose between entries.
    @inline(__always)
    private func stringKeyedDictionary<T>(
        _ type: T.Type, _ node: UInt32
    ) -> (any StringKeyedDictionary.Type)? {
        guard record(node).kind == .dictionary, lastOtherType != ObjectIdentifier(type),
            !table.hasDuplicateKeys
        else { return nil }
        if let dictionary = type as? any StringKeyedDictionary.Type { return dictionary }
        lastOtherType = ObjectIdentifier(type)
        return nil
    }

    /// Runs the initializer of a type, on another thread if the stack of the current thread is
    /// nearly used up.
    func descend<R>(_ path: CodingPath?, _ body: () throws -> R) throws -> R {
        if calls >= callLimit { throw depthExceeded(calls &+ 1, limit: callLimit, path) }
        calls &+= 1
        defer { calls &-= 1 }
        guard stack.isUsedUp else { return try body() }
        return try StackSegment.run(for: self, \.stack, orThrow: stackExceeded(path), body)
    }
}
