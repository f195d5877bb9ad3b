// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Builds binary property lists, well-formed or not, from a description of their objects.
///
/// References are object numbers, and are written as given. All other parts default to what a
/// writer would do, so that a test case states only its defect:
///
/// ```swift
/// BinaryAssembler([.array([0])])                       // contains itself
/// BinaryAssembler([.boolean(true)], objectCount: 1 << 60)
/// ```
public struct BinaryAssembler: Sendable {
    /// An object, named after its marker.
    public enum Object: Sendable {
        case null
        case boolean(Bool)
        case integer(UInt64, width: Int = 1)
        /// A 16-byte integer: the high half, then the low half.
        case wideInteger(UInt64, UInt64)
        case real(Double)
        case single(Float)
        case date(Double)
        case data([UInt8])
        case ascii(String)
        case utf16([UInt16])
        case uid(UInt64, width: Int = 1)
        case array([UInt64])
        case set([UInt64])
        case dictionary([UInt64], [UInt64])
        /// A marker, a count in a following integer of `width` bytes, and the counted contents.
        case counted(UInt8, UInt64, width: Int, [UInt8] = [])
        case raw([UInt8])
    }

    /// An entry of the offset table.
    public enum Entry: Sendable {
        /// The offset of an object.
        case object(Int)
        /// Any other number.
        case offset(UInt64)
    }

    public var objects: [Object]
    public var header = Array("bplist00".utf8)
    /// The width of the entries. The trailer declares the same width unless
    /// ``declaredOffsetWidth`` overrides it.
    public var offsetWidth: Int
    public var referenceWidth: Int
    public var declaredOffsetWidth: UInt8?
    public var declaredReferenceWidth: UInt8?
    public var objectCount: UInt64?
    public var topObject: UInt64
    public var tableOffset: UInt64?
    /// The entries of the offset table; nil for one entry per object, in order.
    public var entries: [Entry]?
    /// Bytes before objects, by object number.
    public var gaps: [Int: [UInt8]] = [:]
    /// Bytes between the offset table and the trailer.
    public var slack: [UInt8] = []
    /// The first six bytes of the trailer.
    public var unused = [UInt8](repeating: 0, count: 6)

    public init(
        _ objects: [Object], offsetWidth: Int = 1, referenceWidth: Int = 1,
        objectCount: UInt64? = nil, topObject: UInt64 = 0, tableOffset: UInt64? = nil,
        entries: [Entry]? = nil
    ) {
        self.objects = objects
        self.offsetWidth = offsetWidth
        self.referenceWidth = referenceWidth
        self.objectCount = objectCount
        self.topObject = topObject
        self.tableOffset = tableOffset
        self.entries = entries
    }

    /// Returns a copy with a change.
    public func with(_ change: (inout BinaryAssembler) -> Void) -> BinaryAssembler {
        var copy = self
        change(&copy)
        return copy
    }

    /// Returns the offset at which object `number` begins.
    public func offset(of number: Int) -> Int { layOut().offsets[number] }

    /// The offset at which the offset table begins.
    public var tablePlace: Int { layOut().bytes.count }

    /// The offset at which the trailer begins.
    public var trailerPlace: Int { bytes.count - 32 }

    /// The whole file.
    public var bytes: [UInt8] {
        let (objectBytes, offsets) = layOut()
        var output = objectBytes
        let table = output.count
        let entries = entries ?? objects.indices.map { .object($0) }
        for entry in entries {
            switch entry {
            case .object(let number): output += Self.bytes(of: UInt64(offsets[number]), offsetWidth)
            case .offset(let value): output += Self.bytes(of: value, offsetWidth)
            }
        }
        output += slack + unused
        output.append(declaredOffsetWidth ?? UInt8(truncatingIfNeeded: offsetWidth))
        output.append(declaredReferenceWidth ?? UInt8(truncatingIfNeeded: referenceWidth))
        output += Self.bytes(of: objectCount ?? UInt64(entries.count), 8)
        output += Self.bytes(of: topObject, 8)
        output += Self.bytes(of: tableOffset ?? UInt64(table), 8)
        return output
    }

    private func layOut() -> (bytes: [UInt8], offsets: [Int]) {
        var output = header
        var offsets: [Int] = []
        for (number, object) in objects.enumerated() {
            output += gaps[number] ?? []
            offsets.append(output.count)
            output += bytes(of: object)
        }
        return (output, offsets)
    }

    private func bytes(of object: Object) -> [UInt8] {
        switch object {
        case .null: [0x00]
        case .boolean(let value): [value ? 0x09 : 0x08]
        case .integer(let value, let width):
            [0x10 | UInt8(width.trailingZeroBitCount)] + Self.bytes(of: value, width)
        case .wideInteger(let high, let low):
            [0x14] + Self.bytes(of: high, 8) + Self.bytes(of: low, 8)
        case .real(let value): [0x23] + Self.bytes(of: value.bitPattern, 8)
        case .single(let value): [0x22] + Self.bytes(of: UInt64(value.bitPattern), 4)
        case .date(let value): [0x33] + Self.bytes(of: value.bitPattern, 8)
        case .data(let bytes): Self.marker(0x40, bytes.count) + bytes
        case .ascii(let text): Self.marker(0x50, text.utf8.count) + Array(text.utf8)
        case .utf16(let units):
            Self.marker(0x60, units.count) + units.flatMap { Self.bytes(of: UInt64($0), 2) }
        case .uid(let value, let width):
            [0x80 | UInt8(width - 1)] + Self.bytes(of: value, width)
        case .array(let elements): Self.marker(0xA0, elements.count) + references(elements)
        case .set(let elements): Self.marker(0xC0, elements.count) + references(elements)
        case .dictionary(let keys, let values):
            Self.marker(0xD0, keys.count) + references(keys) + references(values)
        case .counted(let marker, let count, let width, let payload):
            Self.count(marker, count, width) + payload
        case .raw(let bytes): bytes
        }
    }

    private func references(_ numbers: [UInt64]) -> [UInt8] {
        numbers.flatMap { Self.bytes(of: $0, referenceWidth) }
    }

    private static func marker(_ marker: UInt8, _ count: Int) -> [UInt8] {
        if count < 15 { return [marker | UInt8(count)] }
        let width = count <= 0xFF ? 1 : count <= 0xFFFF ? 2 : 4
        return self.count(marker, UInt64(count), width)
    }

    private static func count(_ marker: UInt8, _ count: UInt64, _ width: Int) -> [UInt8] {
        [marker | 0x0F, 0x10 | UInt8(width.trailingZeroBitCount)] + bytes(of: count, width)
    }

    /// Returns `value` in `width` bytes, with leading zeros if that is more than eight.
    private static func bytes(of value: UInt64, _ width: Int) -> [UInt8] {
        (0..<width).reversed().map {
            $0 >= 8 ? 0 : UInt8(truncatingIfNeeded: value >> UInt64($0 * 8))
        }
    }
}
