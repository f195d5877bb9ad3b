// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList

/// The work of the rows, done by Foundation in its fastest way.
enum FoundationPeer {
    @Sendable static func parse(_ input: Input, _ scale: Double) throws -> Work {
        let data = try input.data(scale: scale)
        return Work(size: data.count) { .checksum(try visit(value(data))) }
    }

    private static func value(_ data: Data) throws -> Any {
        try PropertyListSerialization.propertyList(from: data, format: nil)
    }

    @Sendable static func write(_ input: Input, _ scale: Double) throws -> Work {
        let value = try value(input.inBinary.data(scale: scale))
        let format: PropertyListSerialization.PropertyListFormat =
            input.format == .binary ? .binary : .xml
        return Work(size: try input.size(scale: scale)) {
            let data = try PropertyListSerialization.data(
                fromPropertyList: value, format: format, options: 0)
            return .file { try Ours.file([UInt8](data)).checksum() }
        }
    }

    @Sendable static func touch(_ input: Input, _ scale: Double) throws -> Work {
        let data = try input.data(scale: scale)
        return Work(size: data.count) { .checksum(try visit(touched(value(data)))) }
    }

    private static func touched(_ root: Any) throws -> Any {
        let entries = root as? [String: Any] ?? [:]
        let tracks = entries["Tracks"] as? [String: Any]
        let objects = (entries["$objects"] as? [Any])?[2]
        let found =
            (tracks?["100"] as? [String: Any])?["Name"] ?? objects ?? (root as? [Any])?[1_000]
        guard let found else {
            throw BenchmarkError(
                "expected Tracks/100/Name, $objects[2] or element 1,000, found none of them")
        }
        return found
    }

    @Sendable static func lookUp(_ input: Input, _ scale: Double) throws -> Work {
        let data = try input.data(scale: scale)
        let keys = Lookup.keys(scale)
        return Work(size: data.count) {
            let entries = try value(data) as? [String: Any] ?? [:]
            return .checksum(try Lookup.checksum(keys) { (entries[$0] as? NSNumber)?.intValue })
        }
    }
}

// MARK: - Visiting

extension FoundationPeer {
    // The type is tested first, because a cast that fails is many times as expensive as one that
    // succeeds.
    private static func visit(_ value: Any) throws -> UInt64 {
        switch ObjectIdentifier(type(of: value)) {
        case ObjectIdentifier(String.self): Checksum.string(value as? String ?? "")
        case ObjectIdentifier([AnyHashable: Any].self):
            try visit(value as? [AnyHashable: Any] ?? [:])
        case ObjectIdentifier([Any].self): try visit(value as? [Any] ?? [])
        case ObjectIdentifier(Bool.self): Checksum.boolean(value as? Bool ?? false)
        case ObjectIdentifier(Date.self): visit(value as? Date ?? .distantPast)
        case ObjectIdentifier(Data.self): visit(value as? Data ?? Data())
        default: if let number = value as? NSNumber { visit(number) } else { try uid(value) }
        }
    }

    private static func visit(_ date: Date) -> UInt64 {
        Checksum.date(secondsSince2001: date.timeIntervalSinceReferenceDate)
    }

    private static func visit(_ data: Data) -> UInt64 { data.withUnsafeBytes { Checksum.data($0) } }

    private static func visit(_ number: NSNumber) -> UInt64 {
        // "d" and "f" are the types of reals.
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): Checksum.real(number.doubleValue)
        default: Checksum.integer(number.intValue)
        }
    }

    private static func visit(_ elements: [Any]) throws -> UInt64 {
        let sum = try elements.reduce(0) { Checksum.appending(try visit($1), to: $0) }
        return Checksum.array(sum: sum, count: elements.count)
    }

    private static func visit(_ entries: [AnyHashable: Any]) throws -> UInt64 {
        var sum: UInt64 = 0
        for (key, value) in entries {
            sum &+= Checksum.entry(Checksum.string(key.base as? String ?? ""), try visit(value))
        }
        return Checksum.dictionary(sum: sum, count: entries.count)
    }

    /// Returns the checksum of a UID. Foundation's type for UIDs is not public, so a function of
    /// CoreFoundation reads its value.
    private static func uid(_ value: Any) throws -> UInt64 {
        #if canImport(Darwin)
        throw BenchmarkError("UIDs cannot be read through Foundation here")
        #else
        Checksum.uid(UInt64(uidValue(value as AnyObject)))
        #endif
    }
}

#if !canImport(Darwin)
@_silgen_name("_CFKeyedArchiverUIDGetValue")
private func uidValue(_ uid: AnyObject) -> UInt32
#endif
