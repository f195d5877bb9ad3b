// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList

/// Generates values to archive from the bytes of an input, one after the other.
struct ArchiveScript {
    private var script: ByteScript

    init(_ bytes: [UInt8]) { script = ByteScript(bytes) }

    private mutating func values(_ depth: Int) -> [AnyArchived] {
        let count = Int(script.byte() % 5)
        return (0..<count).map { _ in value(depth: depth + 1) }
    }

    mutating func value(depth: Int) -> AnyArchived {
        switch script.byte() % (depth < 6 ? 14 : 7) {
        case 0: AnyArchived(script.text())
        case 1: AnyArchived(Int(truncatingIfNeeded: script.word()))
        case 2: AnyArchived(Double(bitPattern: script.word()))
        case 3: AnyArchived(script.byte() % 2 == 0)
        case 4: AnyArchived(Mutable(script.text()))
        case 5: AnyArchived(PropertyListValue.data(script.bytes(Int(script.byte() % 32))))
        case 6: AnyArchived(ArchivedNull())
        case 7: AnyArchived(values(depth))
        case 8: AnyArchived(Mutable(values(depth)))
        case 9: AnyArchived(ArchivedSet(values(depth)))
        case 10: AnyArchived(ArchivedOrderedSet(values(depth)))
        case 11: AnyArchived(ArchivedPairs(pairs(depth)))
        case 12: AnyArchived(Mutable(ArchivedPairs(pairs(depth))))
        default: AnyArchived(ArchivedCountedSet(values(depth).map { ($0, 1 + Int(script.byte())) }))
        }
    }

    private mutating func pairs(_ depth: Int) -> [(key: AnyArchived, value: AnyArchived)] {
        let count = Int(script.byte() % 4)
        return (0..<count).map { _ in (value(depth: depth + 1), value(depth: depth + 1)) }
    }
}
