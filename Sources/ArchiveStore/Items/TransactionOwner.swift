// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import SystemFiles

/// The thread that has a transaction open: it must not wait for itself.
@available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
final class TransactionOwner: Sendable {
    private let owner = Mutex<ThreadIdentity?>(nil)

    /// - Throws: `misuse` on the thread that has a transaction open.
    func requireNone() throws(StoreError) {
        guard owner.withLock({ $0 }) == .current else { return }
        throw StoreError(
            .misuse, what: "a transaction of this database is open on the same thread",
            recovery: "within a transaction, ask the transaction, not the store")
    }

    /// The thread begins a transaction. Only one at a time has one.
    func begin() { owner.withLock { $0 = .current } }

    /// The transaction is over.
    func end() { owner.withLock { $0 = nil } }
}
