// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// A table of values by key, with defaults, unsaved keys, and the readers of changes.
final class KeyValueTable: Sendable {
    /// The keys that were set since the file was last written, each with the sequence number of its
    /// change.
    typealias Unsaved = [ExactText: UInt64]

    private struct State {
        var registered = PropertyListDictionary()
        var stored = PropertyListDictionary()
        var unsaved: Unsaved = [:]
        var changeNumber: UInt64 = 0
        var readers: [UInt64: PendingKeys] = [:]
        var readerCount: UInt64 = 0

        func notify(_ keys: [ExactText]) {
            if keys.isEmpty { return }
            for reader in readers.values { reader.add(keys) }
        }
    }

    private let state = Guarded(State())
    private let hasFile: Bool

    /// - Parameter hasFile: A Boolean value indicating whether changes will be written to a file.
    ///   Only then are unsaved keys recorded.
    init(hasFile: Bool) { self.hasFile = hasFile }

    deinit { state.withLock { state in state.readers.values.forEach { $0.finish() } } }

    func value(_ key: String) -> PropertyListValue? {
        state.withLock { $0.stored[key] ?? $0.registered[key] }
    }

    var stored: PropertyListDictionary { state.withLock { $0.stored } }

    func set(_ value: PropertyListValue?, _ key: String) {
        state.withLock { state in
            let exact = ExactText(key)
            if hasFile {
                state.changeNumber &+= 1
                state.unsaved[exact] = state.changeNumber
            }
            let isChange = state.stored[key] != value
            state.stored[key] = value
            if isChange { state.notify([exact]) }
        }
    }

    func register(_ defaults: PropertyListDictionary) {
        state.withLock { state in
            for (key, value) in defaults { state.registered[key] = value }
        }
    }

    /// A snapshot for writing: all stored values, and the unsaved keys.
    var pending: (values: PropertyListDictionary, keys: Unsaved) {
        state.withLock { ($0.stored, $0.unsaved) }
    }

    /// A Boolean value indicating whether there are changes to write.
    var isUnsaved: Bool { state.withLock { !$0.unsaved.isEmpty } }

    /// Replaces the values with those of the file, except for changes that `saved` does not
    /// contain: later changes, and changes that the file could not hold.
    func adopt(_ file: PropertyListDictionary, saved: Unsaved) {
        state.withLock { state in
            let before = state.stored
            state.unsaved = state.unsaved.filter { saved[$0.key] != $0.value }
            state.stored = file.applying(state.unsaved, from: before)
            state.notify(before.changedKeys(in: state.stored))
        }
    }

    /// Returns a sequence of the changes from now on.
    func changes() -> KeyChanges {
        let (wakes, wake) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let pending = PendingKeys(wake)
        let reader = state.withLock { state in
            state.readerCount &+= 1
            state.readers[state.readerCount] = pending
            return state.readerCount
        }
        wake.onTermination = { [weak self] _ in self?.forget(reader) }
        return KeyChanges(wakes, pending)
    }

    private func forget(_ reader: UInt64) { state.withLock { $0.readers[reader] = nil } }
}

extension PropertyListDictionary {
    /// Returns the dictionary with the values that `other` has for `keys`. Keys without a value in
    /// `other` are removed. Existing keys keep their positions. New keys come last, in the order of
    /// `other`.
    ///
    /// - Complexity: Linear in the number of entries of both dictionaries.
    func applying(
        _ keys: KeyValueTable.Unsaved, from other: PropertyListDictionary
    ) -> PropertyListDictionary {
        if keys.isEmpty { return self }
        var result = PropertyListDictionary()
        for (key, value) in self {
            result[key] = keys[ExactText(key)] == nil ? value : other[key]
        }
        for (key, value) in other where self[key] == nil && keys[ExactText(key)] != nil {
            result[key] = value
        }
        return result
    }

    /// Returns the keys whose values differ between the two dictionaries, including keys that only
    /// one of them has.
    fileprivate func changedKeys(in other: PropertyListDictionary) -> [ExactText] {
        let removedOrChanged = keys.filter { self[$0] != other[$0] }
        let added = other.keys.filter { self[$0] == nil }
        return (removedOrChanged + added).map(ExactText.init(_:))
    }
}
