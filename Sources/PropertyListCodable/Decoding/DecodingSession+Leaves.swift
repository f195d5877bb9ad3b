// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// Conversions from a value to each type that property lists represent directly. The common case
// comes first. Conversions are inlined; the creation of errors is not.

extension DecodingSession {
    // MARK: Numbers

    /// Returns the value of an integer, or of a real with an integral value. Nothing is rounded.
    @inline(__always)
    func integer<T: FixedWidthInteger>(
        _ type: T.Type, _ node: UInt32, _ path: () -> CodingPath?
    ) throws -> T {
        let record = record(node)
        if record.kind == .integer {
            let value =
                record.isNegative
                ? T(exactly: Int64(bitPattern: record.payload)) : T(exactly: record.payload)
            if let value { return value }
        }
        if record.kind == .real, let value = T(exactly: Double(bitPattern: record.payload)) {
            return value
        }
        throw refusal(type, node, path(), isNumber: true)
    }

    /// Returns the value of a real or an integer. An integer is rounded if necessary; for reals,
    /// see ``narrowed(_:to:)``.
    @inline(__always)
    func real<T: BinaryFloatingPoint>(
        _ type: T.Type, _ node: UInt32, _ path: () -> CodingPath?
    ) throws -> T {
        let record = record(node)
        if record.kind == .real, let value = narrowed(record.payload, to: type) { return value }
        if record.kind == .integer {
            return record.isNegative ? T(Int64(bitPattern: record.payload)) : T(record.payload)
        }
        throw refusal(type, node, path(), isNumber: true)
    }

    /// Converts a `Double` to another type. A `Double` from the binary format must convert exactly,
    /// because the writer chose its width. Any other real is rounded to the requested type. Returns
    /// nil if the exact conversion fails or the rounded value overflows.
    @inline(__always)
    private func narrowed<T: BinaryFloatingPoint>(_ bits: UInt64, to type: T.Type) -> T? {
        let value = Double(bitPattern: bits)
        if value.isNaN { return T.nan }
        if let exact = T(exactly: value) { return exact }
        guard table.format != .binary else { return nil }
        let rounded = T(value)
        return rounded.isInfinite ? nil : rounded
    }

    /// Returns a boolean. Numbers are not accepted.
    @inline(__always)
    func boolean(_ node: UInt32, _ path: () -> CodingPath?) throws -> Bool {
        let record = record(node)
        guard record.kind == .boolean else { throw refusal(Bool.self, node, path()) }
        return record.payload != 0
    }

    // MARK: Text, data, dates

    /// Returns a string. Throws for `$null`, which represents nil.
    @inline(__always)
    func string(_ node: UInt32, _ path: () -> CodingPath?) throws -> String {
        guard let text = try stringIfPresent(node, path) else {
            throw refusal(String.self, node, path())
        }
        return text
    }

    /// Returns a string, or nil for a value that represents nil.
    @inline(__always)
    func stringIfPresent(_ node: UInt32, _ path: () -> CodingPath?) throws -> String? {
        let record = record(node)
        guard record.kind == .string else {
            if record.kind == .null { return nil }
            throw refusal(String.self, node, path())
        }
        let text = text(node, record)
        return text.utf8.count == 5 && text == ArchiveFormat.null ? nil : text
    }

    /// Returns a date.
    func date(_ node: UInt32, _ path: () -> CodingPath?) throws -> Date {
        let record = record(node)
        guard record.kind == .date else { throw refusal(Date.self, node, path()) }
        return Date(timeIntervalSinceReferenceDate: Double(bitPattern: record.payload))
    }

    /// Returns data.
    func data(_ node: UInt32, _ path: () -> CodingPath?) throws -> Data {
        let record = record(node)
        guard record.kind == .data else { throw refusal(Data.self, node, path()) }
        return sharesNodes
            ? longData.data(of: node, in: table) : Data(table.content(of: record))
    }

    // MARK: Trees and UIDs

    /// Returns the value with everything below it, unchanged.
    func tree(_ node: UInt32, _ path: () -> CodingPath?) throws -> PropertyListValue {
        if node == Self.missing { return .null }
        do {
            return try tree(of: node)
        } catch {
            let inner = error.path?.codingKeys ?? []
            throw corrupted(
                CodingPath.keys(of: path()) + inner, "Cannot represent the value as a tree.", error)
        }
    }

    /// Returns a UID. Also accepts its XML form, a dictionary with `CF$UID`.
    func uid(_ node: UInt32, _ path: () -> CodingPath?) throws -> PropertyListUID {
        let record = record(node)
        if record.kind == .uid {
            return PropertyListUID(UInt32(truncatingIfNeeded: record.payload))
        }
        if let number = table.uidNumber(ofDictionary: record) { return PropertyListUID(number) }
        throw refusal(PropertyListUID.self, node, path())
    }
}
