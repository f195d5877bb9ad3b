// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PropertyList

extension PropertyListNode {
    /// The checksum of the value and all it holds.
    var checksum: UInt64 {
        switch kind {
        case .string: Checksum.string(string ?? "")
        case .integer: Checksum.integer(integer?.value() ?? 0)
        case .dictionary: dictionaryChecksum
        case .array: arrayChecksum
        case .boolean: Checksum.boolean(boolean ?? false)
        case .real: Checksum.real(real?.value ?? 0)
        case .date: Checksum.date(secondsSince2001: date?.secondsSince2001 ?? 0)
        case .data: (data ?? []).withUnsafeBytes { Checksum.data($0) }
        case .uid: Checksum.uid(UInt64(uid?.value ?? 0))
        case .null, .set, .unreadable: 0
        }
    }

    private var arrayChecksum: UInt64 {
        guard let array else { return 0 }
        let sum = array.reduce(0) { Checksum.appending($1.checksum, to: $0) }
        return Checksum.array(sum: sum, count: array.count)
    }

    private var dictionaryChecksum: UInt64 {
        guard let dictionary else { return 0 }
        var sum: UInt64 = 0
        for entry in dictionary {
            sum &+= Checksum.entry(Checksum.string(entry.key), entry.value.checksum)
        }
        return Checksum.dictionary(sum: sum, count: dictionary.count)
    }
}

extension PropertyListValue {
    /// The checksum of the value and all it holds.
    var checksum: UInt64 {
        switch self {
        case .string(let text): Checksum.string(text)
        case .integer(let number): Checksum.integer(number.value() ?? 0)
        case .dictionary(let entries): entries.checksum
        case .array(let elements): elements.checksum
        case .boolean(let value): Checksum.boolean(value)
        case .real(let number): Checksum.real(number.value)
        case .date(let date): Checksum.date(secondsSince2001: date.secondsSince2001)
        case .data(let bytes): bytes.withUnsafeBytes { Checksum.data($0) }
        case .uid(let uid): Checksum.uid(UInt64(uid.value))
        case .null, .set: 0
        }
    }
}

extension PropertyListArray {
    fileprivate var checksum: UInt64 {
        let sum = reduce(0) { Checksum.appending($1.checksum, to: $0) }
        return Checksum.array(sum: sum, count: count)
    }
}

extension PropertyListDictionary {
    fileprivate var checksum: UInt64 {
        var sum: UInt64 = 0
        for (key, value) in self {
            sum &+= Checksum.entry(Checksum.string(key), value.checksum)
        }
        return Checksum.dictionary(sum: sum, count: count)
    }
}

extension Checksum {
    /// The checksum of a file, for implementations that write one in another process.
    public static func ofFile(at url: URL) throws -> UInt64 {
        try PropertyListDocument(parsing: Data(contentsOf: url), limits: Ours.limits).root.checksum
    }
}
