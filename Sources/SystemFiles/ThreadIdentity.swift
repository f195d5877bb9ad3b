// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

/// The identity of a thread of the process, valid while the thread lives.
package struct ThreadIdentity: Equatable, Sendable {
    private let number: UInt

    /// The calling thread.
    package static var current: ThreadIdentity {
        #if canImport(Darwin) || canImport(Musl)
        // SAFETY: the pointer is a number here, and nothing is read through it.
        unsafe ThreadIdentity(number: UInt(bitPattern: pthread_self()))
        #else
        // The number is signed on Android, and may be negative.
        ThreadIdentity(number: UInt(truncatingIfNeeded: pthread_self()))
        #endif
    }
}
