// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A value of a type that is known to be `T`, as that: what a cast does, without asking the runtime.
///
/// - Precondition: both types are the same, which callers have compared.
@inline(__always)
func same<Value, T>(_ value: Value, as type: T.Type) -> T {
    assert(Value.self == T.self)
    // SAFETY: the types are the same, so that the bits are those of a valid value.
    return unsafe unsafeBitCast(value, to: type)
}
