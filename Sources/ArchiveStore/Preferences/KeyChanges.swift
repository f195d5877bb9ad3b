// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The keys of a ``KeyValueStore`` whose values change.
///
/// ```swift
/// for await keys in preferences.changes where keys.contains("volume") {
///     …
/// }
/// ```
///
/// An element holds the keys that have changed since the element before, each once. A slow reader gets
/// fewer and longer elements, and misses nothing. The sequence ends with its store.
public struct KeyChanges: AsyncSequence, Sendable {
    public typealias Element = [String]

    private let wakes: AsyncStream<Void>
    private let pending: PendingKeys

    init(_ wakes: AsyncStream<Void>, _ pending: PendingKeys) {
        self.wakes = wakes
        self.pending = pending
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(wakes: wakes.makeAsyncIterator(), pending: pending)
    }

    /// Waits for changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var wakes: AsyncStream<Void>.Iterator
        fileprivate let pending: PendingKeys

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
