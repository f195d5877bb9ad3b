// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension Array {
    /// Returns an array of `count` equal elements.
    ///
    /// `Array(repeating:count:)` looks up the metadata of the array's storage at each call, which
    /// takes longer than filling the tables of a small document. This function is public because
    /// the compiler does not inline less visible ones across modules.
    @_spi(Tables) @inlinable @inline(__always)
    public static func repeated(_ element: Element, count: Int) -> [Element] {
        var array: [Element] = []
        array.reserveCapacity(count)
        array.append(contentsOf: repeatElement(element, count: count))
        return array
    }
}
