// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A position in a part of a type encoding: the types of a group, of an array's elements or of a
/// structure's fields. The type of an array's elements is repeated for each element.
struct TypeRun: BitwiseCopyable, Sendable {
    /// The index of the type of the next value.
    var next: UInt32
    /// The index of the first type.
    let start: UInt32
    /// The index after the last type.
    let end: UInt32
    /// The number of remaining passes over the types, including the current one.
    var remaining: UInt32

    /// Creates a run that passes over its types once.
    @inline(__always)
    init(_ types: Range<Int>) { self.init(types, count: 1) }

    @inline(__always)
    init(_ types: Range<Int>, count: UInt32) {
        next = UInt32(truncatingIfNeeded: types.lowerBound)
        start = next
        end = UInt32(truncatingIfNeeded: types.upperBound)
        remaining = count
    }

    /// A Boolean value indicating whether no value follows.
    @inline(__always)
    var isAtEnd: Bool { next == end && remaining <= 1 }

    /// Consumes the next type with the types nested in it, and returns its index, or nil at the
    /// end.
    @inline(__always)
    mutating func take(_ types: [TypeRecord]) -> Int? {
        if next == end {
            guard remaining > 1 else { return nil }
            remaining &-= 1
            next = start
        }
        let index = Int(next)
        next &+= UInt32(truncatingIfNeeded: types[index].size)
        return index
    }

    /// Returns a run of the types in the array or structure at `index`.
    @inline(__always)
    static func content(of index: Int, _ types: [TypeRecord]) -> TypeRun {
        let record = types[index]
        let inner = index &+ 1..<index &+ Int(record.size)
        return TypeRun(inner, count: record.code == TypeCode.array ? record.count : 1)
    }
}

/// A traversal of the types of a group's values in the order of the file. Arrays and structures are
/// replaced by their elements and fields.
struct TypeWalk {
    private var run: TypeRun
    private var outer: [TypeRun] = []

    @inline(__always)
    init(_ run: TypeRun) { self.run = run }

    /// A Boolean value indicating whether no value follows.
    var isAtEnd: Bool { run.isAtEnd && outer.allSatisfy(\.isAtEnd) }

    /// Returns the type of the next value, which is a scalar or an array of characters, or nil at
    /// the end.
    @inline(__always)
    mutating func next(_ types: [TypeRecord]) -> Int? {
        while true {
            if let index = run.take(types) {
                if types[index].size == 1 { return index }
                if !run.isAtEnd { outer.append(run) }
                run = .content(of: index, types)
            } else {
                guard let last = outer.popLast() else { return nil }
                run = last
            }
        }
    }
}
