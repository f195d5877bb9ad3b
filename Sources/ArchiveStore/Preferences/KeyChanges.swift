// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// An asynchronous sequence of the keys of a ``KeyValueStore`` whose values change.
///
/// ```swift
/// for await keys in preferences.changes where keys.contains("volume") {
///     …
/// }
/// ```
///
/// Each element lists the keys that have changed since the previous element, without duplicates. A
/// slow reader gets fewer and longer elements, and misses no key. The sequence ends when its store
/// is deallocated.
public struct KeyChanges: AsyncSequence, Sendable {
    /// The keys that have changed, sorted by their bytes.
    public typealias Element = [String]

    private let wakes: AsyncStream<Void>
    private let pending: PendingKeys

    init(_ wakes: AsyncStream<Void>, _ pending: PendingKeys) {
        self.wakes = wakes
        self.pending = pending
    }

    /// Returns an iterator over the changes.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(wakes: wakes.makeAsyncIterator(), pending: pending)
    }

    /// An iterator that waits for changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var wakes: AsyncStream<Void>.Iterator
        fileprivate let pending: PendingKeys

        /// Waits for changes and returns their keys, or nil after the store was deallocated.
        public mutating func next() async -> [String]? {
            while await wakes.next() != nil {
                let keys = pending.take()
                if !keys.isEmpty { return keys }
            }
            return nil
        }
    }
}

/// The keys that a reader of ``KeyChanges`` has not seen yet.
final class PendingKeys: Sendable {
    private let keys = Guarded<Set<ExactText>>([])
    private let wake: AsyncStream<Void>.Continuation

    init(_ wake: AsyncStream<Void>.Continuation) { self.wake = wake }

    deinit { wake.finish() }

    func add(_ new: [ExactText]) {
        keys.withLock { $0.formUnion(new) }
        wake.yield()
    }

    func finish() { wake.finish() }

    fileprivate func take() -> [String] {
        keys.withLock { keys in
            defer { keys = [] }
            return keys.sorted().map(\.text)
        }
    }
}
