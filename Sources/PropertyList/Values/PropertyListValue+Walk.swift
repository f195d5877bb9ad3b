// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension PropertyListValue {
    /// The value and all that it holds, each container before its contents. Linear; not recursive.
    var walk: Walk { Walk(pending: [self]) }

    /// The values of a tree, one after the other.
    struct Walk: Sequence, IteratorProtocol {
        fileprivate var pending: [PropertyListValue]

        mutating func next() -> PropertyListValue? {
            guard let value = pending.popLast() else { return nil }
            if let storage = value.storage { pending += storage.values }
            return value
        }
    }
}
