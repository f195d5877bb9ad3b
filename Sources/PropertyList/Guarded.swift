// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// `Mutex` requires macOS 15 or iOS 18, so Apple platforms use an unfair lock instead.

#if canImport(Darwin)
internal import PlatformC
#else
internal import Synchronization
#endif

#if canImport(Darwin)
/// A value behind a lock, for state that threads share.
///
/// `@unchecked Sendable`: the value is read and changed only while the lock is held.
// SAFETY: no pointer leaves the class, and the lock lives as long as the object.
@safe package final class Guarded<Value: Sendable>: @unchecked Sendable {
    private var value: Value
    // Allocated on the heap, because a lock must not move.
    private let lock: UnsafeMutablePointer<os_unfair_lock>

    package init(_ value: Value) {
        self.value = value
        // SAFETY: the memory is initialized here and released only in `deinit`.
        unsafe lock = .allocate(capacity: 1)
        unsafe lock.initialize(to: os_unfair_lock())
    }

    deinit {
        // SAFETY: the pointer was allocated and initialized in `init`, and nothing else has it.
        unsafe lock.deinitialize(count: 1)
        unsafe lock.deallocate()
    }

    /// Runs a closure with exclusive access to the value.
    package func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        // SAFETY: the lock lives as long as this object.
        unsafe os_unfair_lock_lock(lock)
        defer { unsafe os_unfair_lock_unlock(lock) }
        return try body(&value)
    }

    /// Runs a closure with exclusive access to the value, or returns nil if the lock is taken.
    package func withLockIfAvailable<R, E: Error>(
        _ body: (inout Value) throws(E) -> R
    ) throws(E) -> R? {
        // SAFETY: the lock lives as long as this object.
        guard unsafe os_unfair_lock_trylock(lock) else { return nil }
        defer { unsafe os_unfair_lock_unlock(lock) }
        return try body(&value)
    }
}
#else
/// A value behind a lock, for state that threads share.
package final class Guarded<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: Value) { mutex = Mutex(value) }

    /// Runs a closure with exclusive access to the value.
    package func withLock<R, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending R
    ) throws(E) -> sending R {
        try mutex.withLock(body)
    }

    /// Runs a closure with exclusive access to the value, or returns nil if the lock is taken.
    package func withLockIfAvailable<R, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending R
    ) throws(E) -> sending R? {
        try mutex.withLockIfAvailable(body)
    }
}
#endif

extension Guarded {
    /// A copy of the value.
    package var copy: Value { withLock { $0 } }
}
