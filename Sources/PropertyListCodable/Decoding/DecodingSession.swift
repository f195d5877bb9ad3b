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

/// One call of ``PlistDecoder``: the tables of the document and what is left of the limits.
///
/// Decoders and containers are small values that name a node of the document by its number. They
/// keep the session alive, so that they may outlive the call.
final class DecodingSession {
    let table: DocumentTable
    let records: [NodeRecord]
    let children: [UInt32]
    let userInfo: [CodingUserInfoKey: Any]
    let limits: ParsingLimits

    private let plans = KeyPlans()
    // Where the document shares strings. Checking that each access is exclusive would cost as much as
    // looking.
    @exclusivity(unchecked) private var sharedTexts: SharedTexts?
    private var longContents = LongContents()
    /// The long data read so far.
    var longData = LongData()
    private let hasNonStringKeys: Bool
    // By dictionary, where some have keys that are no strings.
    private var nonStringKeys: [UInt32: UInt32?] = [:]
    /// A key that a dictionary has in no spelling.
    struct MissedKey: Hashable {
        let name: ExactText
        let dictionary: UInt32
    }

    /// The keys that were looked for among all of a dictionary and not found: a dictionary may be
    /// referred to many times.
    var missedKeys: Set<MissedKey> = []
    private var visits = 0
    private let visitLimit: Int
    /// A Boolean value that says whether a value may be referred to more than once: files of text
    /// spell out each.
    let sharesNodes: Bool
    // How many initializers are under way; more of them than containers where a type reads another
    // from the same value.
    private var calls = 0
    private let callLimit: Int
    private var stack = StackSegment()
    // The last type that was found not to be a dictionary with strings as keys.
    private var lastOtherType: ObjectIdentifier?
    // The lines of the source, once an error has asked for one.
    private lazy var lines = SourceLines(table.view(table.root))

    /// The number of the value that is missing: it reads as null.
    static let missing = UInt32.max

    private static let null = NodeRecord(kind: .null, offset: 0)

    init(
        _ table: DocumentTable, userInfo: [CodingUserInfoKey: any Sendable], limits: ParsingLimits
    ) {
        self.table = table
        self.userInfo = userInfo
        self.limits = limits
        // SAFETY: nothing else has the session yet.
        unsafe sharedTexts = table.format == .binary ? SharedTexts() : nil
        sharesNodes = table.format?.isText != true
        hasNonStringKeys = table.hasNonStringKeys
        records = table.records
        children = table.children
        visitLimit = limits.expansion.limit(for: table.extent)
        callLimit = ParsingLimits.Allowance(factor: 16, base: 1024).limit(for: limits.depth)
    }

    /// The record of a value.
    @inline(__always)
    func record(_ node: UInt32) -> NodeRecord {
        node == Self.missing ? Self.null : records[Int(node)]
    }

    /// The text of a string.
    @inline(__always)
    func text(_ node: UInt32, _ record: NodeRecord) -> String {
        if record.mayBeLong { return longText(node) }
        // SAFETY: a session is used by one thread, and making a text does not come back here.
        return unsafe sharedTexts?.text(of: node) { table.string(of: record) }
            ?? table.string(of: record)
    }

    /// The text of a string that may be long.
    @inline(never)
    private func longText(_ node: UInt32) -> String {
        sharesNodes ? table.string(of: node, &longContents) : table.string(of: records[Int(node)])
    }

    /// The text of a key.
    func key(_ node: UInt32, _ record: NodeRecord) -> String {
        record.mayBeLong ? longText(node) : table.string(of: record)
    }

    /// A value with all it holds, each counted as visited.
    ///
    /// - Throws: `expansionLimitExceeded`, `depthLimitExceeded`, `unrepresentableValue`.
    func tree(of node: UInt32) throws(PropertyListError) -> PropertyListValue {
        let view = table.view(node)
        // The way to the value has been counted.
        let isContainer = view.kind.isContainer
        var budget = OperationBudget(
            limits: limits, remainingValues: isContainer ? max(visitLimit &- visits, 0) : 1)
        defer { if isContainer { visits &+= budget.visitedCount } }
        return try view.value(within: &budget, &longContents)
    }

    /// Where a value is in the source.
    func location(of node: UInt32) -> PropertyListError.Location? {
        lines.location(of: table.view(node))
    }

    /// The first key of a dictionary that is no string; nil where all are strings. Each dictionary is
    /// searched once, however often it is referred to.
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

    /// The plan for the keys of a type.
    func plan(of type: any CodingKey.Type, shape: UInt16) -> KeyPlan {
        plans.plan(of: type, shape: shape)
    }

    /// Counts references to values that are followed. A shared value costs each time, which bounds what
    /// a few bytes can expand to. Reading the same value again through one decoder is free.
    @inline(__always)
    func charge(_ count: Int = 1, _ path: () -> CodingPath?) throws {
        visits &+= count
        if visits > visitLimit { throw expansionExceeded(path()) }
    }

    /// Counts values that are looked at where nothing can be thrown. The next ``charge(_:_:)`` throws if
    /// there were too many.
    func note(visits count: Int) { visits &+= count }

    /// Checks the nesting of a container that is about to be read.
    @inline(__always)
    func enter(_ path: CodingPath?) throws {
        let depth = path?.depth ?? 0
        if depth >= limits.depth { throw depthExceeded(depth &+ 1, path) }
    }

    /// Returns whether a value stands for nil: the null object of binary property lists, or the
    /// string that Apple's encoders write for nil, `$null`.
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

// MARK: - Values

extension DecodingSession {
    /// A value of any type. `path` makes its path, once it is needed.
    func value<T: Decodable>(
        _ type: T.Type, _ node: UInt32, _ path: () -> CodingPath?
    ) throws -> T {
        // Types that property lists have a kind for. A comparison of types is one of pointers.
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
            try type.init(from: NodeDecoder(session: self, path: path, node: node))
        }
    }

    /// A type that is a dictionary with strings as keys, for a value that is one; nil for others, and
    /// where a look-up has to decide between two entries of a key.
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

    /// Runs the initializer of a type, on another thread's stack where this one is used up.
    func descend<R>(_ path: CodingPath?, _ body: () throws -> R) throws -> R {
        if calls >= callLimit { throw depthExceeded(calls, path) }
        calls &+= 1
        defer { calls &-= 1 }
        guard stack.isUsedUp else { return try body() }
        return try StackSegment.run(for: self, \.stack, orThrow: stackExceeded(path), body)
    }
}
