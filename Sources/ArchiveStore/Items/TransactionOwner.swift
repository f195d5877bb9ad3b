// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import SystemFiles

/// The open transaction of a database, and the thread that has it. That thread must not wait for itself,
/// and no other may use the transaction.
final class TransactionOwner: Sendable {
    /// Identifies one transaction of a database.
    struct Token: Equatable, Sendable {
        fileprivate let thread: ThreadIdentity
        fileprivate let number: UInt64
    }

    private struct State {
        var open: Token?
        var count: UInt64 = 0
    }

    private let state = Guarded(State())

    /// - Throws: `misuse` on the thread that has a transaction open.
    func requireNone() throws(StoreError) {
        guard state.withLock({ $0.open?.thread }) == .current else { return }
        throw StoreError(
            .misuse, what: "a transaction of this database is open on the same thread",
            recovery: "within a transaction, ask the transaction, not the store")
    }

    /// - Throws: `misuse` for a transaction that is over, and on another thread than its own.
    func require(_ token: Token) throws(StoreError) {
        guard state.withLock({ $0.open }) == token else {
            throw StoreError(
                .misuse, what: "the transaction is over",
                recovery: "use a transaction only within the closure that is given it")
        }
        guard token.thread == .current else {
            throw StoreError(
                .misuse, what: "a transaction is used on another thread than its own",
                recovery: "within a transaction, do not hand it to another thread or task")
        }
    }

    /// Begins a transaction on this thread. Only one is open at a time.
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
