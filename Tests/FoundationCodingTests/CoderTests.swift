// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationCoding
import KeyedArchive
import PropertyList
import TestSupport
import Testing

/// A class of an ordinary program that does not use the library.
final class Hero: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let name: String
    let age: Int
    var friend: Hero?
    var tags: [String] = []
    var born = Date(timeIntervalSinceReferenceDate: 5)
    var speed: Float = 0.5
    var isBrave = true

    init(_ name: String, _ age: Int = 3, friend: Hero? = nil) {
        self.name = name
        self.age = age
        self.friend = friend
    }

    func encode(with coder: NSCoder) {
        coder.encode(name, forKey: "name")
        coder.encode(age, forKey: "age")
        coder.encode(friend, forKey: "friend")
        coder.encode(tags, forKey: "tags")
        coder.encode(born, forKey: "born")
        coder.encode(speed, forKey: "speed")
        coder.encode(isBrave, forKey: "isBrave")
    }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") as String?,
            let born = coder.decodeObject(of: NSDate.self, forKey: "born") as Date?
        else { return nil }
        self.name = name
        self.born = born
        age = coder.decodeInteger(forKey: "age")
        friend = coder.decodeObject(of: Hero.self, forKey: "friend")
        tags =
            coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags") as? [String] ?? []
        speed = coder.decodeFloat(forKey: "speed")
        isBrave = coder.decodeBool(forKey: "isBrave")
    }
}

/// A class that can decode the fields of a `Hero`.
final class Monster: NSObject, NSCoding {
    let name: String

    init(name: String) { self.name = name }

    func encode(with coder: NSCoder) { coder.encode(name, forKey: "name") }

    init?(coder: NSCoder) { name = coder.decodeObject(forKey: "name") as? String ?? "" }
}

enum Outer {
    final class Inner: NSObject, NSCoding {
        override init() {}
        func encode(with coder: NSCoder) {}
        init?(coder: NSCoder) {}
    }
}

@Suite("Coders for classes that adopt NSCoding")
struct CoderTests {
    private func archive(_ root: Any) throws -> Data {
        try KeyedArchiverCoder.archivedData(withRootObject: root, requiringSecureCoding: false)
    }

    private func error<R>(_ body: () throws -> R) -> KeyedArchiveError? {
        do {
            _ = try body()
            return nil
        } catch { return error as? KeyedArchiveError }
    }

    @Test("An object round-trips with its fields, and all references decode to the same object")
    func roundTrip() throws {
        let friend = Hero("Ann", 4)
        friend.tags = ["a", "b"]
        friend.isBrave = false
        let data = try archive([Hero("Bob", -1, friend: friend), friend])
        let heroes = try #require(
            try KeyedUnarchiverCoder.unarchivedObject(
                ofClasses: [NSArray.self, Hero.self], from: data) as? [Hero])
        #expect(heroes.map(\.name) == ["Bob", "Ann"])
        #expect(heroes[0].age == -1)
        #expect(heroes[0].friend === heroes[1])
        #expect(heroes[1].tags == ["a", "b"])
        #expect(heroes[1].born == friend.born)
        #expect(heroes[1].speed == 0.5)
        #expect(!heroes[1].isBrave)
    }

    @Test("Foundation and the coders read each other's archives")
    func agreesWithFoundation() throws {
        let hero = Hero("Bob", 5, friend: Hero("Ann"))
        let ours = try KeyedArchiverCoder.archivedData(
            withRootObject: hero, requiringSecureCoding: true)
        let byFoundation =
            try NSKeyedUnarchiver.unarchivedObject(
                ofClasses: [Hero.self, NSString.self, NSArray.self, NSDate.self], from: ours)
            as? Hero
        #expect(byFoundation?.friend?.name == "Ann")
        let theirs = try NSKeyedArchiver.archivedData(
            withRootObject: hero, requiringSecureCoding: true)
        let byUs = try KeyedUnarchiverCoder.unarchivedObject(ofClass: Hero.self, from: theirs)
        #expect(byUs?.friend?.name == "Ann")
        #expect(byUs?.born == hero.born)
    }

    @Test("A class that is not allowed is an error with the path, and decodes once it is allowed")
    func refusesClasses() throws {
        let data = try archive(["x": [Monster(name: "M")]])
        let refused = error { try KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(data) }
        #expect(refused?.code == .classNotAllowed)
        #expect(refused?.path?.description == "root[0][0]")
        #expect(refused?.what.contains("Monster") == true)
        #expect(refused?.recovery?.hasPrefix("add the class that is archived as ") == true)
        let allowed = ClassRegistry.foundationObjects.adding(classes: [Monster.self])
        let read = try KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(data, allowing: allowed)
        #expect((read as? [String: [Monster]])?["x"]?.first?.name == "M")
    }

    @Test("A listed superclass allows no subclass")
    func allowsExactClasses() throws {
        let data = try archive(NSMutableArray(array: [1]))
        let registry = ClassRegistry(classes: [NSArray.self, NSNumber.self])
        let refused = error {
            try KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(data, allowing: registry)
        }
        #expect(refused?.code == .classNotAllowed)
        let named = error {
            try KeyedUnarchiverCoder.unarchivedObject(
                ofClasses: [NSArray.self], from: data, allowing: registry)
        }
        #expect(named?.code == .classNotAllowed)
    }

    @Test("An object of a class that the call does not name is an error, even if it is allowed")
    func checksNamedClasses() throws {
        let data = try archive("text")
        let wrong = error {
            try KeyedUnarchiverCoder.unarchivedObject(ofClass: NSNumber.self, from: data)
        }
        #expect(wrong?.code == .wrongType)
    }

    @Test("With secure coding, both coders require that classes support it")
    func demandsSecureCoding() throws {
        let data = try archive(Monster(name: "M"))
        let reading = error {
            try KeyedUnarchiverCoder.unarchivedObject(ofClass: Monster.self, from: data)
        }
        #expect(reading?.code == .classNotAllowed)
        #expect(reading?.recovery?.contains("NSSecureCoding") == true)
        let writing = error {
            try KeyedArchiverCoder.archivedData(
                withRootObject: Monster(name: "M"), requiringSecureCoding: true)
        }
        #expect(writing?.code == .classNotAllowed)
    }

    @Test("A cycle is an error with the path; if cycles are cut, the reference is nil and counted")
    func cycles() throws {
        let hero = Hero("Bob", 1, friend: Hero("Ann"))
        hero.friend?.friend = hero
        let data = try archive(hero)
        let refused = error {
            try KeyedUnarchiverCoder.unarchivedObject(ofClass: Hero.self, from: data)
        }
        #expect(refused?.code == .referenceCycle)
        #expect(refused.map { "\($0.path.map { "\($0)" } ?? "")" } == "root.friend.friend")
        let coder = try KeyedUnarchiverCoder(forReadingFrom: data)
        coder.cyclePolicy = .cut
        let read = coder.decodeObject(of: Hero.self, forKey: NSKeyedArchiveRootObjectKey)
        try coder.finishDecoding()
        #expect(read?.friend?.name == "Ann")
        #expect(read?.friend?.friend == nil)
        #expect(coder.cutReferenceCount == 1)
        hero.friend?.friend = nil
    }

    @Test("The first error is kept, later calls return nothing, and finishing throws it")
    func keepsFirstError() throws {
        let coder = try KeyedUnarchiverCoder(forReadingFrom: archive(["a": 1]))
        coder.failWithError(CocoaError(.coderReadCorrupt))
        coder.failWithError(CocoaError(.coderInvalidValue))
        #expect(coder.decodeObject(forKey: NSKeyedArchiveRootObjectKey) == nil)
        #expect(!coder.containsValue(forKey: NSKeyedArchiveRootObjectKey))
        #expect((coder.error as? CocoaError)?.code == .coderReadCorrupt)
        #expect(throws: CocoaError.self) { try coder.finishDecoding() }
        let archiver = KeyedArchiverCoder()
        archiver.encode(1, forKey: "a")
        archiver.failWithError(CocoaError(.coderInvalidValue))
        #expect(throws: CocoaError.self) { try archiver.encodedData }
    }

    @Test("Decoding garbage and encoding an object that does not adopt NSCoding throw errors")
    func throwsForGarbage() throws {
        let garbage = error { try KeyedUnarchiverCoder(forReadingFrom: Data("no archive".utf8)) }
        #expect(garbage != nil)
        let stranger = error { try archive([NSObject()]) }
        #expect(stranger?.code == .misuse)
        #expect(stranger.map { "\($0.path.map { "\($0)" } ?? "")" } == #"root."NS.objects"[0]"#)
    }

    @Test("A missing field is read as nil or zero; a field of another kind is an error")
    func readsFieldsLikeFoundation() throws {
        let archiver = KeyedArchiverCoder()
        archiver.encode("text", forKey: "text")
        archiver.encode(7, forKey: "seven")
        archiver.encode(2.75, forKey: "real")
        unsafe archiver.encodeBytes([1, 2, 3], length: 3, forKey: "bytes")
        let coder = try KeyedUnarchiverCoder(forReadingFrom: archiver.encodedData)
        #expect(coder.decodeInteger(forKey: "none") == 0)
        #expect(coder.decodeObject(forKey: "none") == nil)
        #expect(coder.decodeInt32(forKey: "seven") == 7)
        #expect(coder.decodeDouble(forKey: "seven") == 7)
        #expect(coder.decodeBool(forKey: "seven"))
        #expect(coder.decodeFloat(forKey: "real") == 2.75)
        #expect(coder.decodeObject(forKey: "seven") as? Int == 7)
        let bytes = unsafe coder.withDecodedUnsafeBytes(forKey: "bytes") { bytes in
            unsafe bytes.map { unsafe Array($0) }
        }
        #expect(bytes == [1, 2, 3])
        #expect(coder.error == nil)
        #expect(coder.decodeInteger(forKey: "text") == 0)
        #expect((coder.error as? KeyedArchiveError)?.code == .wrongType)
    }

    @Test("Class names are mapped in both directions")
    func mapsClassNames() throws {
        let archiver = KeyedArchiverCoder()
        archiver.setClassName("Ogre", for: Monster.self)
        archiver.encode(Monster(name: "M"), forKey: "m")
        let data = try archiver.encodedData
        let unarchiver = try KeyedUnarchiverCoder(forReadingFrom: data)
        unarchiver.setClass(Monster.self, forClassName: "Ogre")
        #expect((unarchiver.decodeObject(forKey: "m") as? Monster)?.name == "M")
        let registry = ClassRegistry.foundationObjects.adding(class: Monster.self, as: "Ogre")
        let other = try KeyedUnarchiverCoder(forReadingFrom: data, allowing: registry)
        #expect((other.decodeObject(forKey: "m") as? Monster)?.name == "M")
        #expect(archiver.className(for: Monster.self) == "Ogre")
    }

    @Test("A class nested in another type round-trips under its qualified name")
    func namesNestedClasses() throws {
        let data = try archive(Outer.Inner())
        let registry = ClassRegistry(classes: [Outer.Inner.self])
        #expect(registry.names.first?.hasSuffix("Outer.Inner") == true)
        let read = try KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(
            data, allowing: registry)
        #expect(read is Outer.Inner)
    }

    @Test("A conditional reference is nil unless the object is elsewhere in the archive")
    func encodesConditionally() throws {
        let (kept, lost) = (Hero("kept"), Hero("lost"))
        let archiver = KeyedArchiverCoder()
        archiver.encodeConditionalObject(kept, forKey: "before")
        archiver.encodeConditionalObject(lost, forKey: "never")
        archiver.encode(kept, forKey: "kept")
        let coder = try KeyedUnarchiverCoder(forReadingFrom: archiver.encodedData)
        let read = coder.decodeObject(of: Hero.self, forKey: "kept")
        #expect(read?.name == "kept")
        #expect(coder.decodeObject(of: Hero.self, forKey: "before") === read)
        #expect(coder.decodeObject(of: Hero.self, forKey: "never") == nil)
        #expect(coder.error == nil)
    }

    @Test("An immutable data instance becomes one object, however often it is encoded")
    func sharesData() throws {
        let bytes = NSData(data: Data([1, 2, 3]))
        let archiver = KeyedArchiverCoder()
        archiver.encode(bytes, forKey: "first")
        archiver.encode(bytes, forKey: "second")
        archiver.encode(NSData(data: Data([1, 2, 3])), forKey: "other")
        let document = try PropertyListDocument(parsing: archiver.encodedData)
        let objects = try #require(document.root["$objects"]?.array)
        #expect(objects.count { $0.data == [1, 2, 3] } == 2)
        let coder = try KeyedUnarchiverCoder(forReadingFrom: archiver.encodedData)
        for key in ["first", "second", "other"] {
            #expect(coder.decodeObject(of: NSData.self, forKey: key) == bytes)
        }
        try coder.finishDecoding()
    }

    @Test("Data that the registry does not list is refused")
    func refusesUnlistedData() {
        let archiver = KeyedArchiverCoder(allowing: ClassRegistry())
        archiver.encode(NSData(data: Data([1])), forKey: "data")
        #expect(error { try archiver.encodedData }?.code == .classNotAllowed)
    }

    @Test(
        "A conditional reference is written if the delegate replaces its object with a plain value")
    func encodesPlainReplacementsConditionally() throws {
        let substitutes = Substitutes()
        let archiver = KeyedArchiverCoder()
        archiver.delegate = substitutes
        for (index, value) in substitutes.values.enumerated() {
            archiver.encodeConditionalObject(Hero("\(index)"), forKey: "\(index)")
            #expect(substitutes.next == index + 1, "\(value)")
        }
        let coder = try KeyedUnarchiverCoder(
            forReadingFrom: archiver.encodedData,
            allowing: .foundationObjects.adding(Badge.self))
        #expect(coder.decodeObject(forKey: "0") as? String == "text")
        #expect(coder.decodeObject(forKey: "1") as? Int == 7)
        #expect(coder.decodeObject(forKey: "2") as? Data == Data([1, 2]))
        #expect(coder.decodeObject(forKey: "3") as? Badge == Badge(number: 5))
        try coder.finishDecoding()
    }

    @Test("Values without keys come back in order")
    func unkeyedValues() throws {
        let archiver = KeyedArchiverCoder()
        var (small, numbers): (Int16, [Float]) = (-7, [1, 2.5, 3])
        archiver.encode("first" as Any?)
        unsafe archiver.encodeValue(ofObjCType: "s", at: &small)
        unsafe archiver.encodeValue(ofObjCType: "[3f]", at: &numbers)
        let coder = try KeyedUnarchiverCoder(forReadingFrom: archiver.encodedData)
        var (readSmall, readNumbers): (Int16, [Float]) = (0, [9, 9, 9, 9])
        #expect(coder.decodeObject() as? String == "first")
        unsafe coder.decodeValue(ofObjCType: "s", at: &readSmall)
        unsafe coder.decodeValue(ofObjCType: "[4f]", at: &readNumbers)
        #expect(readSmall == -7)
        #expect(readNumbers == [1, 2.5, 3, 0])
        try coder.finishDecoding()
    }

    @Test("An NSValue whose type encoding is an object or a long array is refused")
    func hostileValues() throws {
        for type in ["@", "[2000i]", "{P=dd}", "[01i]", "[+1i]"] {
            let document = try PropertyListDocument([
                "$archiver": "NSKeyedArchiver", "$version": 100_000,
                "$top": ["root": .uid(PropertyListUID(1))],
                "$objects": [
                    "$null", ["$0": .uid(PropertyListUID(2)), "$class": .uid(PropertyListUID(3))],
                    .string(type), ["$classname": "NSValue", "$classes": ["NSValue", "NSObject"]],
                ],
            ])
            let refused = error {
                try KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(
                    Data(document.serialized(as: .binary)))
            }
            #expect(
                refused?.what
                    == "expected the type encoding of a number, or of an array of at most 1024 "
                    + "numbers, in an NSValue, found \(type)")
        }
    }

    @Test("An unkeyed value that is decoded as a property list must be a property list")
    func unkeyedPropertyLists() throws {
        let archiver = KeyedArchiverCoder()
        archiver.encodePropertyList(["a": [1]])
        archiver.encode(NSUUID() as Any?)
        let coder = try KeyedUnarchiverCoder(forReadingFrom: archiver.encodedData)
        #expect(coder.decodePropertyList() as? [String: [Int]] == ["a": [1]])
        #expect(coder.decodePropertyList() == nil)
        #expect((coder.error as? KeyedArchiveError)?.code == .wrongType)
    }

    @Test("A second reference to an array of numbers is read from the first element again")
    func sharedArrays() throws {
        let archiver = KeyedArchiverCoder()
        var numbers: [Float] = [1, 2.5, 3]
        unsafe archiver.encodeValue(ofObjCType: "[3f]", at: &numbers)
        let document = try PropertyListValue(parsing: archiver.encodedData)
        guard case .dictionary(var contents) = document,
            case .dictionary(var roots)? = contents["$top"]
        else { throw CocoaError(.coderReadCorrupt) }
        for key in ["$1", "$2"] { roots[key] = roots["$0"] }
        contents["$top"] = .dictionary(roots)
        let bytes = try PropertyListDocument(.dictionary(contents)).serialized(as: .binary)
        let coder = try KeyedUnarchiverCoder(forReadingFrom: Data(bytes))
        var (two, three): ([Float], [Float]) = ([9, 9], [9, 9, 9])
        unsafe coder.decodeValue(ofObjCType: "[2f]", at: &two)
        unsafe coder.decodeValue(ofObjCType: "[3f]", at: &three)
        #expect(two == [1, 2.5])
        #expect(three == numbers)
        #expect(coder.error == nil)
        var reals: [Double] = [9, 9, 9]
        unsafe coder.decodeValue(ofObjCType: "[3d]", at: &reals)
        #expect((coder.error as? KeyedArchiveError)?.code == .wrongType)
    }

    @Test("XML is written and read")
    func writesXML() throws {
        let archiver = KeyedArchiverCoder()
        archiver.outputFormat = .xml
        archiver.encode(Hero("Bob"), forKey: NSKeyedArchiveRootObjectKey)
        let data = try archiver.encodedData
        #expect(String(decoding: data.prefix(5), as: UTF8.self) == "<?xml")
        let read = try KeyedUnarchiverCoder.unarchivedObject(ofClass: Hero.self, from: data)
        #expect(read?.name == "Bob")
    }

    @Test("Decoding an array or a dictionary checks the class of each element")
    func decodesCollections() throws {
        let archiver = KeyedArchiverCoder()
        archiver.encode([Hero("a"), Hero("b")], forKey: "heroes")
        archiver.encode(["k": Hero("c")], forKey: "byName")
        let coder = try KeyedUnarchiverCoder(forReadingFrom: archiver.encodedData)
        let heroes = coder.decodeArrayOfObjects(ofClass: Hero.self, forKey: "heroes")
        #expect(heroes?.map(\.name) == ["a", "b"])
        let byName = coder.decodeDictionary(
            withKeyClass: NSString.self, objectClass: Hero.self, forKey: "byName")
        #expect(byName?["k"]?.name == "c")
        #expect(coder.decodeArrayOfObjects(ofClass: NSNumber.self, forKey: "heroes") == nil)
        #expect(coder.error != nil)
    }

    @Test("Each element of an array of several classes is checked")
    func decodesSeveralClasses() throws {
        let archiver = KeyedArchiverCoder()
        archiver.encode([NSDate(timeIntervalSinceReferenceDate: 1)], forKey: "dates")
        archiver.encode([Hero("a"), NSString("b")] as [NSObject], forKey: "both")
        let data = try archiver.encodedData
        let coder = try KeyedUnarchiverCoder(forReadingFrom: data)
        let both = coder.decodeArrayOfObjects(
            ofClasses: [Hero.self, NSString.self], forKey: "both")
        #expect(both?.count == 2 && coder.error == nil)
        #expect(coder.decodeArrayOfObjects(ofClasses: [NSString.self], forKey: "dates") == nil)
        let error = coder.error as? KeyedArchiveError
        #expect(error?.code == .wrongType && error?.what.contains("an array of NSString") == true)
    }

    @Test("Nesting beyond the limit throws an error, even on a small stack")
    func limitsDepth() throws {
        let codes: @Sendable () throws -> [KeyedArchiveError.Code?] = {
            // Barely above the limit: releasing a much longer chain overflows the small stack.
            var nested = Hero("0")
            for level in 1..<520 { nested = Hero("\(level)", friend: nested) }
            let deep = error { try archive(nested) }
            var limits = ParsingLimits.default
            limits.depth = 4000
            let archiver = KeyedArchiverCoder(limits: limits)
            archiver.encode(nested, forKey: "root")
            let data = try archiver.encodedData
            let refused = error {
                try KeyedUnarchiverCoder.unarchivedObject(ofClass: Hero.self, from: data)
            }
            return [deep?.code, refused?.code]
        }
        let expected: [KeyedArchiveError.Code?] = [.depthLimitExceeded, .depthLimitExceeded]
        #expect(try codes() == expected)
        #expect(try onThread(stackSize: 512 << 10, codes) == expected)
    }

    @Test(
        "A set with a decimal number is refused, because hashing the number would crash Foundation")
    func refusesUnhashable() throws {
        let inner = try archive([NSDecimalNumber(value: 1)])
        let document = try PropertyListValue(parsing: inner)
        guard case .dictionary(var root) = document, case .array(var objects)? = root["$objects"]
        else { throw CocoaError(.coderReadCorrupt) }
        for (index, object) in objects.enumerated() {
            guard case .dictionary(let fields) = object,
                fields["$classname"] == .string("NSArray")
            else { continue }
            objects[index] = ["$classname": "NSSet", "$classes": ["NSSet", "NSObject"]]
        }
        root["$objects"] = .array(objects)
        let bytes = try PropertyListDocument(.dictionary(root)).serialized(as: .binary)
        let refused = error {
            try KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(Data(bytes))
        }
        #expect(refused?.code == .wrongType)
        #expect(
            refused?.what
                == "expected elements that have a hash, found one of class NSDecimalNumber")
    }
}

// MARK: - Delegates

private final class Spy: KeyedUnarchiverCoderDelegate, KeyedArchiverCoderDelegate {
    var events: [String] = []

    func unarchiver(
        _ unarchiver: KeyedUnarchiverCoder, cannotDecodeObjectOfClassName name: String,
        originalClasses classNames: [String]
    ) -> AnyClass? {
        events.append("cannot \(name.hasSuffix("Monster"))")
        return name.hasSuffix("Monster") ? Monster.self : nil
    }

    func unarchiver(_ unarchiver: KeyedUnarchiverCoder, didDecode object: Any) -> Any? {
        (object as? Monster).map { Hero($0.name) } ?? object
    }

    func archiver(_ archiver: KeyedArchiverCoder, willEncode object: Any) -> Any? {
        (object as? Hero).map { Monster(name: $0.name) } ?? object
    }

    func archiverDidFinish(_ archiver: KeyedArchiverCoder) { events.append("finished") }
}

/// A delegate that gives one class for every name.
private final class Answer: KeyedUnarchiverCoderDelegate {
    func unarchiver(
        _ unarchiver: KeyedUnarchiverCoder, cannotDecodeObjectOfClassName name: String,
        originalClasses classNames: [String]
    ) -> AnyClass? { Monster.self }
}

/// A delegate that records the heroes before and after the archiver encodes them.
private final class Witness: KeyedArchiverCoderDelegate {
    var events: [String] = []

    func archiver(_ archiver: KeyedArchiverCoder, willEncode object: Any) -> Any? {
        if let hero = object as? Hero { events.append("will \(hero.name)") }
        return object
    }

    func archiver(_ archiver: KeyedArchiverCoder, didEncode object: Any?) {
        if let hero = object as? Hero { events.append("did \(hero.name)") }
    }
}

/// A delegate that replaces each hero with the next element of `values`.
private final class Substitutes: KeyedArchiverCoderDelegate {
    let values: [Any] = [
        "text" as NSString, 7 as NSNumber, NSData(data: Data([1, 2])), Badge(number: 5),
    ]
    var next = 0

    func archiver(_ archiver: KeyedArchiverCoder, willEncode object: Any) -> Any? {
        guard object is Hero else { return object }
        next += 1
        return values[next - 1]
    }
}

private struct Badge: KeyedCodable, Equatable {
    static var archivedClass: ArchivedClass { "Badge" }
    let number: Int

    init(number: Int) { self.number = number }

    init(coder: KeyedDecoder) throws { number = try coder.decodeInteger(forKey: "number") }

    func encode(with coder: KeyedEncoder) { coder.encode(number, forKey: "number") }
}

extension CoderTests {
    @Test("The delegate is called once before and once after each object is written")
    func reportsEachObjectOnce() throws {
        let (one, two) = (Hero("one"), Hero("two"))
        (one.friend, two.friend) = (two, one)
        defer { one.friend = nil }
        let witness = Witness()
        let archiver = KeyedArchiverCoder()
        archiver.delegate = witness
        archiver.encodeConditionalObject(one, forKey: "first")
        archiver.encode([one, one], forKey: "heroes")
        _ = try archiver.encodedData
        #expect(witness.events == ["will one", "will two", "did two", "did one"])
    }

    @Test("A class that a call names takes precedence over an earlier answer of the delegate")
    func answers() throws {
        let archiver = KeyedArchiverCoder()
        for key in ["a", "b"] { archiver.encode(Hero(key), forKey: key) }
        let answer = Answer()
        let unarchiver = try KeyedUnarchiverCoder(forReadingFrom: archiver.encodedData)
        unarchiver.requiresSecureCoding = false
        unarchiver.delegate = answer
        let monster = unarchiver.decodeObject(of: [Monster.self], forKey: "a") as? Monster
        #expect(monster?.name == "a")
        let hero = unarchiver.decodeObject(of: [Hero.self, Monster.self], forKey: "b") as? Hero
        #expect(hero?.name == "b")
        try unarchiver.finishDecoding()
        // The coder does not retain its delegate.
        withExtendedLifetime(answer) {}
    }

    @Test("Delegates replace an object consistently in all references, and allow classes")
    func delegates() throws {
        let spy = Spy()
        let archiver = KeyedArchiverCoder()
        archiver.delegate = spy
        let hero = Hero("Bob")
        archiver.encode([hero, hero], forKey: "heroes")
        let data = try archiver.encodedData
        let unarchiver = try KeyedUnarchiverCoder(forReadingFrom: data)
        unarchiver.delegate = spy
        let read = unarchiver.decodeObject(forKey: "heroes") as? [Hero]
        try unarchiver.finishDecoding()
        #expect(read?.map(\.name) == ["Bob", "Bob"])
        #expect(read?[0] === read?[1])
        #expect(spy.events.first == "finished")
        #expect(spy.events.contains("cannot true"))
    }
}

// MARK: - KeyedCodable types and NSCoding classes

/// A `KeyedCodable` class with a field of an `NSCoding` class.
private final class Level: KeyedCodable {
    static var archivedClass: ArchivedClass { "Level" }
    static func register(in registry: inout ClassRegistry) {
        registry.add(Self.self, fields: CodedObject<Guild>.self)
    }
    let number: Int
    var guild: CodedObject<Guild>?

    init(_ number: Int) { self.number = number }

    func encode(with coder: KeyedEncoder) {
        coder.encode(number, forKey: "number")
        coder.encode(guild, forKey: "guild")
    }

    init(coder: KeyedDecoder) throws {
        number = try coder.decode(forKey: "number")
        guild = try coder.decodeObject(forKey: "guild")
    }
}

/// An `NSCoding` class with fields of a `KeyedCodable` class.
private final class Guild: NSObject, NSCoding {
    let name: String
    var levels: [Level] = []

    init(name: String) { self.name = name }

    func encode(with coder: NSCoder) {
        coder.encode(name, forKey: "name")
        coder.encode(levels.first, forKey: "first")
        coder.encode(levels.last, forKey: "last")
    }

    init?(coder: NSCoder) {
        name = coder.decodeObject(forKey: "name") as? String ?? ""
        levels = ["first", "last"].compactMap { coder.decodeObject(forKey: $0) as? Level }
    }
}

extension CoderTests {
    @Test("An NSCoding object that contains KeyedCodable values keeps object identity")
    func bothWorlds() throws {
        let level = Level(7)
        let guild = Guild(name: "G")
        guild.levels = [level, level]
        let inner = Guild(name: "inner")
        level.guild = CodedObject(inner)
        let data = try archive([guild, guild, inner])
        let registry = ClassRegistry.foundationObjects.adding(classes: [Guild.self, Level.self])
        let read = try KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(
            data, allowing: registry)
        let guilds = try #require(read as? [Guild])
        #expect(guilds[0] === guilds[1])
        #expect(guilds[0].levels.map(\.number) == [7, 7])
        #expect(guilds[0].levels[0] === guilds[0].levels[1])
        #expect(guilds[0].levels[0].guild?.object === guilds[2])
    }

    @Test("A KeyedCodable value that contains NSCoding objects keeps object identity")
    func objectsAsValues() throws {
        let guild = Guild(name: "G")
        let (one, two) = (Level(1), Level(2))
        (one.guild, two.guild) = (CodedObject(guild), CodedObject(guild))
        let registry = ClassRegistry.foundation.adding(Level.self)
        let bytes = try KeyedArchiver.archive([one, two, one], allowing: registry)
        let levels = try KeyedUnarchiver.unarchive([Level].self, from: bytes, allowing: registry)
        #expect(levels.map(\.number) == [1, 2, 1])
        #expect(levels[0] === levels[2])
        #expect(levels[0].guild?.object.name == "G")
        #expect(levels[0].guild?.object === levels[1].guild?.object)
    }
}

// MARK: - Subclasses of collections

private final class Roster: NSArray {
    private var items: [AnyObject] = []

    required init(objects: UnsafePointer<AnyObject>?, count: Int) {
        items = unsafe Array(UnsafeBufferPointer(start: objects, count: count))
        unsafe super.init(objects: nil, count: 0)
    }

    required convenience init?(coder: NSCoder) {
        guard let items = NSArray(coder: coder) else { return nil }
        self.init(items.map { $0 as AnyObject })
    }

    convenience init(_ items: [AnyObject]) {
        unsafe self.init(objects: nil, count: 0)
        self.items = items
    }

    required convenience init(arrayLiteral elements: Any...) {
        self.init(elements.map { $0 as AnyObject })
    }

    override var count: Int { items.count }

    override func object(at index: Int) -> Any { items[index] }
}

extension CoderTests {
    @Test(
        "A subclass of NSArray is decoded by Foundation's initializer; encoding it is refused"
    )
    func subclassesOfCollections() throws {
        let written = error { try archive(Roster(["a" as NSString, "b" as NSString])) }
        #expect(written?.code == .misuse)
        let renamed = ClassRegistry.foundationObjects.adding(class: Roster.self, as: "NSArray")
        let plain = try KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(
            archive(["a", 2, true]), allowing: renamed)
        #expect((plain as? Roster)?.count == 3)
        #expect((plain as? Roster)?.object(at: 0) as? String == "a")
    }
}
