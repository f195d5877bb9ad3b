// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The elements of an array, or the keys and values of a dictionary, in the value tree.
///
/// This is a class because it needs a `deinit` that releases nested values iteratively. The
/// compiler's release is recursive and would overflow the stack for values nested a million deep.
///
/// `@unchecked Sendable`: only a copy-on-write owner that holds the only reference changes it.
package final class ContainerStorage: @unchecked Sendable {
    // Dynamic exclusivity checks would cost as much as reading a value.
    @exclusivity(unchecked) private var uncheckedKeys: DictionaryKeys
    @exclusivity(unchecked) private var uncheckedValues: [PropertyListValue]

    // SAFETY: only the single owner changes the fields, and no access reenters this object.
    /// The keys of a dictionary; empty for other containers.
    package private(set) var keys: DictionaryKeys {
        @inline(__always) get { unsafe uncheckedKeys }
        @inline(__always) _modify { yield unsafe &uncheckedKeys }
    }

    /// The elements of an array or set, or the values of a dictionary in the order of the keys.
    package var values: [PropertyListValue] {
        @inline(__always) get { unsafe uncheckedValues }
        @inline(__always) _modify { yield unsafe &uncheckedValues }
    }

    /// The storage of containers created empty. It is always referenced more than once, so no
    /// container changes it.
    package static let empty = ContainerStorage()

    package init(keys: DictionaryKeys = DictionaryKeys(), values: [PropertyListValue] = []) {
        // SAFETY: nothing else has a reference to the object yet.
        unsafe uncheckedKeys = keys
        unsafe uncheckedValues = values
    }

    deinit {
        var pending = takeContainers()
        while var storage = pending.popLast() {
            if isKnownUniquelyReferenced(&storage) { pending += storage.takeContainers() }
        }
    }

    /// Releases the values and returns the containers among them. Without containers, does nothing.
    private func takeContainers() -> [ContainerStorage] {
        if !values.contains(where: { $0.storage != nil }) { return [] }
        let containers = values.compactMap(\.storage)
        values = []
        return containers
    }

    package func copy() -> ContainerStorage { ContainerStorage(keys: keys, values: values) }

    package func append(key: String, _ value: PropertyListValue) {
        keys.append(key)
        values.append(value)
    }

    package func remove(at place: Int) -> PropertyListValue {
        keys.remove(at: place)
        return values.remove(at: place)
    }
}

/// The identity of a container, based on the memory that its copies share. An array and a set may
/// share their elements, so the kind is part of the identity.
struct ContainerIdentity: Hashable {
    private let storage: ObjectIdentifier
    private let kind: PropertyListKind

    /// Creates the identity of a container. The caller must keep the container alive.
    init(_ storage: ContainerStorage, _ kind: PropertyListKind) {
        self.storage = ObjectIdentifier(storage)
        self.kind = kind
    }
}
