// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension PropertyListDocument {
    /// Makes a document of a tree of values. Linear; not recursive.
    ///
    /// - Throws: `depthLimitExceeded`, `sizeLimitExceeded`.
    public init(_ value: PropertyListValue, limits: ParsingLimits = .default)
        throws(PropertyListError)
    {
        var builder = DocumentBuilder(limits: limits)
        builder.value(value)
        self = try builder.finish()
    }
}

extension DocumentBuilder {
    /// A container of which children are still to be added.
    private struct OpenContainer {
        let storage: ContainerStorage
        let isDictionary: Bool
        /// The place of the next child.
        var next = 0
    }

    /// The long parts of the tree that have been added; the tree keeps them all meanwhile.
    private struct LongParts {
        /// The nodes of texts and data.
        var leaves: [ContentIdentity: UInt32] = [:]
        /// The numbers of keys.
        var keys: [ContentIdentity: Int] = [:]
    }

    /// Adds a tree of values. Linear; not recursive.
    public mutating func value(_ value: PropertyListValue) {
        var outer: [OpenContainer] = []
        var known = LongParts()
        guard var top = begin(value) else { return leaf(value, &known) }
        while !hasFailed {
            if let inner = addLeaves(of: &top, &known) {
                outer.append(top)
                top = inner
            } else {
                end()
                guard let next = outer.popLast() else { return }
                top = next
            }
        }
    }

    /// Begins a container; nil for a leaf, which is still to be added.
    private mutating func begin(_ value: PropertyListValue) -> OpenContainer? {
        guard let storage = value.storage else { return nil }
        switch value {
        case .dictionary: beginDictionary()
        case .set: beginSet()
        default: beginArray()
        }
        return OpenContainer(storage: storage, isDictionary: value.kind == .dictionary)
    }

    /// Adds children up to the first that is a container, which is begun and returned; nil at the end.
    private mutating func addLeaves(
        of container: inout OpenContainer, _ known: inout LongParts
    ) -> OpenContainer? {
        let storage = container.storage
        while container.next < storage.values.count, !hasFailed {
            if container.isDictionary { key(storage.keys.texts[container.next], &known) }
            let value = storage.values[container.next]
            container.next &+= 1
            if let inner = begin(value) { return inner }
            leaf(value, &known)
        }
        return nil
    }

    private mutating func key(_ text: String, _ known: inout LongParts) {
        if let identity = ContentIdentity(text) {
            longKey(text, identity, &known.keys)
        } else {
            key(text)
        }
    }

    private mutating func leaf(_ value: PropertyListValue, _ known: inout LongParts) {
        switch value {
        case .null: null()
        case .boolean(let value): boolean(value)
        case .integer(let value): integer(value)
        case .real(let value): real(value)
        case .date(let value): date(value)
        case .data(let value):
            guard let identity = ContentIdentity(value) else { return data(value) }
            addLong(identity, &known.leaves) { $0.data(value) }
        case .string(let value):
            guard let identity = ContentIdentity(value) else { return string(value) }
            addLong(identity, &known.leaves) { $0.string(value) }
        case .uid(let value): uid(value)
        case .array, .set, .dictionary: break
        }
    }
}
