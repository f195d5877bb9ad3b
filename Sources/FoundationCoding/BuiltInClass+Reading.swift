// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
internal import PropertyList

/// An element of a collection of Foundation. The types of `KeyedArchive` that read a collection,
/// such as `ArchivedPairs`, accept elements of any decodable type. With this type as the element,
/// they call the coder for each element.
struct ObjectElement {
    /// The object; nil for a cycle that the coder has cut.
    let object: AnyObject?
    /// The size of the object as a tree.
    let expansion: Expansion
}

extension ObjectElement: KeyedDecodable {
    static var archivedClass: ArchivedClass { ArchivedClass(name: "NSObject") }

    static func register(in registry: inout ClassRegistry) {}

    init(coder: KeyedDecoder) throws {
        guard let reference = coder.reference else {
            throw KeyedArchiveError(.misuse, what: "expected an object, found the roots")
        }
        self = try Self.unarchive(reference)
    }

    static func unarchive(_ reference: KeyedReference) throws -> ObjectElement {
        guard let reader = reference.roots.companion as? KeyedUnarchiverCoder else {
            throw KeyedArchiveError(
                .misuse,
                what: "expected a KeyedUnarchiverCoder for the elements of a collection, found none"
            )
        }
        return try reader.objectElement(reference)
    }
}

extension BuiltInClass {
    /// Creates an object of the class from its fields.
    ///
    /// - Throws: the errors of the class's coding in `KeyedArchive`.
    func make(_ coder: KeyedDecoder, _ reader: KeyedUnarchiverCoder) throws -> NSObject {
        switch self {
        case .string: NSString(string: try String(coder: coder))
        case .mutableString: try Self.mutableString(coder, reader)
        case .number: try Self.boxedNumber(coder)
        case .data: try reader.data(of: coder.nodeOfData()) { try Data(coder: coder) }
        case .mutableData: try Self.mutableData(coder, reader)
        case .array: Self.array(try Self.elements(coder, reader))
        case .mutableArray: NSMutableArray(array: try Self.elements(coder, reader))
        case .dictionary: try Self.immutable(Self.dictionary(coder, reader))
        case .mutableDictionary: try Self.dictionary(coder, reader)
        case .set: NSSet(array: try Self.hashedElements(coder, reader))
        case .mutableSet: NSMutableSet(array: try Self.hashedElements(coder, reader))
        case .countedSet: try Self.countedSet(coder, reader)
        case .orderedSet: NSOrderedSet(array: try Self.hashedElements(coder, reader))
        case .mutableOrderedSet: NSMutableOrderedSet(array: try Self.hashedElements(coder, reader))
        case .characterSet: try Self.characterSet(coder, reader)
        case .mutableCharacterSet: try Self.mutableCharacterSet(coder, reader)
        case .null: NSNull()
        case .date:
            NSDate(
                timeIntervalSinceReferenceDate: try Date(coder: coder)
                    .timeIntervalSinceReferenceDate)
        case .dateInterval:
            try Self.interval(DateInterval(coder: coder))
        case .url: try Self.url(coder)
        case .uuid: try Self.uuid(UUID(coder: coder))
        case .decimalNumber: NSDecimalNumber(decimal: try Decimal(coder: coder))
        case .indexSet: NSIndexSet(indexSet: try Self.indexes(coder) as IndexSet)
        case .mutableIndexSet: try Self.indexes(coder)
        case .indexPath: try Self.path(coder)
        case .error: try Self.error(coder, reader)
        }
    }

    /// Returns a plain value as an object.
    static func object(_ value: PlainValue) -> NSObject {
        switch value {
        case .string(let text): NSString(string: text)
        case .data(let bytes): NSData(data: Data(bytes))
        case .number(let number): object(number)
        case .date(let date): NSDate(timeIntervalSinceReferenceDate: date.secondsSince2001)
        }
    }

    private static func object(_ number: ArchivedNumber) -> NSNumber {
        switch number {
        case .boolean(let value): return NSNumber(value: value)
        case .real(let real):
            return real.width == .single
                ? NSNumber(value: Float(real.value)) : NSNumber(value: real.value)
        case .integer(let integer):
            if let value = integer.value(as: Int64.self) { return NSNumber(value: value) }
            return NSNumber(value: integer.value(as: UInt64.self) ?? .max)
        }
    }
}

// MARK: - Collections

extension BuiltInClass {
    private static func elements(
        _ coder: KeyedDecoder, _ reader: KeyedUnarchiverCoder
    ) throws -> [AnyObject] {
        var elements: [AnyObject] = []
        var expansion = Expansion.list
        try coder.forEachElement {
            let element = try reader.objectElement($0)
            guard let object = element.object else { return }
            elements.append(object)
            expansion.add(element.expansion)
        }
        reader.setExpansion(expansion, of: coder)
        return elements
    }

    private static func hashedElements(
        _ coder: KeyedDecoder, _ reader: KeyedUnarchiverCoder
    ) throws -> [AnyObject] {
        var elements: [ObjectElement] = []
        try coder.forEachElement { elements.append(try reader.objectElement($0)) }
        try requireHashes(of: elements, "elements", coder)
        reader.setExpansion(.set(of: elements), of: coder)
        return elements.compactMap(\.object)
    }

    /// Returns an array of objects. The initializer that takes a Swift array would be slower,
    /// because it converts each object to a value and back.
    private static func array(_ elements: [AnyObject]) -> NSArray {
        // SAFETY: the array copies the elements before its initializer returns.
        unsafe elements.withUnsafeBufferPointer {
            unsafe NSArray(objects: $0.baseAddress, count: $0.count)
        }
    }

    private static func dictionary(
        _ coder: KeyedDecoder, _ reader: KeyedUnarchiverCoder
    ) throws -> NSMutableDictionary {
        let pairs = try ArchivedPairs<ObjectElement, ObjectElement>(coder: coder).entries
        try requireHashes(of: pairs.lazy.map(\.key), "keys", coder)
        reader.setExpansion(.dictionary(of: pairs), of: coder)
        let dictionary = NSMutableDictionary(capacity: min(pairs.count, 1 << 16))
        for (key, value) in pairs {
            guard let key = key.object as? NSObject, let value = value.object else { continue }
            #if canImport(Darwin)
            guard let key = key as? any NSCopying else {
                throw KeyedArchiveError(
                    .wrongType,
                    what: "expected a key that can be copied, found \(Swift.type(of: key))",
                    object: coder.uid)
            }
            #endif
            dictionary.setObject(value, forKey: key)
        }
        return dictionary
    }

    private static func immutable(_ dictionary: NSMutableDictionary) -> NSDictionary {
        dictionary.copy() as? NSDictionary ?? dictionary
    }

    private static func countedSet(
        _ coder: KeyedDecoder, _ reader: KeyedUnarchiverCoder
    ) throws -> NSCountedSet {
        let elements = try ArchivedCountedSet<ObjectElement>(coder: coder).elements
        try requireHashes(of: elements.lazy.map(\.element), "elements", coder)
        reader.setExpansion(.set(of: elements.lazy.map(\.element)), of: coder)
        let set = NSCountedSet(capacity: min(elements.count, 1 << 16))
        for (element, count) in elements {
            guard let object = element.object else { continue }
            // The set can add an element only once per call, and each repeated call compares it
            // with the stored element.
            let further = min(count, 1 << 40) &- 1
            try coder.charge(further &+ 1)
            if further > 0 { try coder.charge(element.expansion.charge(forComparisons: further)) }
            for _ in 0..<count { set.add(object) }
        }
        return set
    }
}

// MARK: - Values

extension BuiltInClass {
    private static func boxedNumber(_ coder: KeyedDecoder) throws -> NSNumber {
        object(try coder.decode(ArchivedNumber.self, forKey: "NS.number"))
    }

    private static func interval(_ interval: DateInterval) -> NSDateInterval {
        NSDateInterval(start: interval.start, duration: interval.duration)
    }

    /// Reads a URL and its base.
    private static func url(_ coder: KeyedDecoder) throws -> NSURL {
        let url = try URL(coder: coder)
        guard let object = NSURL(string: url.relativeString, relativeTo: url.baseURL) else {
            throw KeyedArchiveError(
                .valueOutOfRange, what: "expected a URL, found text that is not one",
                object: coder.uid)
        }
        return object
    }

    private static func uuid(_ uuid: UUID) -> NSUUID { uuid as NSUUID }

    private static func path(_ coder: KeyedDecoder) throws -> NSIndexPath {
        let path = try IndexPath(coder: coder)
        try coder.charge(copied: path.count &* MemoryLayout<Int>.size)
        return path as NSIndexPath
    }

    private static func indexes(_ coder: KeyedDecoder) throws -> NSMutableIndexSet {
        let set = NSMutableIndexSet()
        let ranges = try ArchivedIndexSet(coder: coder).ranges
        try coder.charge(copied: ranges.count &* MemoryLayout<Range<Int>>.size)
        for range in ranges {
            set.add(in: NSRange(location: range.lowerBound, length: range.count))
        }
        return set
    }

    /// Reads text, and charges the copy if other objects have copied the same text before.
    private static func mutableString(
        _ coder: KeyedDecoder, _ reader: KeyedUnarchiverCoder
    ) throws -> NSMutableString {
        let text = try String(coder: coder)
        let field = coder.reference(forKey: "NS.string") ?? coder.reference(forKey: "NS.bytes")
        if let field { try reader.chargeCopy(of: field.node, text.utf8.count, for: coder) }
        return NSMutableString(string: text)
    }

    /// Reads bytes, and charges the copy if other objects have copied the same bytes before.
    private static func mutableData(
        _ coder: KeyedDecoder, _ reader: KeyedUnarchiverCoder
    ) throws -> NSMutableData {
        let data = try Data(coder: coder)
        try reader.chargeCopy(of: coder.nodeOfData(), data.count, for: coder)
        return NSMutableData(data: data)
    }

    private static func error(
        _ coder: KeyedDecoder, _ reader: KeyedUnarchiverCoder
    ) throws -> NSError {
        let domain = try coder.decode(String.self, forKey: "NSDomain")
        let code = try coder.decode(Int.self, forKey: "NSCode")
        let info = try coder.decodeObject(of: ObjectElement.self, forKey: "NSUserInfo")
        // The object of a reference that is cut is nil.
        guard let info, let object = info.object else {
            return NSError(domain: domain, code: code, userInfo: [:])
        }
        guard let dictionary = object as? NSDictionary else {
            throw KeyedArchiveError(
                .wrongType, what: "expected NSDictionary in NSUserInfo, found another object",
                object: coder.uid)
        }
        var expansion = Expansion.list
        expansion.add(info.expansion)
        reader.setExpansion(expansion, of: coder)
        let isShared = coder.reference(forKey: "NSUserInfo")?.isShared ?? false
        let userInfo = isShared ? reader.userInfo(dictionary) : Self.userInfo(dictionary)
        return NSError(domain: domain, code: code, userInfo: userInfo)
    }

    /// Returns the entries of a user info. Like Foundation, this omits the entries whose keys are
    /// not strings.
    static func userInfo(_ dictionary: NSDictionary) -> [String: Any] {
        var userInfo: [String: Any] = [:]
        userInfo.reserveCapacity(min(dictionary.count, 1 << 16))
        #if canImport(Darwin)
        let entries = dictionary
        #else
        // An iteration over the dictionary itself would convert each value with everything in it.
        let entries = zip(dictionary.allKeys, dictionary.allValues)
        #endif
        for (key, value) in entries {
            if let key = key as? NSString { userInfo[KeyedArchiverCoder.text(key)] = value }
        }
        return userInfo
    }
}
