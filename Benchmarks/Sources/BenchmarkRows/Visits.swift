// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PropertyList

extension PropertyListNode {
    /// Returns the checksum of the value and everything in it.
    func checksum() throws -> UInt64 {
        var events = PropertyListEventReader(self, limits: Ours.limits)
        var visit = Visit()
        while let event = try events.next() { visit.add(event, &events) }
        return visit.sum
    }
}

/// The checksums of the visited part of a property list.
private struct Visit {
    /// A container whose children have not all been visited.
    private struct Container {
        var sum: UInt64 = 0
        let key: UInt64
        let count: Int
        let isDictionary: Bool
    }

    private var outer: [Container] = []
    // The outermost container is an imaginary array, whose only element is the root.
    private var inner = Container(key: 0, count: 1, isDictionary: false)

    /// The checksum of the root, after its last event.
    var sum: UInt64 { inner.sum }

    @inline(__always)
    mutating func add(_ event: PropertyListEvent, _ events: inout PropertyListEventReader) {
        switch event {
        case .string: add(events.withContent { $0.withUnsafeBytes(Checksum.string) }, &events)
        case .integer(let number): add(Checksum.integer(number.value() ?? 0), &events)
        case .boolean(let value): add(Checksum.boolean(value), &events)
        case .real(let number): add(Checksum.real(number.value), &events)
        case .date(let date):
            add(Checksum.date(secondsSince2001: date.secondsSince2001), &events)
        case .data: add(events.withContent { $0.withUnsafeBytes(Checksum.data) }, &events)
        case .uid(let uid): add(Checksum.uid(UInt64(uid.value)), &events)
        case .dictionary(let count): begin(count, isDictionary: true, &events)
        case .array(let count): begin(count, isDictionary: false, &events)
        case .end: end()
        case .set, .null, .unreadable:
            preconditionFailure("no generated input contains sets, nulls or unreadable values")
        }
    }

    @inline(__always)
    private mutating func add(_ value: UInt64, _ events: inout PropertyListEventReader) {
        add(value, key: key(&events))
    }

    @inline(__always)
    private mutating func add(_ value: UInt64, key: UInt64) {
        inner.sum =
            inner.isDictionary
            ? inner.sum &+ Checksum.entry(key, value) : Checksum.appending(value, to: inner.sum)
    }

    @inline(__always)
    private func key(_ events: inout PropertyListEventReader) -> UInt64 {
        inner.isDictionary ? events.withKey { $0.withUnsafeBytes(Checksum.string) } : 0
    }

    private mutating func begin(
        _ count: Int, isDictionary: Bool, _ events: inout PropertyListEventReader
    ) {
        let begun = Container(key: key(&events), count: count, isDictionary: isDictionary)
        outer.append(inner)
        inner = begun
    }

    private mutating func end() {
        let value =
            inner.isDictionary
            ? Checksum.dictionary(sum: inner.sum, count: inner.count)
            : Checksum.array(sum: inner.sum, count: inner.count)
        let key = inner.key
        inner = outer.removeLast()
        add(value, key: key)
    }
}

extension PropertyListValue {
    /// The checksum of the value and everything in it.
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
    /// Returns the checksum of a file, for implementations that write it in another process.
    public static func ofFile(at url: URL) throws -> UInt64 {
        try PropertyListDocument(parsing: Data(contentsOf: url), limits: Ours.limits).root
            .checksum()
    }
}
