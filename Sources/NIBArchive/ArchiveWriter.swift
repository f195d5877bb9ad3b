// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A serializer for the sections of an archive.
struct ArchiveWriter {
    private(set) var bytes: [UInt8] = []

    /// Appends the header. ``begin(section:count:)`` fills in the directory of sections later.
    mutating func append(version: UInt32) {
        bytes += HeaderLayout.magic
        append(bits: UInt64(HeaderLayout.formatVersion), width: 4)
        append(bits: UInt64(version), width: 4)
        bytes += [UInt8](repeating: 0, count: HeaderLayout.size - bytes.count)
    }

    /// Begins section 0, 1, 2 or 3: objects, keys, values or class names.
    mutating func begin(section: Int, count: Int) {
        let place = HeaderLayout.directory + 8 * section
        for index in 0..<4 {
            bytes[place + index] = UInt8(truncatingIfNeeded: count >> (8 * index))
            bytes[place + 4 + index] = UInt8(truncatingIfNeeded: bytes.count >> (8 * index))
        }
    }

    mutating func append(_ content: some Sequence<UInt8>) { bytes += content }

    /// Appends a variable-length integer.
    mutating func append(variable value: Int) {
        var rest = value
        while rest > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: rest & 0x7f))
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest | 0x80))
    }

    /// Appends the lowest `width` bytes of a number in little-endian order.
    mutating func append(bits: UInt64, width: Int) {
        for index in 0..<width {
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 &* index)))
        }
    }

    mutating func append(class name: ArraySlice<UInt8>, fallbacks: [Int]) {
        append(variable: name.count + 1)
        append(variable: fallbacks.count)
        for fallback in fallbacks { append(bits: UInt64(fallback), width: 4) }
        bytes += name
        bytes.append(0)
    }

    /// Appends the type and the payload of a value.
    mutating func append(value: NIBArchiveBuilder.Value) {
        switch value {
        case .integer(let number): append(integer: number)
        case .boolean(let flag): append(type: flag ? .true : .false)
        case .float(let number): append(type: .float, UInt64(number.bitPattern))
        case .double(let number): append(type: .double, number.bitPattern)
        case .data(let data):
            append(type: .data)
            append(variable: data.count)
            bytes += data
        case .null: append(type: .null)
        case .object(let object): append(type: .reference, UInt64(object.index))
        }
    }

    /// Appends an integer in the width that Apple's writers choose. Negative integers take 8 bytes.
    private mutating func append(integer number: Int64) {
        let type: ValueType =
            switch number {
            case 0...127: .int8
            case 128...32767: .int16
            case 32768...Int64(Int32.max): .int32
            default: .int64
            }
        append(type: type, UInt64(bitPattern: number))
    }

    mutating func append(type: ValueType, _ bits: UInt64 = 0) {
        bytes.append(type.rawValue)
        append(bits: bits, width: type.width ?? 0)
    }

    /// Returns the bytes of the archive.
    func finish() throws(NIBArchiveError) -> [UInt8] {
        guard bytes.count <= NIBArchiveLimits.addressableSize else {
            throw NIBArchiveError(
                .sizeLimitExceeded,
                "expected at most \(NIBArchiveLimits.addressableSize) bytes, found \(bytes.count)")
        }
        return bytes
    }
}

extension NIBArchiveDocument {
    /// Serializes the archive again. The result equals the bytes from which it was parsed.
    ///
    /// - Throws: `sizeLimitExceeded` for more than 2,147,483,647 bytes. No document exceeds this
    ///   limit, because it also applies to parsing.
    /// - Complexity: Linear in the size of the archive.
    public func serialized() throws(NIBArchiveError) -> [UInt8] {
        let tables = storage.tables
        var writer = ArchiveWriter()
        writer.append(version: storage.coderVersion)
        writer.begin(section: 0, count: tables.objects.count)
        for object in tables.objects {
            writer.append(variable: Int(object.class))
            writer.append(variable: Int(object.first))
            writer.append(variable: Int(object.count))
        }
        writer.begin(section: 1, count: tables.keys.count)
        for key in tables.keys {
            writer.append(variable: Int(key.length))
            writer.append(storage.source.bytes[key.range])
        }
        writer.begin(section: 2, count: tables.values.count)
        for index in tables.values.indices {
            append(NIBArchiveValue(storage: storage, index: index), to: &writer)
        }
        writer.begin(section: 3, count: tables.classes.count)
        for `class` in classes {
            writer.append(class: `class`.nameBytes, fallbacks: `class`.fallbackIndices)
        }
        writer.append(trailingBytes)
        return try writer.finish()
    }

    private func append(_ value: NIBArchiveValue, to writer: inout ArchiveWriter) {
        writer.append(variable: value.keyIndex)
        switch value.content {
        // Integers keep their stored width.
        case .integer(let number): writer.append(type: value.type, UInt64(bitPattern: number))
        case .boolean(let flag): writer.append(value: .boolean(flag))
        case .float(let number): writer.append(type: .float, UInt64(number.bitPattern))
        case .double(let number): writer.append(type: .double, number.bitPattern)
        case .data(let data): writer.append(value: .data(Array(data)))
        case .null: writer.append(value: .null)
        case .object(let object): writer.append(type: .reference, UInt64(object.index))
        }
    }
}
