// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The size of a value tree, with each copy of a container counted.
///
/// Copies share memory, so a small tree may represent more values than any machine can hold: two
/// copies of two copies, and so on. All counts saturate at `Int.max`.
package struct TreeExtent: Sendable {
    /// The number of values.
    package var values = 0
    /// The number of bytes of keys, strings and data.
    package var bytes = 0
    /// The part of `bytes` in short keys, strings and data. A value with such contents takes at
    /// most a few times the memory of a value without contents.
    var shortBytes = 0
    /// The number of bytes in long keys, strings and data that were not known before. Each counts
    /// once.
    var newLongBytes = 0

    /// Measures a tree. Linear in the memory of the tree; not recursive.
    ///
    /// - Parameters:
    ///   - tree: the tree.
    ///   - known: the long keys, strings and data that were measured before. Those of the tree are
    ///     added.
    package init(of tree: PropertyListValue, _ known: inout Set<ContentIdentity>) {
        var measure = Measure(known: known)
        known = []
        self = measure.extent(of: tree)
        known = measure.known
    }

    private init() {}

    /// Checks that the tree has no more values than a document can have.
    ///
    /// - Throws: `sizeLimitExceeded`.
    func checkCount() throws(PropertyListError) {
        if values > UInt32.max { throw Self.tooManyValues(values) }
    }

    static func tooManyValues(
        _ count: Int, recovery: PropertyListError.Recovery? = nil
    ) -> PropertyListError {
        let found = count == .max ? "more" : "\(count)"
        return PropertyListError(
            .sizeLimitExceeded, what: "expected at most \(UInt32.max) values, found \(found)",
            recovery: recovery)
    }

    fileprivate mutating func add(_ other: TreeExtent) {
        values = Self.sum(values, other.values)
        bytes = Self.sum(bytes, other.bytes)
        shortBytes = Self.sum(shortBytes, other.shortBytes)
    }

    package static func sum(_ first: Int, _ second: Int) -> Int {
        let (sum, overflow) = first.addingReportingOverflow(second)
        return overflow ? .max : sum
    }

    package static func product(_ count: Int, _ size: Int) -> Int {
        let (product, overflow) = count.multipliedReportingOverflow(by: size)
        return overflow ? .max : product
    }

    /// A container whose children are being measured.
    private struct OpenContainer {
        let storage: ContainerStorage
        /// The position of the next child.
        var next = 0
        var extent = TreeExtent()
    }

    /// The state of measuring one tree. The tree keeps all containers alive.
    private struct Measure {
        var known: Set<ContentIdentity>
        var newLongBytes = 0
        var containers: [ObjectIdentifier: TreeExtent] = [:]

        init(known: Set<ContentIdentity>) { self.known = known }

        mutating func extent(of tree: PropertyListValue) -> TreeExtent {
            var result = TreeExtent()
            guard let root = tree.storage else {
                result.add(leaf(tree))
                result.newLongBytes = newLongBytes
                return result
            }
            var open = [begin(root)]
            while var container = open.popLast() {
                if let inner = addChildren(to: &container) {
                    open.append(container)
                    open.append(begin(inner))
                } else {
                    containers[ObjectIdentifier(container.storage)] = container.extent
                    result = container.extent
                }
            }
            result.newLongBytes = newLongBytes
            return result
        }

        /// Begins a container, and measures the container itself and its keys.
        private mutating func begin(_ storage: ContainerStorage) -> OpenContainer {
            var container = OpenContainer(storage: storage)
            container.extent.values = 1
            for key in storage.keys.texts {
                var extent = text(key)
                extent.values = 0
                container.extent.add(extent)
            }
            return container
        }

        /// Adds the children before the first container that has not been measured. Returns that
        /// container, or nil if no child is left.
        private mutating func addChildren(
            to container: inout OpenContainer
        ) -> ContainerStorage? {
            let values = container.storage.values
            while container.next < values.count {
                let value = values[container.next]
                if let storage = value.storage {
                    guard let extent = containers[ObjectIdentifier(storage)] else { return storage }
                    container.extent.add(extent)
                } else {
                    container.extent.add(leaf(value))
                }
                container.next &+= 1
            }
            return nil
        }

        private mutating func leaf(_ value: PropertyListValue) -> TreeExtent {
            switch value {
            case .string(let text): return self.text(text)
            case .data(let bytes): return content(bytes.count, ContentIdentity(bytes))
            default:
                var extent = TreeExtent()
                extent.values = 1
                return extent
            }
        }

        private mutating func text(_ text: String) -> TreeExtent {
            content(text.utf8.count, ContentIdentity(text))
        }

        private mutating func content(_ size: Int, _ identity: ContentIdentity?) -> TreeExtent {
            var extent = TreeExtent()
            extent.values = 1
            extent.bytes = size
            guard let identity else {
                extent.shortBytes = size
                return extent
            }
            if known.insert(identity).inserted {
                newLongBytes = TreeExtent.sum(newLongBytes, size)
            }
            return extent
        }
    }
}
