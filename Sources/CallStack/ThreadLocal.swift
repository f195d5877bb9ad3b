// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An object that a call provides to the nested calls on its thread.
package struct ThreadLocal<Object: AnyObject>: Sendable {
    // The address of the object; 0 for none. Nil if the system has no free thread-local slot. In
    // that case, `object` is always nil.
    private let address = ThreadNumber()

    package init() {}

    /// The object of the innermost ``provide(_:to:)`` on this thread; nil outside such a call.
    package var object: Object? {
        // SAFETY: only `provide` sets the address. The object lives until that call returns.
        guard let address, let pointer = unsafe UnsafeRawPointer(bitPattern: address.value) else {
            return nil
        }
        return unsafe Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Calls `body`, during which `object` is the thread's object.
    package func provide(_ object: Object, to body: () -> Void) {
        let outer = address?.value ?? 0
        // SAFETY: the address is removed before the object is released.
        address?.value = unsafe UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        defer { address?.value = outer }
        withExtendedLifetime(object, body)
    }
}
