// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import CKeyed
@_spi(Tables) internal import PropertyList

/// The values of a document, for `keyed_table`. ``block(_:)`` copies them into one block: first the
/// structure, then the values, their children and their contents.
struct ValueTable {
    private let table: DocumentTable
    private let contentSize: Int

    init(_ document: PropertyListDocument) {
        table = DocumentTable(document)
        var size = 0
        for record in table.records where record.kind == .string || record.kind == .data {
            size &+= table.contentLength(of: record)
        }
        contentSize = size
    }

    /// Returns a new block, which the caller must free. Linear.
    func block(_ format: UInt32) -> UnsafeMutablePointer<keyed_table> {
        let head = unsafe MemoryLayout<keyed_table>.stride
        let stride = unsafe MemoryLayout<keyed_value>.stride
        let childrenStart = head + stride * table.count
        let contentStart = childrenStart + MemoryLayout<UInt32>.stride * table.children.count
        let block = unsafe Block.allocate(size: contentStart + contentSize)
        // SAFETY: each part begins where the one before it ends, and has the alignment of its type.
        let values = unsafe (block + head).bindMemory(to: keyed_value.self, capacity: table.count)
        let children = unsafe (block + childrenStart).bindMemory(
            to: UInt32.self, capacity: table.children.count)
        unsafe table.children.withUnsafeBufferPointer { source in
            if let first = source.baseAddress {
                unsafe children.update(from: first, count: source.count)
            }
        }
        var end = unsafe block + contentStart
        var keyCount: UInt32 = 0
        for (number, record) in table.records.enumerated() {
            keyCount = max(keyCount, record.keyNumber)
            unsafe (values + number).initialize(to: value(record, children, &end))
        }
        let result = unsafe block.bindMemory(to: keyed_table.self, capacity: 1)
        unsafe result.initialize(
            to: keyed_table(
                values: values, value_count: UInt32(truncatingIfNeeded: table.count),
                root: table.root, key_count: keyCount, format: format))
        return unsafe result
    }

    /// Returns a record as a C structure. Copies its content to `end` and advances `end`.
    private func value(
        _ record: NodeRecord, _ children: UnsafeMutablePointer<UInt32>,
        _ end: inout UnsafeMutableRawPointer
    ) -> keyed_value {
        var value = unsafe keyed_value()
        unsafe value.kind = record.kind.rawValue
        unsafe value.offset = record.offset
        switch record.kind {
        case .string, .data:
            let content = table.content(of: record)
            unsafe value.encoding = record.kind == .string ? record.encoding.rawValue : 0
            unsafe value.count = UInt32(truncatingIfNeeded: content.count)
            unsafe value.key = record.keyNumber
            unsafe value.u.bytes = UnsafePointer(end.assumingMemoryBound(to: UInt8.self))
            unsafe content.withUnsafeBytes { source in
                if let first = source.baseAddress {
                    // SAFETY: the block has room for all contents.
                    unsafe end.copyMemory(from: first, byteCount: source.count)
                }
            }
            unsafe end += content.count
        case .array, .set, .dictionary:
            unsafe value.count = UInt32(truncatingIfNeeded: record.count)
            unsafe value.u.children = UnsafePointer(children + record.childRange.lowerBound)
        case .integer:
            unsafe value.is_negative = record.isNegative ? 1 : 0
            unsafe value.u.natural = record.payload
        case .boolean, .uid, .real, .date: unsafe value.u.natural = record.payload
        case .null, .unreadable: break
        }
        return unsafe value
    }
}

extension PropertyListFormat {
    /// The constant for the format in `keyed.h`.
    var number: UInt32 {
        switch self {
        case .binary: UInt32(KEYED_FORMAT_BINARY)
        case .xml: UInt32(KEYED_FORMAT_XML)
        case .openStep: UInt32(KEYED_FORMAT_OPENSTEP)
        case .json: UInt32(KEYED_FORMAT_JSON)
        default: UInt32(KEYED_FORMAT_UNKNOWN)
        }
    }
}
