// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import Foundation
import FoundationCoding
import KeyedArchive
import PropertyList
import TestSupport
import Testing

/// The objects of an archive in the making.
private struct Objects {
    /// The values after `$null`. The first has the number 1.
    private(set) var values: [PropertyListValue] = []
    private var classes: [String: PropertyListValue] = [:]

    /// Adds a value, and returns the reference to it.
    mutating func add(_ value: PropertyListValue) -> PropertyListValue {
        values.append(value)
        return .uid(PropertyListUID(UInt32(values.count)))
    }

    /// Adds an object with fields.
    mutating func add(_ name: String, _ fields: PropertyListDictionary) -> PropertyListValue {
        var object = fields
        object["$class"] = classes[name] ?? addClass(name)
        return add(.dictionary(object))
    }

    private mutating func addClass(_ name: String) -> PropertyListValue {
        let added = add(Archives.describe(name))
        classes[name] = added
        return added
    }

    mutating func collection(
        _ name: String, _ elements: [PropertyListValue]
    ) -> PropertyListValue {
        add(name, ["NS.objects": .array(PropertyListArray(elements))])
    }

    mutating func dictionary(
        _ pairs: [(PropertyListValue, PropertyListValue)]
    ) -> PropertyListValue {
        add(
            "NSDictionary",
            [
                "NS.keys": .array(PropertyListArray(pairs.map(\.0))),
                "NS.objects": .array(PropertyListArray(pairs.map(\.1))),
            ])
    }

    /// Adds an empty array, then `depth` arrays that each refer twice to the previous one.
    mutating func doubling(_ depth: Int) -> PropertyListValue {
        (0..<depth).reduce(collection("NSArray", [])) { inner, _ in
            collection("NSArray", [inner, inner])
        }
    }

    /// Returns the archive with one of the objects as its root.
    func archive(root: PropertyListValue) throws -> Data {
        Data(try Archives.make(values, top: ["root": root]))
    }
}

private func readRoot(_ data: Data, limits: ParsingLimits = .default) throws -> Any? {
    let coder = try KeyedUnarchiverCoder(forReadingFrom: data, limits: limits)
    let root = coder.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
    try coder.finishDecoding()
    return root
}

/// Limits that allow `count` visited values, whatever the size of the file.
private func limits(values count: Int) -> ParsingLimits {
    var limits = ParsingLimits.default
    limits.expansion = ParsingLimits.Allowance(factor: 0, base: count)
    return limits
}

private func code(_ data: Data, limits: ParsingLimits = .default) -> KeyedArchiveError.Code? {
    archiveError { try readRoot(data, limits: limits) }?.code
}

@Suite("Collections that share their contents, through the coders")
struct SharedCollectionTests {
    private static let hashed = ["NSSet", "NSMutableSet", "NSOrderedSet"]

    @Test("Elements and keys that share arrays are refused before Foundation compares them")
    func doublingElements() throws {
        for name in Self.hashed {
            var objects = Objects()
            let elements = [objects.doubling(40), objects.doubling(40)]
            let root = objects.collection(name, elements)
            #expect(try code(objects.archive(root: root)) == .expansionLimitExceeded, "\(name)")
        }
        var objects = Objects()
        let (first, second) = (objects.doubling(40), objects.doubling(40))
        var fields: PropertyListDictionary = ["NS.count": 2, "NS.count0": 1, "NS.count1": 1]
        (fields["NS.object0"], fields["NS.object1"]) = (first, second)
        let counted = objects.add("NSCountedSet", fields)
        let one = objects.add(1)
        let dictionary = objects.dictionary([(first, one), (second, one)])
        for root in [counted, dictionary] {
            #expect(try code(objects.archive(root: root)) == .expansionLimitExceeded)
        }
    }

    @Test("Many comparisons of long collections and strings with the same hash are refused")
    func collidingElements() throws {
        var objects = Objects()
        let number = objects.add(0)
        let arrays = (0..<500).map { index in
            let last = objects.add(.integer(PropertyListInteger(index)))
            return objects.collection(
                "NSArray", [PropertyListValue](repeating: number, count: 50) + [last])
        }
        let setOfArrays = objects.collection("NSSet", arrays)
        let padding = String(repeating: "x", count: 100_000)
        let texts = ["1", "2"].map { objects.add(.string(padding + $0 + padding)) }
        let setOfTexts = objects.collection(
            "NSSet", [texts[0]] + [PropertyListValue](repeating: texts[1], count: 1000))
        let element = objects.doubling(10)
        let counted = objects.add(
            "NSCountedSet", ["NS.count": 1, "NS.count0": 1000, "NS.object0": element])
        // Foundation hashes the beginning, the middle and the end of a long string.
        let equalHashes = (1000..<2000).map { number in
            "\(padding.prefix(40))\(number)\(padding.prefix(400))"
        }
        let stored = equalHashes.map { objects.add(.string($0)) }
        let fields = equalHashes.map { objects.add("NSString", ["NS.string": .string($0)]) }
        let setsOfShortTexts = [stored, fields].map { texts in
            objects.collection("NSArray", (0..<4).map { _ in objects.collection("NSSet", texts) })
        }
        for root in [setOfArrays, setOfTexts, counted] + setsOfShortTexts {
            #expect(try code(objects.archive(root: root)) == .expansionLimitExceeded)
        }
    }

    @Test("Sets and dictionaries that Foundation cannot compare are refused as elements")
    func incomparableElements() throws {
        var objects = Objects()
        let arrays = (1...2).map { number in
            let number = objects.add(.integer(PropertyListInteger(number)))
            return objects.collection("NSArray", [number])
        }
        let sets = arrays.map { objects.collection("NSSet", [$0]) }
        let dictionaries = arrays.map { objects.dictionary([($0, $0)]) }
        let nested = sets.map { objects.collection("NSArray", [$0]) }
        for elements in [sets, dictionaries, nested] {
            let root = objects.collection("NSSet", elements)
            #expect(try code(objects.archive(root: root)) == .wrongType)
        }
    }

    @Test("Small collections are read as elements of sets and as keys")
    func smallElements() throws {
        var objects = Objects()
        let numbers = (1...3).map { objects.add(.integer(PropertyListInteger($0))) }
        let arrays = [[0, 1], [0, 2]].map { places in
            objects.collection("NSArray", places.map { numbers[$0] })
        }
        let sets = numbers.map { objects.collection("NSSet", [$0]) }
        let dictionaries = numbers.map { objects.dictionary([(numbers[0], $0)]) }
        let indexSets = [0, 7].map { start in
            objects.add(
                "NSIndexSet",
                [
                    "NSRangeCount": 1, "NSLocation": .integer(PropertyListInteger(start)),
                    "NSLength": .integer(PropertyListInteger(1 << 40)),
                ])
        }
        for elements in [arrays, sets, dictionaries, indexSets] {
            let set = objects.collection("NSSet", elements)
            let read = try readRoot(objects.archive(root: set)) as? NSSet
            #expect(read?.count == elements.count)
            let keyed = objects.dictionary(elements.map { ($0, numbers[0]) })
            let dictionary = try readRoot(objects.archive(root: keyed)) as? NSDictionary
            #expect(dictionary?.count == elements.count)
        }
    }

    @Test("An array of shared arrays is refused where the coder converts its elements")
    func doublingArrays() throws {
        var objects = Objects()
        let root = objects.doubling(40)
        let value = objects.add("key")
        let dictionary = objects.dictionary([(value, root)])
        let data = Data(
            try Archives.make(
                objects.values, top: ["root": root, "entries": dictionary]))
        let coder = try KeyedUnarchiverCoder(forReadingFrom: data)
        #expect(coder.decodeArrayOfObjects(ofClasses: [NSArray.self], forKey: "root") == nil)
        #expect((coder.error as? KeyedArchiveError)?.code == .expansionLimitExceeded)
        let other = try KeyedUnarchiverCoder(forReadingFrom: data)
        #expect(
            other.decodeDictionary(
                withKeyClass: NSString.self, objectClass: NSArray.self, forKey: "entries") == nil)
        #expect((other.error as? KeyedArchiveError)?.code == .expansionLimitExceeded)
    }

    @Test("Errors share one user info dictionary, which is converted once, and not recursively")
    func userInfos() throws {
        var objects = Objects()
        let shared = objects.doubling(40)
        let pairs = (0..<1000).map { (objects.add(.string("key \($0)")), shared) }
        let info = objects.dictionary(pairs)
        let domain = objects.add("D")
        let errors = (0..<1000).map { number in
            objects.add(
                "NSError",
                [
                    "NSDomain": domain, "NSUserInfo": info,
                    "NSCode": .integer(PropertyListInteger(number)),
                ])
        }
        let root = objects.collection("NSArray", errors)
        let data = try objects.archive(root: root)
        var array: NSArray?
        let seconds = try ProcessorTime.seconds { array = try readRoot(data) as? NSArray }
        let last = array?.lastObject as? NSError
        #expect(last?.code == 999)
        #expect(last?.userInfo.count == 1000)
        // A conversion for each error takes several seconds.
        #expect(seconds < 1.5)
    }

    @Test("If cycles are cut, an error in its own user info is read with an empty user info")
    func cyclicUserInfo() throws {
        var objects = Objects()
        let (key, domain) = (objects.add("error"), objects.add("D"))
        // The description of the dictionary's class is object 3, that of the error's is object 5.
        let error = PropertyListValue.uid(6)
        let info = objects.dictionary([(key, error)])
        let fields: PropertyListDictionary = ["NSDomain": domain, "NSCode": 7, "NSUserInfo": info]
        #expect(objects.add("NSError", fields) == error)
        let data = try objects.archive(root: info)
        #expect(code(data) == .referenceCycle)
        let coder = try KeyedUnarchiverCoder(forReadingFrom: data)
        coder.cyclePolicy = .cut
        let root = coder.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? NSDictionary
        try coder.finishDecoding()
        let read = root?["error"] as? NSError
        #expect(read?.code == 7)
        #expect(read?.userInfo.isEmpty == true)
        #expect(coder.cutReferenceCount == 1)
    }
}

@Suite("Data, character sets and numbers that share their contents, through the coders")
struct SharedContentTests {
    private static let bytes = PropertyListValue.data([UInt8](repeating: 7, count: 10_000))

    @Test("All objects with the same long data become one instance")
    func data() throws {
        var objects = Objects()
        let roots: [(key: String, value: PropertyListValue)] = [
            ("plain", objects.add(Self.bytes)), ("plain again", objects.add(Self.bytes)),
            ("with fields", objects.add("NSData", ["NS.data": Self.bytes])), ("inline", Self.bytes),
        ]
        let data = Data(try Archives.make(objects.values, top: PropertyListDictionary(roots)))
        let coder = try KeyedUnarchiverCoder(forReadingFrom: data)
        let instances = try roots.map { try #require(coder.decodeObject(forKey: $0.key)) }
        #expect(instances.allSatisfy { ($0 as? Data)?.count == 10_000 })
        #expect(Set(instances.map { ObjectIdentifier($0 as AnyObject) }).count == 1)
    }

    @Test("Copies of the same bytes for mutable objects count against the limit, but not the first")
    func mutableObjects() throws {
        let text = PropertyListValue.string(String(repeating: "x", count: 10_000))
        for (name, field, value) in [
            ("NSMutableData", "NS.data", Self.bytes), ("NSMutableString", "NS.string", text),
        ] {
            var objects = Objects()
            let copies = (0..<20).map { _ in objects.add(name, [field: value]) }
            let root = objects.collection("NSArray", copies)
            let data = try objects.archive(root: root)
            #expect(code(data, limits: limits(values: 2000)) == .expansionLimitExceeded)
            #expect(code(data, limits: limits(values: 4000)) == nil)
            let one = try objects.archive(root: copies[0])
            #expect(code(one, limits: limits(values: 10)) == nil)
        }
    }

    @Test(
        "Predefined character sets with the same fields are read as equal sets, and can be mutable")
    func predefinedSets() throws {
        var objects = Objects()
        let sets = (0..<100).map { number in
            objects.add(
                "NSCharacterSet", ["NSBuiltinID": 5, "NSIsInverted": .boolean(number < 50)])
        }
        let root = objects.collection("NSSet", sets)
        let set = try #require(try readRoot(objects.archive(root: root)) as? NSSet)
        #expect(set.count == 2)
        let mutable = objects.add("NSMutableCharacterSet", ["NSBuiltinID": 4])
        let digits = try readRoot(objects.archive(root: mutable)) as? NSMutableCharacterSet
        #expect(digits?.isEqual(CharacterSet.decimalDigits as NSCharacterSet) == true)
    }

    /// Character sets in each form, with code points in the set and outside.
    private static var characterSets: [(PropertyListDictionary, in: [UInt32], out: [UInt32])] {
        let empty = [UInt8](repeating: 0, count: 8192)
        var bitmap = empty + [2] + empty
        (bitmap[8], bitmap[8193 + 8191]) = (0x82, 0x80)
        return [
            (
                ["NSRange": .integer(PropertyListInteger(0xFFF0 << 32 | 0x20))],
                [0xFFF0, 0xFFFF, 0x10000, 0x1000F], [0, 0xFFEF, 0x10010]
            ),
            (["NSRange": 0], [], [0, 0x10000]),
            (
                ["NSString": "aé\u{1F600}\u{10FFFF}"], [0x61, 0xE9, 0x1F600, 0x10FFFF],
                [0x62, 0xEA, 0x1F601, 0x10FFFE]
            ),
            (["NSBitmap": .data(bitmap)], [0x41, 0x47, 0x2FFFF], [0x40, 0x46, 0x2FFFE, 0x1FFFF]),
        ]
    }

    @Test("Character sets of each form have the right members, inverted or not")
    func characterSets() throws {
        for (fields, members, others) in Self.characterSets {
            for isInverted in [false, true] {
                var objects = Objects()
                var fields = fields
                if isInverted { fields["NSIsInverted"] = true }
                let root = objects.add("NSCharacterSet", fields)
                let read = try #require(
                    try readRoot(objects.archive(root: root)) as? NSCharacterSet)
                #expect(members.allSatisfy { read.longCharacterIsMember($0) != isInverted })
                #expect(others.allSatisfy { read.longCharacterIsMember($0) == isInverted })
            }
        }
    }

    @Test("A bitmap that Foundation would release too early is refused")
    func mixedBitmaps() throws {
        for blocks in [128, 129] {
            var bitmap = [UInt8](repeating: 0, count: 8192)
            for place in 0..<(blocks * 32) { bitmap[place] = 0xAA }
            var objects = Objects()
            let set = objects.add("NSCharacterSet", ["NSBitmap": .data(bitmap)])
            let expected: KeyedArchiveError.Code? = blocks == 128 ? nil : .valueOutOfRange
            #expect(try code(objects.archive(root: set)) == expected)
        }
    }

    @Test("The bitmaps of character sets count against the limit")
    func bitmapCharges() throws {
        var objects = Objects()
        let sets = (0..<6).map { number in
            objects.add(
                "NSCharacterSet",
                [
                    "NSRange": .integer(PropertyListInteger(number << 32 | 1)),
                    "NSIsInverted": true,
                ])
        }
        let root = objects.collection("NSArray", sets)
        let data = try objects.archive(root: root)
        #expect(code(data, limits: limits(values: 10_000)) == .expansionLimitExceeded)
        #expect(code(data, limits: limits(values: 15_000)) == nil)
    }

    @Test("The elements of unkeyed number arrays count against the limit")
    func numberArrays() throws {
        let archiver = KeyedArchiverCoder()
        var numbers = [Int32](repeating: 1, count: 1000)
        // SAFETY: the array has 1000 numbers.
        unsafe archiver.encodeValue(ofObjCType: "[1000i]", at: &numbers)
        let data = try archiver.encodedData
        for (count, expected) in [
            (900, KeyedArchiveError.Code.expansionLimitExceeded), (1100, nil),
        ] {
            let coder = try KeyedUnarchiverCoder(
                forReadingFrom: data, limits: limits(values: count))
            // SAFETY: as above.
            unsafe coder.decodeValue(ofObjCType: "[1000i]", at: &numbers)
            #expect((coder.error as? KeyedArchiveError)?.code == expected)
        }
    }

    @Test("The memory of an NSValue for an array counts against the limit")
    func values() throws {
        var objects = Objects()
        let type = objects.add("[1024d]")
        let values = (0..<20).map { _ in objects.add("NSValue", ["$0": type]) }
        let root = objects.collection("NSArray", values)
        let data = try objects.archive(root: root)
        #expect(code(data, limits: limits(values: 2000)) == .expansionLimitExceeded)
        #expect(code(data, limits: limits(values: 3000)) == nil)
    }

    @Test("A date without fields is read, as an object and inline")
    func plainDates() throws {
        let date = PropertyListValue.date(PropertyListDate(secondsSince2001: 5))
        var objects = Objects()
        let elements = [objects.add(date), date]
        let root = objects.collection("NSArray", elements)
        let array = try readRoot(objects.archive(root: root)) as? NSArray
        let dates = array?.compactMap { ($0 as? Date)?.timeIntervalSinceReferenceDate }
        #expect(dates == [5, 5])
    }
}
