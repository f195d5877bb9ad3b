// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import PropertyList

/// One call of ``PlistEncoder``: the document under construction.
///
/// Values become nodes from the leaves up, as soon as they are complete; there is no tree in
/// between.
final class EncodingSession {
    var assembler = GraphAssembler()
    let userInfo: [CodingUserInfoKey: Any]
    let limits: ParsingLimits
    let sortsKeys: Bool
    /// A mistake in a call that cannot throw.
    private(set) var failure: (any Error)?

    private let plans = KeyPlans()
    // The text for nil that Apple's encoders write, once it is needed.
    private var nullNode: UInt32?
    // Objects to be used again.
    private var pool: [OpenValue] = []
    // All that were ever nested in others.
    private var nested: [OpenValue] = []
    // The texts of keys by node, where they are to be sorted.
    private var keyTexts: [UInt32: [UInt16]] = [:]
    private var stack = StackSegment()
    private var calls = 0
    private let callLimit: Int

    init(
        userInfo: [CodingUserInfoKey: any Sendable], limits: ParsingLimits, sortsKeys: Bool
    ) {
        self.userInfo = userInfo
        self.limits = limits
        self.sortsKeys = sortsKeys
        callLimit = ParsingLimits.Allowance(factor: 16, base: 1024).limit(for: limits.depth)
    }

    // Values that are nested in each other may be a long chain.
    deinit { for value in nested { value.releaseNested() } }

    /// Keeps the first mistake, which is thrown at the end.
    func fail(_ error: @autoclosure () -> any Error) {
        if failure == nil { failure = error() }
    }

    /// The document; nothing can be encoded afterwards.
    ///
    /// - Throws: `sizeLimitExceeded`.
    func finish(root: UInt32) throws(PropertyListError) -> PropertyListDocument {
        let complete = assembler
        assembler = GraphAssembler()
        return try complete.finish(root: root)
    }

    /// The plan for the keys of a type.
    func plan(of type: any CodingKey.Type) -> KeyPlan { plans.plan(of: type) }

    /// The node of a key that has no plan.
    func makeKey(_ name: String) -> UInt32 {
        let node = assembler.key(name)
        if sortsKeys { keyTexts[node] = Array(name.utf16) }
        return node
    }
}

// MARK: - Leaves

extension EncodingSession {
    /// What stands for nil.
    var null: UInt32 {
        if let nullNode { return nullNode }
        let node = assembler.string("$null")
        nullNode = node
        return node
    }

    @inline(__always)
    func integer(_ value: some FixedWidthInteger & SignedInteger) -> UInt32 {
        assembler.integer(PropertyListInteger(Int(truncatingIfNeeded: value)))
    }

    @inline(__always)
    func integer(_ value: some FixedWidthInteger & UnsignedInteger) -> UInt32 {
        assembler.integer(PropertyListInteger(UInt64(truncatingIfNeeded: value)))
    }

    /// An integer that may be wider than property lists have them.
    func wideInteger(
        _ value: some FixedWidthInteger, _ path: () -> CodingPath?
    ) throws -> UInt32 {
        guard let integer = PropertyListInteger(exactly: value) else {
            throw invalid(value, path(), "Property lists have integers from −2⁶³ to 2⁶⁴−1.")
        }
        return assembler.integer(integer)
    }

    /// A value of a type that property lists have a kind for; nil for other types.
    @inline(__always)
    private func leaf<T>(_ value: T, _ path: () -> CodingPath?) throws -> UInt32? {
        // A comparison of types is one of pointers; the cast that follows is to the type itself.
        if T.self == String.self, let text = value as? String { return assembler.string(text) }
        if T.self == Int.self, let value = value as? Int { return integer(value) }
        if T.self == Date.self, let date = value as? Date { return self.date(date) }
        if T.self == Data.self, let data = value as? Data { return assembler.data(data) }
        if T.self == Double.self, let value = value as? Double {
            return assembler.real(PropertyListReal(value))
        }
        if T.self == Bool.self, let value = value as? Bool { return assembler.boolean(value) }
        if T.self == PropertyListValue.self, let value = value as? PropertyListValue {
            return try tree(value, path)
        }
        if T.self == PropertyListUID.self, let uid = value as? PropertyListUID {
            return assembler.uid(uid.value)
        }
        return nil
    }

    private func date(_ date: Date) -> UInt32 {
        assembler.date(PropertyListDate(secondsSince2001: date.timeIntervalSinceReferenceDate))
    }

    /// A tree of values with all it holds.
    func tree(_ value: PropertyListValue, _ path: () -> CodingPath?) throws -> UInt32 {
        do {
            var rest = limits
            rest.depth = max(limits.depth &- (path()?.depth ?? 0), 0)
            return try assembler.value(value, limits: rest)
        } catch {
            let context = EncodingError.Context(
                codingPath: CodingPath.keys(of: path()) + (error.path?.codingKeys ?? []),
                debugDescription: "The tree of values exceeds the limits.", underlyingError: error)
            throw EncodingError.invalidValue(value, context)
        }
    }
}

// MARK: - Values

extension EncodingSession {
    /// The node of a value of any type; nil where it encodes nothing. `path` makes its path, once
    /// it is needed.
    func node<T: Encodable>(_ value: T, _ path: () -> CodingPath?) throws -> UInt32? {
        if let leaf = try leaf(value, path) { return leaf }
        return try node(of: value, path()) { try value.encode(to: $0) }
    }

    /// The node that `encode` gives a value by an encoder.
    func node(
        of value: @autoclosure () -> Any, _ path: CodingPath?,
        _ encode: (ValueEncoder) throws -> Void
    ) throws -> UInt32? {
        if let failure { throw failure }
        if calls >= callLimit { throw depthExceeded(value(), calls, path) }
        var open = takeOpenValue(path)
        calls &+= 1
        defer { calls &-= 1 }
        let encoder = ValueEncoder(session: self, value: open)
        try onGoodStack { try encode(encoder) }
        _ = consume encoder
        let node = complete(open)
        // What someone still holds, a super encoder perhaps, is not used for another value.
        if isKnownUniquelyReferenced(&open) { pool.append(open) }
        return node
    }

    private func onGoodStack(_ body: () throws -> Void) throws {
        guard stack.isUsedUp else { return try body() }
        let outer = stack
        defer { stack = outer }
        var result: Result<Void, any Error>?
        let isDone = StackSegment.run { segment in
            self.stack = segment
            result = Result { try body() }
        }
        guard isDone, let result else { throw depthExceeded((), calls, nil) }
        try result.get()
    }

    private func takeOpenValue(_ path: CodingPath?) -> OpenValue {
        let value = pool.popLast() ?? OpenValue()
        value.reset(path: path)
        return value
    }

    /// A value that is complete when the one it is nested in is.
    func makeNestedValue(_ path: CodingPath) -> OpenValue {
        let value = OpenValue()
        value.reset(path: path)
        nested.append(value)
        return value
    }
}

// MARK: - Completing

extension EncodingSession {
    /// The node that a value and all that is nested in it become; nil where nothing was encoded.
    private func complete(_ value: OpenValue) -> UInt32? {
        if !value.nested.isEmpty { completeNested(of: value) }
        return assemble(value)
    }

    /// Completes what is nested, the innermost first. Not recursive.
    private func completeNested(of value: OpenValue) {
        var order = value.nested.map(\.value)
        var next = 0
        while next < order.count {
            order.append(contentsOf: order[next].nested.map(\.value))
            next += 1
        }
        for value in order.reversed() {
            value.resolveNested()
            value.node = assemble(value) ?? emptyDictionary
        }
        value.resolveNested()
    }

    private func assemble(_ value: OpenValue) -> UInt32? {
        switch value.shape {
        case .nothing: return nil
        case .single: return value.node
        case .array: return assembler.array(value.values)
        case .dictionary:
            if sortsKeys {
                value.sortEntries { first, second in
                    guard let first = keyTexts[first], let second = keyTexts[second] else {
                        return first < second
                    }
                    return first.lexicographicallyPrecedes(second)
                }
            }
            return assembler.dictionary(keys: value.keys[...], values: value.values[...])
        }
    }

    /// What stands for a value that encodes nothing, as in Foundation.
    var emptyDictionary: UInt32 { assembler.dictionary(keys: [], values: []) }
}

// MARK: - Errors

extension EncodingSession {
    @inline(never)
    func invalid(
        _ value: Any, _ path: CodingPath?, _ text: String, _ error: PropertyListError? = nil
    ) -> any Error {
        EncodingError.invalidValue(
            value,
            EncodingError.Context(
                codingPath: CodingPath.keys(of: path), debugDescription: text,
                underlyingError: error))
    }

    @inline(never)
    func depthExceeded(_ value: Any, _ depth: Int, _ path: CodingPath?) -> any Error {
        invalid(
            value, path, "More nesting than the limits allow.",
            ParsingBudget.depthExceeded(depth, limit: limits.depth))
    }
}
