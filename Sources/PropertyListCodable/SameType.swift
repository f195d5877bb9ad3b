// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Returns a value as type `T`. Does the same as a cast, without the runtime lookup.
///
/// - Precondition: Both types are the same. Callers compare them.
@inline(__always)
func same<Value, T>(_ value: Value, as type: T.Type) -> T {
    assert(Value.self == T.self)
    // SAFETY: the types are the same, so the bits are those of a valid value.
    return unsafe unsafeBitCast(value, to: type)
}
