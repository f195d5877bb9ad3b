// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The writer of the objects, the offset table and the trailer. For the formats, see
/// ``ObjectMarker`` and ``Trailer``.
///
/// The width of references depends on the *number* of objects, and the width of offsets on the
/// *position of the offset table*. As in CoreFoundation, widths are 1, 2, 4 or 8 bytes. Only tight
/// offsets may have another width.
struct BinaryWriter: ~Copyable {
    private let writer: ObjectWriter
    private let layout: BinaryLayout
    private let budget: OperationBudget

    init(
        _ store: NodeStore, _ objects: ObjectList, root: UInt32, _ layout: BinaryLayout,
        _ budget: consuming OperationBudget
    ) {
        writer = ObjectWriter(
            store: store, objects: objects, root: root, keepsWidths: layout.keepsWidths,
            referenceWidth: ObjectWriter.width(of: UInt64(objects.order.count)))
        self.layout = layout
        self.budget = budget
    }

    func write() throws(PropertyListError) -> [UInt8] {
        let order = writer.objects.order
        var output = emptyOutput()
        var offsets: [UInt64] = []
        try offsets.append(addingCapacity: order.count) { offsets throws(PropertyListError) in
            while offsets.count < order.count { try appendObjects(order, &offsets, &output) }
        }
        let tableOffset = UInt64(output.count)
        let tight = (71 - tableOffset.leadingZeroBitCount) / 8
        let width = layout.hasTightOffsets ? tight : ObjectWriter.width(of: tableOffset)
        output.append(addingCapacity: offsets.count &* width &+ ObjectWriter.slack) { output in
            for offset in offsets { output.append(bigEndian: offset, width: width) }
        }
        appendTrailer(tableOffset, offsetWidth: width, &output)
        return output
    }

    /// Returns the beginning of the file, with capacity for approximately all of it.
    private func emptyOutput() -> [UInt8] {
        let (store, count) = (writer.store, writer.objects.order.count)
        let references = store.children.count &* writer.referenceWidth
        let text = min(store.bytes.count, count &* 64) &+ store.decoded.count
        var output: [UInt8] = []
        // Each object has a marker, a few bytes and an entry in the offset table.
        output.reserveLargeCapacity(text &+ references &+ count &* 12 &+ 128)
        output.append(contentsOf: "bplist00".utf8)
        return output
    }

    /// Appends the next object, and following ones while capacity remains.
    private func appendObjects(
        _ order: [UInt32], _ offsets: inout OutputSpan<UInt64>, _ output: inout [UInt8]
    ) throws(PropertyListError) {
        let start = output.count
        output.makeRoom(for: writer.largestSize(of: order[offsets.count]))
        try output.append(addingCapacity: output.capacity &- start) {
            output throws(PropertyListError) in
            let free = output.freeCapacity
            while offsets.count < order.count {
                let node = order[offsets.count]
                if writer.largestSize(of: node) > output.freeCapacity { return }
                offsets.append(UInt64(start &+ free &- output.freeCapacity))
                try writer.append(node, to: &output)
                try budget.checkOutput(size: start &+ free &- output.freeCapacity)
            }
        }
    }

    private func appendTrailer(
        _ tableOffset: UInt64, offsetWidth: Int, _ output: inout [UInt8]
    ) {
        output.append(addingCapacity: Trailer.size &+ ObjectWriter.slack) { output in
            output.append(bigEndian: 0, width: 6)
            output.append(UInt8(truncatingIfNeeded: offsetWidth))
            output.append(UInt8(truncatingIfNeeded: writer.referenceWidth))
            output.append(bigEndian: UInt64(writer.objects.order.count), width: 8)
            output.append(bigEndian: writer.objects.number(of: writer.root), width: 8)
            output.append(bigEndian: tableOffset, width: 8)
        }
    }
}

// MARK: - Objects

/// A writer of single objects into output that has room for ``largestSize(of:)`` bytes.
private struct ObjectWriter {
    /// The number of extra bytes that a write may touch. Integers are stored as whole words; the
    /// next write overwrites the excess.
    static let slack = 8
    /// The maximum size of a number, or of a marker with a count.
    private static let largestHead = 17

    let store: NodeStore
    let objects: ObjectList
    let root: UInt32
    let keepsWidths: Bool
    let referenceWidth: Int

    /// Returns the maximum size of an object, including the excess bytes of its last word.
    @inline(__always)
    func largestSize(of node: UInt32) -> Int {
        let record = store.records[Int(node)]
        let head = Self.largestHead &+ Self.slack
        switch record.kind {
        case .data: return head &+ store.contentRange(of: record).count
        case .string:
            // UTF-8 is written as UTF-16, in which a one-byte character takes two bytes.
            let units = record.encoding == .utf8 ? 2 : 1
            return head &+ store.contentRange(of: record).count &* units
        case .dictionary, .array, .set: return head &+ record.childRange.count &* referenceWidth
        // A UID may keep a width of 16 bytes.
        default: return head
        }
    }

    @inline(__always)
    func append(
        _ node: UInt32, to output: inout OutputSpan<UInt8>
    ) throws(PropertyListError) {
        let record = store.records[Int(node)]
        switch record.kind {
        case .string: appendString(record, &output)
        case .integer: appendInteger(record, &output)
        case .dictionary: appendContainer(ObjectMarker.dictionary, record, &output)
        case .array: appendContainer(ObjectMarker.array, record, &output)
        case .set: appendContainer(ObjectMarker.set, record, &output)
        case .uid: appendUID(record, &output)
        case .real: appendReal(record, &output)
        case .data: appendContent(ObjectMarker.data, record, unit: 1, &output)
        case .boolean: output.append(record.payload == 0 ? ObjectMarker.no : ObjectMarker.yes)
        case .date: output.append(ObjectMarker.date, bigEndian: record.payload, width: 8)
        case .null: output.append(ObjectMarker.null)
        case .unreadable: throw unreadable(node)
        }
    }

    private func appendInteger(_ record: NodeRecord, _ output: inout OutputSpan<UInt8>) {
        let isWide = record.payload > UInt64(Int64.max) && !record.isNegative
        var width = isWide ? 16 : Self.width(of: record.payload)
        if keepsWidths, Int(record.header) >= width { width = Int(record.header) }
        let power = UInt8(truncatingIfNeeded: width.trailingZeroBitCount)
        if width == 16 {
            output.append(ObjectMarker.integer | power)
            output.append(bigEndian: record.isNegative ? .max : 0, width: 8)
            output.append(bigEndian: record.payload, width: 8)
        } else {
            output.append(ObjectMarker.integer | power, bigEndian: record.payload, width: width)
        }
    }

    private func appendReal(_ record: NodeRecord, _ output: inout OutputSpan<UInt8>) {
        guard record.header == 4 else {
            return output.append(ObjectMarker.double, bigEndian: record.payload, width: 8)
        }
        let bits = PropertyListReal.narrowed(record.payload)
        output.append(ObjectMarker.single, bigEndian: UInt64(bits), width: 4)
    }

    private func appendUID(_ record: NodeRecord, _ output: inout OutputSpan<UInt8>) {
        var width = Self.width(of: record.payload)
        if keepsWidths { width = max(width, Int(record.header)) }
        let marker = ObjectMarker.uid | UInt8(truncatingIfNeeded: width &- 1)
        if width <= 8 { return output.append(marker, bigEndian: record.payload, width: width) }
        output.append(marker)
        for _ in 0..<(width &- 8) { output.append(0) }
        output.append(bigEndian: record.payload, width: 8)
    }

    private func appendString(_ record: NodeRecord, _ output: inout OutputSpan<UInt8>) {
        switch record.encoding {
        case .ascii: appendContent(ObjectMarker.asciiString, record, unit: 1, &output)
        case .utf16: appendContent(ObjectMarker.utf16String, record, unit: 2, &output)
        case .utf8:
            var text: [UInt8] = []
            store.withContent(of: record) { UTF16Text.appendUTF16($0, to: &text) }
            appendCount(ObjectMarker.utf16String, text.count / 2, &output)
            output.append(contentsOf: text.span)
        }
    }

    @inline(__always)
    private func appendContent(
        _ marker: UInt8, _ record: NodeRecord, unit: Int, _ output: inout OutputSpan<UInt8>
    ) {
        store.withContent(of: record) { content in
            appendCount(marker, content.count / unit, &output)
            output.append(contentsOf: content)
        }
    }

    private func appendContainer(
        _ marker: UInt8, _ record: NodeRecord, _ output: inout OutputSpan<UInt8>
    ) {
        appendCount(marker, record.count, &output)
        if record.kind == .dictionary { append(objects.keyRange(of: record), &output) }
        append(record.valueRange, &output)
    }

    /// Appends references to the children at these indices.
    @inline(__always)
    private func append(_ places: Range<Int>, _ output: inout OutputSpan<UInt8>) {
        let children = store.children.span.extracting(places)
        let numbers = objects.numbers.span
        switch referenceWidth {
        case 1: output.append(numbersOf: children, numbers, as: UInt8.self)
        case 2: output.append(numbersOf: children, numbers, as: UInt16.self)
        case 4: output.append(numbersOf: children, numbers, as: UInt32.self)
        default: output.append(numbersOf: children, numbers, as: UInt64.self)
        }
    }

    // MARK: Bytes

    @inline(__always)
    private func appendCount(
        _ marker: UInt8, _ count: Int, _ output: inout OutputSpan<UInt8>
    ) {
        if count < Int(ObjectMarker.countFollows) {
            return output.append(marker | UInt8(truncatingIfNeeded: count))
        }
        output.append(marker | ObjectMarker.countFollows)
        let width = Self.width(of: UInt64(count))
        let power = UInt8(truncatingIfNeeded: width.trailingZeroBitCount)
        output.append(ObjectMarker.integer | power, bigEndian: UInt64(count), width: width)
    }

    /// Returns the width that `value` needs: 1, 2, 4 or 8 bytes.
    @inline(__always)
    static func width(of value: UInt64) -> Int {
        value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFF_FFFF ? 4 : 8
    }

    private func unreadable(_ node: UInt32) -> PropertyListError {
        PropertyListError(
            .unrepresentableValue, format: .binary,
            what: "object \(node) could not be read and cannot be written",
            path: PathSearch.path(to: node, from: root, in: store))
    }
}
