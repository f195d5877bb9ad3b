// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The elements of an array, or the keys and values of a dictionary, of the value tree.
///
/// It is a class for the sake of its `deinit`: values nested a million deep are torn down one after
/// the other, where the compiler's own release would recurse until the stack is full.
///
/// `@unchecked Sendable`: it is changed only through a copy-on-write owner that has made sure that
/// it holds the only reference.
package final class ContainerStorage: @unchecked Sendable {
    // Checking that each access is exclusive would cost as much as reading a value.
    @exclusivity(unchecked) private var uncheckedKeys: DictionaryKeys
    @exclusivity(unchecked) private var uncheckedValues: [PropertyListValue]

    // SAFETY: only the one owner changes them, in accesses that do not come back here.
    /// The keys of a dictionary; of other containers none.
    package private(set) var keys: DictionaryKeys {
        @inline(__always) get { unsafe uncheckedKeys }
        @inline(__always) _modify { yield unsafe &uncheckedKeys }
    }

    /// The elements, or the values in the order of their keys.
    package var values: [PropertyListValue] {
        @inline(__always) get { unsafe uncheckedValues }
        @inline(__always) _modify { yield unsafe &uncheckedValues }
    }

    /// The storage of all empty containers. No container ever holds the only reference to it, so none changes it.
    package static let empty = ContainerStorage()

    package init(keys: DictionaryKeys = DictionaryKeys(), values: [PropertyListValue] = []) {
        // SAFETY: nobody else has the object yet.
        unsafe uncheckedKeys = keys
        unsafe uncheckedValues = values
    }

    deinit {
        var pending = takeContainers()
        while var storage = pending.popLast() {
            if isKnownUniquelyReferenced(&storage) { pending += storage.takeContainers() }
        }
    }

    /// The children that are containers, of which the object lets go. Where there are none it keeps what it
    /// has.
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

/// A container by the memory that its copies share. An array and a set may share their elements.
struct ContainerIdentity: Hashable {
    private let storage: ObjectIdentifier
    private let kind: PropertyListKind

    /// The identity of a container that somebody keeps meanwhile.
    init(_ storage: ContainerStorage, _ kind: PropertyListKind) {
        self.storage = ObjectIdentifier(storage)
        self.kind = kind
    }
}
