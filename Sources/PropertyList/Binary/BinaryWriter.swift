// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Writes the objects of a list, the offset table and the trailer. The layout of each object is at
/// ``ObjectMarker``, that of the trailer at ``Trailer``.
///
/// Widths by CoreFoundation's rule: references are as wide as the *number* of objects needs, offsets
/// as the *place of the table* needs, each 1, 2, 4 or 8 bytes.
struct BinaryWriter: ~Copyable {
    /// Integers are stored as words, of which the next overwrites what is not theirs.
    private static let slack = 8

    private let store: NodeStore
    private let objects: ObjectList
    private let layout: BinaryLayout
    private let budget: OperationBudget
    private let referenceWidth: Int
    private var output: [UInt8] = Array("bplist00".utf8)
    private var offsets: [UInt64] = []

    init(
        _ store: NodeStore, _ objects: ObjectList, _ layout: BinaryLayout,
        _ budget: consuming OperationBudget
    ) {
        self.store = store
        self.objects = objects
        self.layout = layout
        self.budget = budget
        referenceWidth = Self.width(of: UInt64(objects.order.count))
        offsets.reserveCapacity(objects.order.count)
        let references = store.children.count &* referenceWidth
        let text = min(store.bytes.count, objects.order.count &* 64) &+ store.decoded.count
        output.reserveLargeCapacity(text &+ references &+ objects.order.count &* 8)
    }

    mutating func write(root: UInt64 = 0) throws(PropertyListError) -> [UInt8] {
        for node in objects.order {
            offsets.append(UInt64(output.count))
            try append(node)
            try budget.checkOutput(size: output.count)
        }
        let tableOffset = UInt64(output.count)
        let tight = (71 - tableOffset.leadingZeroBitCount) / 8
        let width = layout.hasTightOffsets ? tight : Self.width(of: tableOffset)
        output.append(addingCapacity: offsets.count &* width &+ Self.slack) { output in
            for offset in offsets { output.append(bigEndian: offset, width: width) }
        }
        appendTrailer(tableOffset, offsetWidth: width, root: root)
        return output
    }

    private mutating func appendTrailer(_ tableOffset: UInt64, offsetWidth: Int, root: UInt64) {
        output.append(contentsOf: [0, 0, 0, 0, 0, 0])
        output.append(UInt8(truncatingIfNeeded: offsetWidth))
        output.append(UInt8(truncatingIfNeeded: referenceWidth))
        append(UInt64(objects.order.count), width: 8)
        append(root, width: 8)
        append(tableOffset, width: 8)
    }

    // MARK: Objects

    private mutating func append(_ node: UInt32) throws(PropertyListError) {
        let record = store.records[Int(node)]
        switch record.kind {
        case .string: appendString(record)
        case .integer: appendInteger(record)
        case .dictionary: appendContainer(ObjectMarker.dictionary, record)
        case .array: appendContainer(ObjectMarker.array, record)
        case .set: appendContainer(ObjectMarker.set, record)
        case .uid: appendUID(record)
        case .real: appendReal(record)
        case .data: appendData(record)
        case .boolean: output.append(record.payload == 0 ? ObjectMarker.no : ObjectMarker.yes)
        case .date: append(marker: ObjectMarker.date, record.payload, width: 8)
        case .null: output.append(ObjectMarker.null)
        case .unreadable: throw unreadable(node)
        }
    }

    private mutating func appendInteger(_ record: NodeRecord) {
        let isWide = record.payload > UInt64(Int64.max) && !record.isNegative
        var width = isWide ? 16 : Self.width(of: record.payload)
        if layout.keepsWidths, Int(record.header) >= width { width = Int(record.header) }
        let power = UInt8(truncatingIfNeeded: width.trailingZeroBitCount)
        if width == 16 {
            output.append(ObjectMarker.integer | power)
            append(record.isNegative ? .max : 0, width: 8)
            append(record.payload, width: 8)
        } else {
            append(marker: ObjectMarker.integer | power, record.payload, width: width)
        }
    }

    private mutating func appendReal(_ record: NodeRecord) {
        guard record.header == 4 else {
            return append(marker: ObjectMarker.double, record.payload, width: 8)
        }
        let bits = PropertyListReal.narrowed(record.payload)
        append(marker: ObjectMarker.single, UInt64(bits), width: 4)
    }

    private mutating func appendUID(_ record: NodeRecord) {
        var width = Self.width(of: record.payload)
        if layout.keepsWidths { width = max(width, Int(record.header)) }
        output.append(ObjectMarker.uid | UInt8(truncatingIfNeeded: width &- 1))
        for _ in 0..<max(width &- 8, 0) { output.append(0) }
        append(record.payload, width: min(width, 8))
    }

    private mutating func appendString(_ record: NodeRecord) {
        switch record.encoding {
        case .ascii: appendContent(ObjectMarker.asciiString, record, unit: 1)
        case .utf16: appendContent(ObjectMarker.utf16String, record, unit: 2)
        case .utf8:
            var text: [UInt8] = []
            store.withContent(of: record) { UTF16Text.appendUTF16($0, to: &text) }
            appendCount(ObjectMarker.utf16String, text.count / 2)
            output.append(contentsOf: text)
        }
    }

    private mutating func appendData(_ record: NodeRecord) {
        appendContent(ObjectMarker.data, record, unit: 1)
    }

    private mutating func appendContent(_ marker: UInt8, _ record: NodeRecord, unit: Int) {
        store.withContent(of: record) { content in
            appendCount(marker, content.count / unit)
            output.append(addingCapacity: content.count) { $0.append(contentsOf: content) }
        }
    }

    private mutating func appendContainer(_ marker: UInt8, _ record: NodeRecord) {
        appendCount(marker, record.count)
        let places = record.childRange
        let width = referenceWidth
        output.append(addingCapacity: places.count &* width &+ Self.slack) { output in
            for place in places {
                output.append(
                    bigEndian: objects.number(of: store.children[place]), width: width)
            }
        }
    }

    // MARK: Bytes

    private mutating func appendCount(_ marker: UInt8, _ count: Int) {
        if count < Int(ObjectMarker.countFollows) {
            return output.append(marker | UInt8(truncatingIfNeeded: count))
        }
        output.append(marker | ObjectMarker.countFollows)
        let width = Self.width(of: UInt64(count))
        let power = UInt8(truncatingIfNeeded: width.trailingZeroBitCount)
        append(marker: ObjectMarker.integer | power, UInt64(count), width: width)
    }

    private mutating func append(marker: UInt8, _ value: UInt64, width: Int) {
        output.append(addingCapacity: 1 &+ Self.slack) { output in
            output.append(marker)
            output.append(bigEndian: value, width: width)
        }
    }

    private mutating func append(_ value: UInt64, width: Int) {
        output.append(addingCapacity: Self.slack) { $0.append(bigEndian: value, width: width) }
    }

    /// 1, 2, 4 or 8: the bytes that `value` needs.
    private static func width(of value: UInt64) -> Int {
        value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFF_FFFF ? 4 : 8
    }

    private func unreadable(_ node: UInt32) -> PropertyListError {
        PropertyListError(
            .unrepresentableValue, format: .binary,
            what: "object \(node) could not be read and cannot be written",
            path: PathSearch.path(to: node, from: objects.order.first ?? 0, in: store))
    }
}
