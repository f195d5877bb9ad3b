// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// A simple reference parser of `bplist00`: recursive, one object at a time, and slow. The
/// library's strict parsing must accept the same files with the same values.
public struct SlowBinaryReader {
    /// A refusal, with the violated rule.
    public struct Refusal: Error, CustomStringConvertible {
        public let description: String
    }

    private enum Object {
        case scalar(PropertyListValue)
        case array([Int])
        case set([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private let file: [UInt8]
    private var referenceWidth = 0
    private var table = 0
    private var objects: [Object] = []
    private var covered = 0
    // The heights of containers that are known to be free of cycles.
    private var heights: [Int: Int] = [:]

    /// Returns the value of the root, which may have at most `expansion` values.
    public static func value(
        of file: [UInt8], depth: Int = 512, expansion: Int = 1_000_000
    ) throws -> PropertyListValue {
        var reader = SlowBinaryReader(file: file)
        let top = try reader.readAll()
        for number in reader.objects.indices { try reader.checkCycles(number, open: []) }
        for object in reader.objects { try reader.checkKeys(object) }
        guard reader.height(top) <= depth else { throw Refusal(description: "depth") }
        var budget = expansion
        return try reader.value(top, &budget)
    }

    private init(file: [UInt8]) { self.file = file }

    // MARK: Bytes

    /// Returns the number in the `width` bytes at `offset`; nil if it is above `Int.max`.
    private func number(_ offset: Int, _ width: Int) -> Int? {
        var result = 0
        for byte in file[offset..<(offset + width)] {
            let (product, overflow) = result.multipliedReportingOverflow(by: 256)
            if overflow { return nil }
            result = product + Int(byte)
        }
        return result
    }

    private func bits(_ offset: Int, _ width: Int) -> UInt64 {
        file[offset..<(offset + width)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func check(_ condition: Bool, _ rule: String) throws {
        if !condition { throw Refusal(description: rule) }
    }

    private func unwrapped<T>(_ value: T?, _ rule: String) throws -> T {
        guard let value else { throw Refusal(description: rule) }
        return value
    }

    // MARK: File

    private mutating func readAll() throws -> Int {
        try check(file.starts(with: "bplist00".utf8), "magic")
        try check(file.count >= 42, "size")
        let trailer = file.count - 32
        let offsetWidth = Int(file[trailer + 6])
        referenceWidth = Int(file[trailer + 7])
        let count = try unwrapped(number(trailer + 8, 8), "count")
        let top = try unwrapped(number(trailer + 16, 8), "top")
        table = try unwrapped(number(trailer + 24, 8), "table")
        try check((1...8).contains(offsetWidth) && (1...8).contains(referenceWidth), "widths")
        try check(count >= 1 && count <= file.count && top < count, "top")
        try check(table > 8 && table < trailer, "table")
        try check(table + count * offsetWidth == trailer, "table fills its place")
        for entry in 0..<count {
            let offset = try unwrapped(number(table + entry * offsetWidth, offsetWidth), "offset")
            try check(offset >= 8 && offset < table, "offset")
            objects.append(try read(offset, count: count))
            try check(covered <= file.count + 65536, "coverage")
        }
        return top
    }

    private mutating func read(_ offset: Int, count: Int) throws -> Object {
        let marker = file[offset]
        let low = Int(marker & 15)
        func need(_ size: Int, _ start: Int) throws {
            try check(size <= table - start, "length")
        }
        switch marker >> 4 {
        case 0, 2, 3: return .scalar(try simple(offset))
        case 1:
            try check(low <= 4, "integer width")
            try need(1 << low, offset + 1)
            covered += 1 + 1 << low
            return .scalar(.integer(try integer(offset + 1, 1 << low)))
        case 8:
            try need(low + 1, offset + 1)
            covered += low + 2
            let value = try unwrapped(number(offset + 1, low + 1), "UID")
            return .scalar(.uid(PropertyListUID(try unwrapped(UInt32(exactly: value), "UID"))))
        case 4, 5, 6:
            let (length, start) = try length(offset)
            let unit = marker >> 4 == 6 ? 2 : 1
            try check(length <= file.count, "length")
            try need(length * unit, start)
            covered += start - offset + length * unit
            return .scalar(try content(marker >> 4, Array(file[start..<(start + length * unit)])))
        case 10, 12, 13:
            let (length, start) = try length(offset)
            let number = marker >> 4 == 13 ? 2 : 1
            try check(length <= file.count, "length")
            try need(length * number * referenceWidth, start)
            covered += start - offset + length * number * referenceWidth
            return try container(marker >> 4, length, start, count)
        default: throw Refusal(description: "marker")
        }
    }

    private mutating func simple(_ offset: Int) throws -> PropertyListValue {
        func payload(_ width: Int) throws -> UInt64 {
            try check(width <= table - offset - 1, "length")
            covered += width
            return bits(offset + 1, width)
        }
        covered += 1
        switch file[offset] {
        case 0x00: return .null
        case 0x08: return .boolean(false)
        case 0x09: return .boolean(true)
        case 0x22:
            let single = Float(bitPattern: UInt32(truncatingIfNeeded: try payload(4)))
            return .real(PropertyListReal(single))
        case 0x23: return .real(PropertyListReal(Double(bitPattern: try payload(8))))
        case 0x33:
            let seconds = Double(bitPattern: try payload(8))
            return .date(PropertyListDate(secondsSince2001: seconds))
        default: throw Refusal(description: "marker")
        }
    }

    private func integer(_ start: Int, _ width: Int) throws -> PropertyListInteger {
        if width < 8 { return PropertyListInteger(bits(start, width)) }
        let low = bits(start + width - 8, 8)
        let high = width == 16 ? bits(start, 8) : Int64(bitPattern: low) < 0 ? UInt64.max : 0
        if high == 0 { return PropertyListInteger(low) }
        try check(high == .max && Int64(bitPattern: low) < 0, "16-byte integer")
        return PropertyListInteger(Int(truncatingIfNeeded: low))
    }

    private func length(_ offset: Int) throws -> (Int, Int) {
        let low = Int(file[offset] & 15)
        if low < 15 { return (low, offset + 1) }
        try check(offset + 1 < table, "length")
        let marker = file[offset + 1]
        try check((0x10...0x13).contains(marker), "count marker")
        let width = 1 << Int(marker & 15)
        try check(offset + 2 + width <= table, "length")
        return (try unwrapped(number(offset + 2, width), "count"), offset + 2 + width)
    }

    private func content(_ kind: UInt8, _ bytes: [UInt8]) throws -> PropertyListValue {
        if kind == 4 { return .data(bytes) }
        if kind == 5 {
            try check(bytes.allSatisfy { $0 < 128 }, "ASCII")
            return .string(String(decoding: bytes, as: UTF8.self))
        }
        let units = stride(from: 0, to: bytes.count, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        let text = String(decoding: units, as: UTF16.self)
        try check(text.utf16.elementsEqual(units), "surrogates")
        return .string(text)
    }

    private func container(
        _ kind: UInt8, _ length: Int, _ start: Int, _ count: Int
    ) throws -> Object {
        let references = try (0..<(kind == 13 ? 2 * length : length)).map { place in
            let value = number(start + place * referenceWidth, referenceWidth)
            let reference = try unwrapped(value, "reference")
            try check(reference < count, "reference")
            return reference
        }
        switch kind {
        case 10: return .array(references)
        case 12: return .set(references)
        default:
            return .dictionary(
                keys: Array(references[..<length]), values: Array(references[length...]))
        }
    }

    // MARK: Tree

    private func children(_ object: Object) -> [Int] {
        switch object {
        case .scalar: []
        case .array(let elements), .set(let elements): elements
        case .dictionary(let keys, let values): keys + values
        }
    }

    /// Refuses an object that contains itself.
    private mutating func checkCycles(_ number: Int, open: [Int]) throws {
        try check(!open.contains(number), "cycle")
        if heights[number] != nil { return }
        for child in Set(children(objects[number])) {
            if case .scalar = objects[child] { continue }
            try checkCycles(child, open: open + [number])
        }
        heights[number] = height(number)
    }

    private func checkKeys(_ object: Object) throws {
        guard case .dictionary(let keys, _) = object else { return }
        var seen: Set<[UInt8]> = []
        for key in keys {
            guard case .scalar(.string(let text)) = objects[key] else {
                throw Refusal(description: "key")
            }
            try check(seen.insert(Array(text.utf8)).inserted, "duplicate key")
        }
    }

    private func height(_ number: Int) -> Int {
        if case .scalar = objects[number] { return 0 }
        return heights[number] ?? 1 + (children(objects[number]).map(height).max() ?? 0)
    }

    private func value(_ number: Int, _ budget: inout Int) throws -> PropertyListValue {
        budget -= 1
        try check(budget >= 0, "expansion")
        switch objects[number] {
        case .scalar(let value): return value
        case .array(let elements):
            return .array(PropertyListArray(try elements.map { try value($0, &budget) }))
        case .set(let elements):
            return .set(PropertyListArray(try elements.map { try value($0, &budget) }))
        case .dictionary(let keys, let values):
            var entries = PropertyListDictionary()
            for (key, number) in zip(keys, values) {
                guard case .scalar(.string(let text)) = objects[key] else { continue }
                entries[text] = try value(number, &budget)
            }
            return .dictionary(entries)
        }
    }
}
