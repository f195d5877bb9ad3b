// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// The values of the shared objects of an archive that is being read.
///
/// A value is in a box, together with the identity of the type that it was read as. Reading it as
/// the same type then compares two pointers, where a cast from `Any` would look up the type's
/// metadata and conformances.
struct SharedValues {
    /// A box for a value of any type.
    class AnyBox {
        /// The type that the value was read as.
        fileprivate let type: ObjectIdentifier
        /// The value. Each box overrides this property.
        var any: Any { () }

        fileprivate init(_ type: ObjectIdentifier) { self.type = type }

        /// Returns the box as a `Box<Value>`; nil if the value was read as another type.
        @inline(__always)
        func same<Value>(as _: Value.Type) -> Box<Value>? {
            guard type == ObjectIdentifier(Value.self) else { return nil }
            // SAFETY: only `Box<Value>` stores the identity of `Value`.
            return unsafe unsafeDowncast(self, to: Box<Value>.self)
        }
    }

    /// A box for a value, typed as the value was read.
    final class Box<Value>: AnyBox {
        let value: Value

        fileprivate init(_ value: Value) {
            self.value = value
            super.init(ObjectIdentifier(Value.self))
        }

        override var any: Any { value }
    }

    private let objectCount: Int
    // By object: the index of its box plus one; 0 for none. Empty before the first value.
    private var numbers: [UInt32] = []
    private var boxes: [AnyBox?] = []

    /// Creates the table for an archive with `objectCount` entries.
    init(objectCount: Int) { self.objectCount = objectCount }

    /// The box of an object; nil if the object has no value.
    subscript(object: UInt32) -> AnyBox? {
        if numbers.isEmpty { return nil }
        let number = numbers[Int(object)]
        return number == 0 ? nil : boxes[Int(number &- 1)]
    }

    /// Stores the value of an object, in place of an earlier one.
    mutating func insert<Value>(_ value: Value, for object: UInt32) {
        if numbers.isEmpty { numbers = .repeated(0, count: objectCount) }
        let number = numbers[Int(object)]
        if number != 0 {
            boxes[Int(number &- 1)] = Box(value)
            return
        }
        boxes.append(Box(value))
        numbers[Int(object)] = UInt32(truncatingIfNeeded: boxes.count)
    }

    /// Removes the value of an object. The object keeps its place for a later value.
    mutating func remove(_ object: UInt32) {
        if numbers.isEmpty || numbers[Int(object)] == 0 { return }
        boxes[Int(numbers[Int(object)] &- 1)] = nil
    }
}
