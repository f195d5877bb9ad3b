// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
internal import PropertyList

extension BuiltInClass {
    /// Writes an object of the class, and returns its UID.
    ///
    /// - Throws: `classNotAllowed`, errors for exceeded limits, and the errors of the object's
    ///   fields.
    func write(
        _ object: AnyObject, _ coder: KeyedArchiverCoder, _ writer: ArchiveWriter
    ) throws -> PropertyListUID {
        switch self {
        case .string:
            if let text = object as? NSString {
                return try writer.string(KeyedArchiverCoder.text(text))
            }
        case .number:
            if let number = object as? NSNumber { return try writer.number(Self.number(number)) }
        case .data:
            if let data = object as? NSData {
                return try writer.foreignData(data) { Array(Data(referencing: data)) }
            }
        default: break
        }
        return try writer.foreignInstance(object, ofClassAt: coder.classIndex(type)) {
            try self.encode(object, coder, $0)
        }
    }

    private static let booleanType: AnyClass = Swift.type(of: NSNumber(value: true))

    /// Returns a number as an ``ArchivedNumber`` of the same kind.
    private static func number(_ number: NSNumber) -> ArchivedNumber {
        if Swift.type(of: number) == booleanType { return .boolean(number.boolValue) }
        // SAFETY: the pointer refers to a literal of at least one character.
        switch unsafe Unicode.Scalar(UInt8(bitPattern: number.objCType.pointee)) {
        case "f": return .real(PropertyListReal(number.floatValue))
        case "d": return .real(PropertyListReal(number.doubleValue))
        case "Q": return .integer(PropertyListInteger(number.uint64Value))
        default: return .integer(PropertyListInteger(number.intValue))
        }
    }

    /// Writes the fields of an object.
    private func encode(
        _ object: AnyObject, _ coder: KeyedArchiverCoder, _ encoder: KeyedEncoder
    ) throws {
        switch object {
        case let text as NSString:
            encoder.encodeInline(.string(KeyedArchiverCoder.text(text)), forKey: "NS.string")
        case let data as NSData: encoder.encodeBytes(Data(referencing: data), forKey: "NS.data")
        case let array as NSArray: Self.encode(array, "NS.objects", coder, encoder)
        case let dictionary as NSDictionary: Self.encode(dictionary, coder, encoder)
        case let set as NSCountedSet: Self.encode(set, coder, encoder)
        case let set as NSSet: Self.encode(set, "NS.objects", coder, encoder)
        case let set as NSOrderedSet: Self.encode(set, coder, encoder)
        default: try encodeValue(object, coder, encoder)
        }
    }

    private func encodeValue(
        _ object: AnyObject, _ coder: KeyedArchiverCoder, _ encoder: KeyedEncoder
    ) throws {
        switch object {
        case let set as NSCharacterSet: Self.encode(set, encoder)
        case let date as NSDate:
            Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
                .encode(with: encoder)
        case let interval as NSDateInterval:
            DateInterval(start: interval.startDate, duration: interval.duration)
                .encode(with: encoder)
        case let url as NSURL: Self.encode(url, coder, encoder)
        case let uuid as NSUUID: (uuid as UUID).encode(with: encoder)
        case let number as NSDecimalNumber: try number.decimalValue.encode(with: encoder)
        case let set as NSIndexSet: Self.encode(set, encoder)
        case let path as NSIndexPath: try (path as IndexPath).encode(with: encoder)
        case let error as NSError: Self.encode(error, coder, encoder)
        default: break
        }
    }
}

// MARK: - Collections

extension BuiltInClass {
    private static func encode(
        _ elements: some Sequence<Any>, _ key: String, _ coder: KeyedArchiverCoder,
        _ encoder: KeyedEncoder
    ) {
        encoder.encodeReferences(Array(elements), forKey: key) { try coder.uid(of: $0) }
    }

    private static func encode(
        _ dictionary: NSDictionary, _ coder: KeyedArchiverCoder, _ encoder: KeyedEncoder
    ) {
        var entries: [(key: Any, value: Any)] = []
        entries.reserveCapacity(dictionary.count)
        for (key, value) in dictionary { entries.append((key, value)) }
        entries = inStableOrder(entries)
        encoder.encodeReferences(entries, forKey: "NS.keys") { try coder.uid(of: $0.key) }
        encoder.encodeReferences(entries, forKey: "NS.objects") { try coder.uid(of: $0.value) }
    }

    /// Sorts entries by their keys if all keys are strings, so that equal dictionaries produce
    /// equal archives. Otherwise returns the entries unchanged.
    private static func inStableOrder(
        _ entries: [(key: Any, value: Any)]
    ) -> [(key: Any, value: Any)] {
        var texts: [(text: String, index: Int)] = []
        texts.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            guard let text = entry.key as? String else { return entries }
            texts.append((text, index))
        }
        texts.sort { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        return texts.map { entries[$0.index] }
    }

    private static func encode(
        _ set: NSCountedSet, _ coder: KeyedArchiverCoder, _ encoder: KeyedEncoder
    ) {
        encoder.encode(set.count, forKey: "NS.count")
        for (index, element) in set.enumerated() {
            encoder.encode(forKey: "NS.object\(index)") { try coder.uid(of: element) }
            encoder.encode(set.count(for: element), forKey: "NS.count\(index)")
        }
    }

    private static func encode(
        _ set: NSOrderedSet, _ coder: KeyedArchiverCoder, _ encoder: KeyedEncoder
    ) {
        for (index, element) in set.array.enumerated() {
            encoder.encode(forKey: "NS.object.\(index)") { try coder.uid(of: element) }
        }
    }
}

// MARK: - Values

extension BuiltInClass {
    /// Writes all members of a character set as a bitmap, because Foundation does not reveal
    /// whether the set is a predefined one.
    private static func encode(_ set: NSCharacterSet, _ encoder: KeyedEncoder) {
        encoder.encodeBytes(set.bitmapRepresentation, forKey: "NSBitmap")
    }

    private static func encode(
        _ url: NSURL, _ coder: KeyedArchiverCoder, _ encoder: KeyedEncoder
    ) {
        encoder.encode(forKey: "NS.base") {
            try coder.uid(ofOptional: url.baseURL.map { $0 as NSURL })
        }
        encoder.encode(url.relativeString, forKey: "NS.relative")
    }

    private static func encode(_ set: NSIndexSet, _ encoder: KeyedEncoder) {
        ArchivedIndexSet(ranges: ranges(of: set))?.encode(with: encoder)
    }

    /// Returns the ranges of an index set. One range may have more indexes than a loop could visit.
    static func ranges(of set: NSIndexSet) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        // SAFETY: the second parameter, which would stop the enumeration, is not used.
        unsafe set.enumerateRanges { range, _ in
            ranges.append(range.location..<range.location + range.length)
        }
        return ranges
    }

    private static func encode(
        _ error: NSError, _ coder: KeyedArchiverCoder, _ encoder: KeyedEncoder
    ) {
        encoder.encode(error.domain, forKey: "NSDomain")
        encoder.encode(error.code, forKey: "NSCode")
        encoder.encode(forKey: "NSUserInfo") {
            error.userInfo.isEmpty
                ? ArchiveWriter.null : try coder.uid(of: error.userInfo as NSDictionary)
        }
    }
}
