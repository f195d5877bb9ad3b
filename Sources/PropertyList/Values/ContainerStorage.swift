// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The elements of an array, or the keys and values of a dictionary, of the value tree.
///
/// It is a class for the sake of its `deinit`: values nested a million deep are torn down one after
/// the other, where the compiler's own release would recurse until the stack is full.
///
/// `@unchecked Sendable`: it is changed only through a copy-on-write owner that has made sure that
/// it holds the only reference.
final class ContainerStorage: @unchecked Sendable {
    var keys: [String]
    var values: [PropertyListValue]
    // The place of each key; empty while there are few keys.
    private var places: [LiteralKey: Int] = [:]

    private static let indexThreshold = 8

    init(keys: [String] = [], values: [PropertyListValue] = []) {
        self.keys = keys
        self.values = values
        if keys.count > Self.indexThreshold { rebuildIndex() }
    }

    deinit {
        guard values.contains(where: { $0.storage != nil }) else { return }
        var pending = values
        values = []
        while var value = pending.popLast() {
            guard var storage = value.storage else { continue }
            value = .null
            guard isKnownUniquelyReferenced(&storage) else { continue }
            pending.append(contentsOf: storage.values)
            storage.values = []
        }
    }

    func copy() -> ContainerStorage { ContainerStorage(keys: keys, values: values) }

    /// The place of `key`, or nil.
    func place(of key: String) -> Int? {
        if keys.count > Self.indexThreshold { return places[LiteralKey(key)] }
        return keys.firstIndex { $0.isLiterally(key) }
    }

    func append(key: String, _ value: PropertyListValue) {
        keys.append(key)
        values.append(value)
        if keys.count == Self.indexThreshold + 1 {
            rebuildIndex()
        } else if keys.count > Self.indexThreshold {
            places[LiteralKey(key)] = keys.count - 1
        }
    }

    func remove(at place: Int) -> PropertyListValue {
        keys.remove(at: place)
        let value = values.remove(at: place)
        rebuildIndex()
        return value
    }

    private func rebuildIndex() {
        places.removeAll(keepingCapacity: true)
        guard keys.count > Self.indexThreshold else { return }
        for (place, key) in keys.enumerated() { places[LiteralKey(key)] = place }
    }
}
