// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension PropertyListDocument {
    /// Creates a document from a value tree. Linear; not recursive.
    ///
    /// - Parameters:
    ///   - value: the tree.
    ///   - limits: the limits on the depth and size of the document.
    ///   - sharesCopies: true to store unmodified copies of a container once, with a reference for
    ///     each occurrence. This makes a binary property list smaller. Apple's software writes out
    ///     every occurrence.
    /// - Throws: `depthLimitExceeded`; `sizeLimitExceeded`, also if copies that share memory expand
    ///   to more values than a document can have.
    public init(
        _ value: PropertyListValue, limits: ParsingLimits = .default, sharesCopies: Bool = false
    ) throws(PropertyListError) {
        var builder = DocumentBuilder(limits: limits)
        builder.value(value, sharesCopies: sharesCopies)
        self = try builder.finish()
    }
}

extension DocumentBuilder {
    /// A container with children that have not been added yet.
    private struct OpenContainer {
        let storage: ContainerStorage
        let kind: PropertyListKind
        /// The position of the next child.
        var next = 0
    }

    /// The parts of the tree that have been added and need not be added again. The tree keeps them
    /// alive.
    private struct KnownParts {
        /// The completed containers, or nil if each occurrence is added again.
        var containers: [ContainerIdentity: CompletedValue]?
        /// The nodes of long strings and data.
        var leaves: [ContentIdentity: UInt32] = [:]
        /// The key numbers of long keys.
        var keys: [ContentIdentity: Int] = [:]
    }

    /// Adds a value tree. Linear; not recursive.
    ///
    /// - Parameters:
    ///   - value: the tree.
    ///   - sharesCopies: as for ``PropertyListDocument/init(_:limits:sharesCopies:)``.
    public mutating func value(_ value: PropertyListValue, sharesCopies: Bool = false) {
        var outer: [OpenContainer] = []
        var known = KnownParts()
        if sharesCopies { known.containers = [:] }
        // A tree of repeated copies can expand beyond the available memory if the copies are not
        // shared. Once ``smallTree`` values have been added, the whole tree is therefore measured.
        var unmeasured = sharesCopies ? nil : recordCount &+ Self.smallTree
        guard var top = begin(value) else { return leaf(value, &known) }
        while !hasFailed {
            if let inner = addLeaves(of: &top, &known) {
                outer.append(top)
                top = inner
                if let limit = unmeasured, recordCount > limit {
                    unmeasured = nil
                    checkSize(of: value)
                }
            } else {
                end()
                guard let next = outer.popLast() else { return }
                if known.containers != nil {
                    known.containers?[.init(top.storage, top.kind)] = lastValue
                }
                top = next
            }
        }
    }

    /// The number of values to add before measuring the tree.
    private static var smallTree: Int { 1 << 20 }

    /// Records an error if the tree has more values than a document can have.
    private mutating func checkSize(of value: PropertyListValue) {
        var known: Set<ContentIdentity> = []
        let count = TreeExtent(of: value, &known).values
        if count > UInt32.max { failTooManyValues(count) }
    }

    /// Begins a container. Returns nil for a leaf, without adding it.
    private mutating func begin(_ value: PropertyListValue) -> OpenContainer? {
        guard let storage = value.storage else { return nil }
        switch value {
        case .dictionary: beginDictionary()
        case .set: beginSet()
        default: beginArray()
        }
        return OpenContainer(storage: storage, kind: value.kind)
    }

    /// Adds leaves and references to known containers up to the first other container. Begins that
    /// container and returns it. Returns nil if no child is left, or after an error.
    private mutating func addLeaves(
        of container: inout OpenContainer, _ known: inout KnownParts
    ) -> OpenContainer? {
        let storage = container.storage
        while container.next < storage.values.count, !hasFailed {
            if container.kind == .dictionary { key(storage.keys.texts[container.next], &known) }
            let value = storage.values[container.next]
            container.next &+= 1
            if let storage = value.storage,
                let whole = known.containers?[.init(storage, value.kind)]
            {
                reference(to: whole)
                continue
            }
            if let inner = begin(value) { return inner }
            leaf(value, &known)
        }
        return nil
    }

    private mutating func key(_ text: String, _ known: inout KnownParts) {
        if let identity = ContentIdentity(text) {
            longKey(text, identity, &known.keys)
        } else {
            key(text)
        }
    }

    private mutating func leaf(_ value: PropertyListValue, _ known: inout KnownParts) {
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
