// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import CallStack
internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The state of one call of ``PlistEncoder``: the document under construction.
///
/// Values become nodes from the leaves up, as soon as they are complete. No intermediate tree is
/// built.
final class EncodingSession {
    // Dynamic exclusivity checks would cost as much as adding a value.
    @exclusivity(unchecked) private var assembler: GraphAssembler
    let userInfo: [CodingUserInfoKey: Any]
    let limits: ParsingLimits
    let sortsKeys: Bool
    /// The first error of a call that cannot throw.
    private(set) var failure: (any Error)?

    private let plans = KeyPlans()
    /// The plan of a value without a keyed container.
    let noPlan = KeyPlan()
    /// The node of `$null`, which Apple's encoders write for nil; created when first needed.
    var nullNode: UInt32?
    // Open values that can be reused.
    private var pool: [OpenValue] = []
    // All nested values of the call, which `end` releases.
    private var nested: [OpenValue] = []
    // The UTF-16 code units of keys, by node, for sorting.
    private var keyTexts: [UInt32: [UInt16]] = [:]
    private var stack = StackSegment()
    // The last type that turned out not to be a dictionary with string keys.
    private var lastOtherType: ObjectIdentifier?
    private var calls = 0
    private let callLimit: Int

    init(
        userInfo: [CodingUserInfoKey: any Sendable], limits: ParsingLimits, sortsKeys: Bool,
        sharesLeaves: Bool
    ) {
        self.userInfo = userInfo
        self.limits = limits
        self.sortsKeys = sortsKeys
        // SAFETY: as in `assemble`, and nothing else refers to the session yet.
        unsafe assembler = GraphAssembler(sharesLeaves: sharesLeaves)
        callLimit = ParsingLimits.Allowance(factor: 16, base: 1024).limit(for: limits.depth)
    }

    /// A Boolean value that indicates whether encoding has ended. A type may still hold an encoder,
    /// but anything encoded afterwards is dropped.
    private(set) var isFinished = false

    /// Releases the document and all values, which retain the session. The caller calls this method
    /// at the end, even after a failure.
    func end() {
        isFinished = true
        assemble { $0 = GraphAssembler() }
        keyTexts = [:]
        pool = []
        // Values nested in each other may form a long chain, whose release would recurse.
        for value in nested { value.releaseNested() }
        nested = []
    }

    /// Stores the first error, which a later call or the end of encoding throws.
    func fail(_ error: @autoclosure () -> any Error) {
        if failure == nil { failure = error() }
    }

    /// Returns the document. Nothing can be encoded afterwards.
    ///
    /// - Throws: `sizeLimitExceeded`.
    func finish(root: UInt32) throws(PropertyListError) -> PropertyListDocument {
        // Move the assembler out of the session. Finishing a copy would duplicate its storage.
        var complete = GraphAssembler()
        assemble { swap(&$0, &complete) }
        return try complete.finish(root: root)
    }

    /// Gives access to the document under construction.
    @inline(__always)
    func assemble<R, E: Error>(_ body: (inout GraphAssembler) throws(E) -> R) throws(E) -> R {
        // SAFETY: only one thread uses a session, and the closures passed by callers do not access
        // the session's assembler in other ways.
        unsafe try body(&assembler)
    }

    /// Returns the plan for the keys of a type.
    func plan(of type: any CodingKey.Type) -> KeyPlan { plans.plan(of: type) }

    /// Returns the node of a key without using a plan. Creates the node if necessary.
    func makeKey(_ name: String) -> UInt32 {
        let node = assemble { $0.key(name) }
        if sortsKeys { keyTexts[node] = Array(name.utf16) }
        return node
    }

    /// Returns the elements of a complete array, or nil for another value.
    func elements(of node: UInt32) -> [UInt32]? { assemble { $0.elements(of: node) } }

    /// Returns the entries of a complete dictionary, or nil for another value.
    func entries(of node: UInt32) -> [OpenValue.Entry]? {
        let entries = assemble { $0.entries(of: node) }
        if sortsKeys { entries?.forEach { noteText(ofKey: $0.key) } }
        return entries
    }

    /// Stores the text of a key for sorting, unless it is known. ``makeKey(_:)`` stores the text of
    /// all keys except those in trees of values.
    private func noteText(ofKey key: UInt32) {
        if keyTexts[key] == nil { keyTexts[key] = Array(assemble { $0.text(ofKey: key) }.utf16) }
    }
}

// MARK: - Values

extension EncodingSession {
    /// Encodes a value of any type and returns its node, or nil if it encodes nothing. `path`
    /// builds the coding path if it is needed.
    func node<T: Encodable>(_ value: T, _ path: () -> CodingPath?) throws -> UInt32? {
        if let leaf = try leaf(value, path) { return leaf }
        let path = path()
        if calls >= callLimit {
            throw failure ?? depthExceeded(value, calls &+ 1, limit: callLimit, path)
        }
        if let dictionary = stringKeyedDictionary(value) {
            return try node(path) { try dictionary.encodeEntries(to: $0) }
        }
        return try node(path) { try value.encode(to: $0) }
    }

    /// Returns a value as a dictionary with string keys, or nil for any other value.
    @inline(__always)
    private func stringKeyedDictionary<T>(_ value: T) -> (any StringKeyedEncodable)? {
        if lastOtherType == ObjectIdentifier(T.self) { return nil }
        if T.self is any StringKeyedEncodable.Type { return value as? any StringKeyedEncodable }
        lastOtherType = ObjectIdentifier(T.self)
        return nil
    }

    /// A Boolean value indicating whether the stack is exhausted. Only a type that encodes values
    /// with encoders from `superEncoder(forKey:)` can exhaust it, because ``node(_:_:)`` does not
    /// see its recursion.
    var isStackExhausted: Bool { stack.isExhausted }

    /// Encodes a value by calling `encode` with an encoder, and returns its node.
    func node(
        _ path: CodingPath?, _ encode: (ValueEncoder) throws -> Void
    ) throws -> UInt32? {
        if let failure { throw failure }
        var open = takeOpenValue(path)
        calls &+= 1
        defer { calls &-= 1 }
        let encoder = ValueEncoder(value: open)
        if stack.isUsedUp {
            try StackSegment.run(for: self, \.stack, orThrow: stackExceeded(path)) {
                try encode(encoder)
            }
        } else {
            try encode(encoder)
        }
        _ = consume encoder
        let node = complete(open)
        // A value that is still retained elsewhere, for example by a super encoder, is not reused.
        if isKnownUniquelyReferenced(&open), !isFinished {
            open.reset()
            pool.append(open)
        }
        return node
    }

    private func takeOpenValue(_ path: CodingPath?) -> OpenValue {
        guard let value = pool.popLast() else { return OpenValue(self, path) }
        value.begin(path)
        return value
    }

    /// Creates a nested value. The value is completed together with the enclosing value.
    func makeNestedValue(_ path: CodingPath) -> OpenValue {
        let value = OpenValue(self, path)
        if !isFinished { nested.append(value) }
        return value
    }
}

// MARK: - Completing

extension EncodingSession {
    /// Completes a value with everything nested in it, and returns its node. Returns nil if nothing
    /// was encoded.
    private func complete(_ value: OpenValue) -> UInt32? {
        if value.hasNested { completeNested(of: value) }
        return assemble(value)
    }

    /// Completes nested values, innermost first. Not recursive.
    private func completeNested(of value: OpenValue) {
        var order = value.nested
        var next = 0
        while next < order.count {
            order.append(contentsOf: order[next].nested)
            next += 1
        }
        for value in order.reversed() {
            value.resolveNested()
            value.node = assemble(value) ?? emptyDictionary
        }
        value.resolveNested()
    }

    private func assemble(_ value: OpenValue) -> UInt32? {
        switch value.form {
        case .nothing: return nil
        case .single: return value.node
        case .array: return assemble { $0.array(value.elements) }
        case .dictionary:
            if sortsKeys {
                value.sortEntries { first, second in
                    guard let first = keyTexts[first], let second = keyTexts[second] else {
                        return first < second
                    }
                    return first.lexicographicallyPrecedes(second)
                }
            }
            return assemble { $0.dictionary(value.entries) }
        }
    }

    /// The node of a value that encodes nothing: an empty dictionary, as in Foundation.
    var emptyDictionary: UInt32 { assemble { $0.dictionary([]) } }
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
    func depthExceeded(
        _ value: Any, _ depth: Int, limit: Int, _ path: CodingPath?
    ) -> any Error {
        invalid(
            value, path, "More nesting than the limits allow.",
            OperationBudget.depthExceeded(depth, limit: limit))
    }

    @inline(never)
    func stackExceeded(_ path: CodingPath?) -> any Error {
        invalid(
            (), path, "More nesting than the stack has room for.",
            OperationBudget.stackExceeded(calls))
    }
}
