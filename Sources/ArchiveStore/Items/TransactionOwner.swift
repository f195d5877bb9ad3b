// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import SystemFiles

/// The open transaction of a database and its thread. The thread must not wait for its own
/// transaction, and no other thread may use the transaction.
final class TransactionOwner: Sendable {
    /// The identity of one transaction of a database.
    struct Token: Equatable, Sendable {
        fileprivate let thread: ThreadIdentity
        fileprivate let number: UInt64
    }

    private struct State {
        var open: Token?
        var count: UInt64 = 0
    }

    private let state = Guarded(State())

    /// - Throws: `misuse` on a thread that has a transaction open.
    func requireNone() throws(StoreError) {
        guard state.withLock({ $0.open?.thread }) == .current else { return }
        throw StoreError(
            .misuse, what: "a transaction of this database is open on the same thread",
            recovery: "within a transaction, call the transaction instead of the store")
    }

    /// - Throws: `misuse` for a transaction that has ended, or on a thread other than its own.
    func require(_ token: Token) throws(StoreError) {
        guard state.withLock({ $0.open }) == token else {
            throw StoreError(
                .misuse, what: "the transaction has ended",
                recovery: "use a transaction only within the closure that receives it")
        }
        guard token.thread == .current else {
            throw StoreError(
                .misuse, what: "a transaction was used on a thread other than its own",
                recovery: "do not pass a transaction to another thread or task")
        }
    }

    /// Begins a transaction on the calling thread. The caller ensures that no other transaction is
    /// open.
    func begin() -> Token {
        state.withLock { state in
            state.count &+= 1
            let token = Token(thread: .current, number: state.count)
            state.open = token
            return token
        }
    }

    /// Ends the open transaction.
    func end() { state.withLock { $0.open = nil } }
}
