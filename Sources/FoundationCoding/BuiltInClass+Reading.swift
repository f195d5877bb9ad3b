// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
internal import PropertyList

/// An element of a collection of Foundation. The codings of `KeyedArchive` read collections of any
/// decodable type. With this type as the element, the codings call the coder for each element.
struct ObjectElement {
    /// The object; nil for a cycle that the coder has cut.
    let object: AnyObject?
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
        return ObjectElement(object: try reader.element(reference))
    }
}

extension BuiltInClass {
    /// Creates an object of the class from its fields.
    ///
    /// - Throws: the errors of the class's coding in `KeyedArchive`.
    func make(_ coder: KeyedDecoder, _ reader: KeyedUnarchiverCoder) throws -> NSObject {
        switch self {
        case .string: NSString(string: try String(coder: coder))
        case .mutableString: NSMutableString(string: try String(coder: coder))
        case .number: try Self.boxedNumber(coder)
        case .data: NSData(data: try Self.data(coder))
        case .mutableData: NSMutableData(data: try Self.data(coder))
        case .array: Self.array(try Self.elements(coder, reader))
        case .mutableArray: NSMutableArray(array: try Self.elements(coder, reader))
        case .dictionary: try Self.immutable(Self.dictionary(coder))
        case .mutableDictionary: try Self.dictionary(coder)
        case .set: NSSet(array: try Self.hashedElements(coder, reader))
        case .mutableSet: NSMutableSet(array: try Self.hashedElements(coder, reader))
        case .countedSet: try Self.countedSet(coder)
        case .orderedSet: NSOrderedSet(array: try Self.hashedElements(coder, reader))
        case .mutableOrderedSet: NSMutableOrderedSet(array: try Self.hashedElements(coder, reader))
        case .characterSet: NSCharacterSet(bitmapRepresentation: try Self.bitmap(coder, reader))
        case .mutableCharacterSet:
            NSMutableCharacterSet(bitmapRepresentation: try Self.bitmap(coder, reader))
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
        case .indexPath: try Self.path(IndexPath(coder: coder))
        case .error: try Self.error(coder)
        }
    }

    /// Returns a plain value as an object.
    static func object(_ value: PlainValue) -> NSObject {
        switch value {
        case .string(let text): NSString(string: text)
        case .data(let bytes): NSData(data: Data(bytes))
        case .number(let number): object(number)
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
        try coder.forEachElement {
            if let element = try reader.element($0) { elements.append(element) }
        }
        return elements
    }

    private static func hashedElements(
        _ coder: KeyedDecoder, _ reader: KeyedUnarchiverCoder
    ) throws -> [AnyObject] {
        try hashed(elements(coder, reader), "elements", coder)
    }

    /// Returns an array of objects. The initializer that takes a Swift array would be slower,
    /// because it converts each object to a value and back.
    private static func array(_ elements: [AnyObject]) -> NSArray {
        // SAFETY: the array copies the elements before its initializer returns.
        unsafe elements.withUnsafeBufferPointer {
            unsafe NSArray(objects: $0.baseAddress, count: $0.count)
        }
    }

    private static func dictionary(_ coder: KeyedDecoder) throws -> NSMutableDictionary {
        let pairs = try ArchivedPairs<ObjectElement, ObjectElement>(coder: coder).entries
        _ = try hashed(pairs.compactMap(\.key.object), "keys", coder)
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

    private static func countedSet(_ coder: KeyedDecoder) throws -> NSCountedSet {
        let elements = try ArchivedCountedSet<ObjectElement>(coder: coder).elements
        _ = try hashed(elements.compactMap(\.element.object), "elements", coder)
        let set = NSCountedSet(capacity: min(elements.count, 1 << 16))
        for (element, count) in elements {
            guard let element = element.object else { continue }
            // The set has no call to add an element several times.
            try coder.charge(min(count, 1 << 40))
            for _ in 0..<count { set.add(element) }
        }
        return set
    }

    /// Returns whether Foundation crashes when asked for the hash of an object.
    private static func isUnhashable(_ object: AnyObject) -> Bool {
        #if canImport(Darwin)
        return false
        #else
        let type: AnyClass = Swift.type(of: object)
        return type == NSError.self || type == NSDecimalNumber.self || type == NSMeasurement.self
        #endif
    }

    /// The maximum number of elements of one collection that may have the same hash.
    private static let mostCollisions = 1024

    /// Returns the elements of a set, or the keys of a dictionary, after checking that each has a
    /// hash, and that not too many hashes collide.
    ///
    /// The hashes of Foundation's classes have no seed, so an attacker can craft elements that
    /// collide. The time to build a set of such elements grows with the square of their number.
    private static func hashed(
        _ elements: [AnyObject], _ role: String, _ coder: KeyedDecoder
    ) throws -> [AnyObject] {
        for element in elements where isUnhashable(element) {
            throw KeyedArchiveError(
                .wrongType,
                what:
                    "expected \(role) that have a hash, found one of class \(Swift.type(of: element))",
                object: coder.uid,
                recovery: "use another class: Foundation would crash when it hashes the object")
        }
        if elements.count <= mostCollisions { return elements }
        var counts: [Int: Int] = [:]
        for element in elements {
            guard let hash = (element as? NSObject)?.hash else { continue }
            counts[hash, default: 0] += 1
            if counts[hash, default: 0] > mostCollisions {
                throw KeyedArchiveError(
                    .expansionLimitExceeded,
                    what: "expected at most \(mostCollisions) \(role) with the same hash, "
                        + "found more",
                    object: coder.uid)
            }
        }
        return elements
    }
}

// MARK: - Values

extension BuiltInClass {
    /// Returns the bytes of data. The object copies them.
    private static func data(_ coder: KeyedDecoder) throws -> Data {
        let data = try Data(coder: coder)
        for key in ["NS.data", "NS.bytes"] {
            try coder.chargeRepeated(data.count / 256, forKey: key)
        }
        return data
    }

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

    private static func path(_ path: IndexPath) -> NSIndexPath { path as NSIndexPath }

    private static func indexes(_ coder: KeyedDecoder) throws -> NSMutableIndexSet {
        let set = NSMutableIndexSet()
        for range in try ArchivedIndexSet(coder: coder).ranges {
            set.add(in: NSRange(location: range.lowerBound, length: range.count))
        }
        return set
    }

    /// Reads an error. Like Foundation, it omits the entries of the user info whose keys are not
    /// strings.
    private static func error(_ coder: KeyedDecoder) throws -> NSError {
        let domain = try coder.decode(String.self, forKey: "NSDomain")
        let code = try coder.decode(Int.self, forKey: "NSCode")
        var userInfo: [String: Any] = [:]
        if let info = try coder.decodeObject(of: ObjectElement.self, forKey: "NSUserInfo") {
            guard let info = info.object as? NSDictionary else {
                throw KeyedArchiveError(
                    .wrongType, what: "expected NSDictionary in NSUserInfo, found another object",
                    object: coder.uid)
            }
            try coder.chargeRepeated(info.count, forKey: "NSUserInfo")
            for (key, value) in info {
                if let key = key as? String { userInfo[key] = value }
            }
        }
        return NSError(domain: domain, code: code, userInfo: userInfo)
    }
}

// MARK: - Character sets

extension BuiltInClass {
    /// Returns the bitmap of a character set, whatever its form in the archive.
    ///
    /// - Throws: `valueOutOfRange` for an invalid number, range or bitmap.
    private static func bitmap(
        _ coder: KeyedDecoder, _ reader: KeyedUnarchiverCoder
    ) throws -> Data {
        let archived = try ArchivedCharacterSet(coder: coder)
        guard case .predefined(let number) = archived.form else {
            return try newBitmap(archived, coder)
        }
        let key = KeyedUnarchiverCoder.PredefinedSet(
            number: number, isInverted: archived.isInverted)
        if let known = reader.bitmaps[key] { return known }
        let bitmap = try newBitmap(archived, coder)
        reader.bitmaps[key] = bitmap
        return bitmap
    }

    // Foundation asks a set for each of the 1,114,112 code points.
    private static let costOfBitmap = 2000

    private static func newBitmap(
        _ archived: ArchivedCharacterSet, _ coder: KeyedDecoder
    ) throws -> Data {
        try coder.charge(costOfBitmap)
        guard let set = archived.characterSet else {
            throw KeyedArchiveError(
                .valueOutOfRange,
                what: "expected a character set, found an invalid number, range or bitmap",
                object: coder.uid)
        }
        let isInverted = archived.isInverted && !archived.isBitmapOfPredefined
        return (isInverted ? set.inverted : set).bitmapRepresentation
    }
}

extension ArchivedCharacterSet {
    /// A Boolean value indicating whether the archive has the bitmap of a predefined set. Such a
    /// bitmap already includes the inversion.
    fileprivate var isBitmapOfPredefined: Bool {
        if case .predefinedWithBitmap = form { true } else { false }
    }

    fileprivate var characterSet: CharacterSet? {
        switch form {
        case .predefined(let number): Self.predefined(number)
        case .range(let first, let count):
            UInt64(first) + UInt64(count) <= 0x11_0000
                ? NSCharacterSet(range: NSRange(location: Int(first), length: Int(count)))
                    as CharacterSet : nil
        case .members(let text): CharacterSet(charactersIn: text)
        case .bitmap(let bitmap), .predefinedWithBitmap(_, let bitmap): Self.set(of: bitmap)
        }
    }

    /// Returns the set of a bitmap: 8,192 bytes, then the number and 8,192 bytes of each further
    /// plane.
    private static func set(of bitmap: Data) -> CharacterSet? {
        let plane = 8192
        guard bitmap.count >= plane, (bitmap.count - plane) % (plane + 1) == 0 else { return nil }
        for start in stride(from: plane, to: bitmap.count, by: plane + 1) {
            guard (1...16).contains(bitmap[bitmap.startIndex + start]) else { return nil }
        }
        return CharacterSet(bitmapRepresentation: bitmap)
    }

    /// Returns a predefined set by its raw value in `CFCharacterSetPredefinedSet`.
    private static func predefined(_ number: Int) -> CharacterSet? {
        switch number {
        case 1: .controlCharacters
        case 2: .whitespaces
        case 3: .whitespacesAndNewlines
        case 4: .decimalDigits
        case 5: .letters
        case 6: .lowercaseLetters
        case 7: .uppercaseLetters
        case 8: .nonBaseCharacters
        case 9: .decomposables
        case 10: .alphanumerics
        case 11: .punctuationCharacters
        case 12: .illegalCharacters
        case 13: .capitalizedLetters
        case 14: .symbols
        case 15: .newlines
        default: nil
        }
    }
}
