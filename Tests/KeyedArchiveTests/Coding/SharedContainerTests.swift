// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Archives whose objects share lists, dictionaries or long texts. No archiver writes such files. A
/// small one can describe values that grow with the square of its size.
@Suite("Shared containers within archives")
struct SharedContainerTests {
    private static let count = 300

    /// Limits that allow each value to be visited a few times.
    private var limits: ParsingLimits {
        var limits = ParsingLimits.default
        limits.expansion = .init(factor: 8, base: 0)
        return limits
    }

    private func code<R>(_ body: () throws -> R) -> KeyedArchiveError.Code? {
        archiveError(body)?.code
    }

    /// Returns an archive of arrays that all share a list with `count` references to one element.
    private func arrays(
        of element: (inout SharingAssembler) -> UInt64
    ) -> [UInt8] {
        var archive = SharingAssembler()
        let list = archive.add(
            .array([UInt64](repeating: element(&archive), count: Self.count)))
        let array = archive.describe("NSArray")
        let inner = (0..<Self.count).map { _ in
            archive.object(array, [("NS.objects", list)])
        }
        let references = archive.add(.array(inner.map { archive.reference($0) }))
        return archive.bytes(root: archive.object(array, [("NS.objects", references)]))
    }

    @Test("elements that are plain values, or nil, count against the limit")
    func elements() throws {
        let numbers = arrays { $0.add(.integer(1)) }
        #expect(
            code { try KeyedUnarchiver.unarchive([[Int]].self, from: numbers, limits: limits) }
                == .expansionLimitExceeded)
        #expect(
            code { try KeyedUnarchiver.unarchive(AnyArchived.self, from: numbers, limits: limits) }
                == .expansionLimitExceeded)
        #expect(try KeyedUnarchiver.unarchive([[Int]].self, from: numbers).count == Self.count)
        let nothing = arrays { $0.add(.uid(0)) }
        #expect(
            code { try KeyedUnarchiver.unarchive([[Int?]].self, from: nothing, limits: limits) }
                == .expansionLimitExceeded)
    }

    @Test("property list values within objects count against the limit")
    func inlineTrees() throws {
        let trees = arrays { archive in
            let one = archive.add(.integer(1))
            return archive.add(.array([UInt64](repeating: one, count: Self.count)))
        }
        for type in [PropertyListValue.self, [PropertyListValue].self] as [any KeyedDecodable.Type]
        {
            #expect(
                code {
                    try KeyedUnarchiver(parsing: trees, limits: limits).unarchive(ofAnyType: type)
                } == .expansionLimitExceeded)
        }
    }

    @Test("unknown fields and lists in opaque objects count against the limit")
    func kept() throws {
        var archive = SharingAssembler()
        let one = archive.add(.integer(1))
        let sponge = archive.describe("Sponge")
        let node = archive.node(sponge, (0..<Self.count).map { ("k\($0)", one) })
        let sponges = (0..<Self.count).map { _ in archive.reference(archive.entry(node)) }
        let root = archive.object(
            archive.describe("NSArray"), [("NS.objects", archive.add(.array(sponges)))])
        let bytes = archive.bytes(root: root)
        #expect(
            code {
                try KeyedUnarchiver.unarchive([Sponge].self, from: bytes, limits: limits)
            } == .expansionLimitExceeded)

        var strangers = SharingAssembler()
        let stranger = strangers.describe("Stranger")
        let everyone = strangers.add(
            .array((0..<Self.count).map { strangers.reference($0 + 2) }))
        for _ in 0..<Self.count { strangers.object(stranger, [("all", everyone)]) }
        let opaque = strangers.bytes(root: 2)
        #expect(
            code {
                try KeyedUnarchiver.unarchive(
                    OpaqueObject.self, from: opaque, allowing: .foundation.keepingUnknownClasses(),
                    limits: limits)
            } == .expansionLimitExceeded)
        let found = try ArchiveContents(parsing: opaque).objects(notAllowedBy: .foundation)
        #expect(found.count == Self.count)
        #expect(found.last?.path?.description == "root.all[\(Self.count - 1)]")
    }

    @Test("the number of class names in all class descriptions is limited")
    func classNames() throws {
        var archive = SharingAssembler()
        let name = archive.text("NSObject")
        let chain = archive.add(.array([UInt64](repeating: name, count: 2000)))
        var last = 0
        for number in 0..<200 {
            last = archive.object(archive.describe("C\(number)", chain: chain), [])
        }
        let bytes = archive.bytes(root: last)
        let refused = archiveError { try KeyedUnarchiver(parsing: bytes, limits: .untrusted) }
        #expect(refused?.code == .expansionLimitExceeded)
        #expect(refused?.recovery == "raise `ParsingLimits.expansion` if the archive is trusted")
        #expect(
            code {
                try ArchiveContents(parsing: bytes).objects(
                    notAllowedBy: .foundation, limits: .untrusted)
            } == .expansionLimitExceeded)
        #expect(throws: Never.self) { try KeyedUnarchiver(parsing: bytes, limits: .default) }
    }

    @Test("many classes may share one list of superclasses within the limit of expansion")
    func sharedSuperclasses() throws {
        var archive = SharingAssembler()
        let count = 600
        let chain = archive.add(
            .array((0..<count).map { archive.text("Class\($0)") }))
        var last = 0
        for number in 0..<count {
            last = archive.object(archive.describe("Class\(number)", chain: chain), [])
        }
        let bytes = archive.bytes(root: last)
        for limits in [ParsingLimits.default, .trusted] {
            let contents = try ArchiveContents(parsing: bytes)
            #expect(
                try contents.objects(notAllowedBy: .foundation, limits: limits).count == count)
        }
        #expect(
            code { try KeyedUnarchiver(parsing: bytes, limits: .untrusted) }
                == .expansionLimitExceeded)
    }

    @Test("the keys of a class description shared by many entries are limited")
    func sharedDescription() throws {
        var archive = SharingAssembler()
        let one = archive.add(.integer(1))
        let name = archive.text("NSObject")
        let description = archive.dictionary(
            [("$classname", name)] + (0..<500).map { ("key \($0)", one) })
        var last = 0
        for _ in 0..<200 { last = archive.object(archive.entry(description), []) }
        #expect(
            code { try KeyedUnarchiver(parsing: archive.bytes(root: last), limits: .untrusted) }
                == .expansionLimitExceeded)
    }

    @Test("shared values are counted, and copied once, when an object becomes a tree")
    func objectTree() throws {
        let long = String(repeating: "x", count: 1_000_000)
        var archive = SharingAssembler()
        let stranger = archive.describe("Stranger")
        let text = archive.text(long)
        let count = Exhaustive.size(10_000, inDebug: 2000)
        let objects = (0..<count).map { _ in
            archive.object(stranger, [("text", text)])
        }
        let list = archive.add(.array(objects.map { archive.reference($0) }))
        let root = archive.object(archive.describe("NSArray"), [("NS.objects", list)])
        let opaque = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: archive.bytes(root: root),
            allowing: .foundation.keepingUnknownClasses())
        // Copying the text for each reference would take 10 GB, or 2 GB in a debug build.
        let tree = try opaque.propertyList()
        #expect(tree[count - 1]?["text"]?.string?.utf8.count == 1_000_000)

        var lists = SharingAssembler()
        let holder = lists.describe("Stranger")
        let length = Exhaustive.size(2000, inDebug: 700)
        let many = lists.add(
            .array([UInt64](repeating: lists.add(.integer(1)), count: length)))
        let holders = (0..<length).map { _ in lists.object(holder, [("list", many)]) }
        let all = lists.add(.array(holders.map { lists.reference($0) }))
        let large = lists.object(lists.describe("NSArray"), [("NS.objects", all)])
        let counted = try KeyedUnarchiver(
            parsing: lists.bytes(root: large), allowing: .foundation.keepingUnknownClasses(),
            limits: .trusted
        ).unarchive(OpaqueObject.self)
        let refused = archiveError { try counted.propertyList(limits: Exhaustive.limits) }
        #expect(refused?.code == .expansionLimitExceeded)
        #expect(
            refused?.what.hasPrefix("expected shared objects to expand to at most ") == true)
        #expect(refused?.recovery == "raise `ParsingLimits.expansion` if the archive is trusted")
    }

    @Test("shared values are written once when objects are copied to another archive")
    func copies() throws {
        let long = String(repeating: "x", count: 1_000_000)
        let key = String(repeating: "k", count: 1_000_000)
        let strangers = SharingAssembler.objects("Stranger") { archive in
            let one = archive.add(.integer(1))
            return [
                ("text", archive.text(long)), ("data", archive.add(.data(Array(long.utf8)))),
                ("list", archive.add(.array([one, one]))), (key, archive.add(.integer(7))),
            ]
        }
        let registry = ClassRegistry.foundation.keepingUnknownClasses()
        let opaque = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: strangers, allowing: registry)
        // Copying these values for each reference would take 30 GB.
        let archiver = KeyedArchiver(allowing: registry)
        archiver.roots.encode(opaque, forKey: KeyedUnarchiver.rootKey)
        let copied = try BinaryPropertyList.serialize(
            archiver.document(), layout: .coreFoundationUniqued)
        #expect(copied.count < 4_000_000)
        let again = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: copied, allowing: registry)
        #expect(again.objects(forKey: "NS.objects").count == 10_000)
        let last = try #require(again.objects(forKey: "NS.objects").last)
        #expect(last.keys == ["text", "data", "list", key])
        #expect(last["text"]?.string == long)
        #expect(last["data"]?.data?.count == long.utf8.count)
        #expect(last["list"]?.array?.count == 2)
        #expect(last[key]?.integer?.value(as: Int.self) == 7)
    }

    @Test("objects with a duplicate key or an unreadable value are not copied in part")
    func copiesOfBroken() throws {
        let registry = ClassRegistry.foundation.keepingUnknownClasses()
        for isUnreadable in [true, false] {
            let bytes = SharingAssembler.objects("Stranger") { archive in
                let one = archive.add(.integer(1))
                return isUnreadable ? [("a", archive.add(.raw([0x70])))] : [("a", one), ("a", one)]
            }
            let options: ParsingOptions = isUnreadable ? .salvage : .allDuplicateKeys
            let opaque = try KeyedUnarchiver(
                parsing: bytes, allowing: registry, options: options
            ).unarchive(OpaqueObject.self)
            #expect(
                code { try KeyedArchiver.archive(opaque, allowing: registry) } == .malformedObject)
        }
    }

    @Test("a shared value is copied once in each form that a program requests")
    func forms() throws {
        // Copying one of these values for each reference would take 10 GB.
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
        func data(_ key: String) -> (inout SharingAssembler) -> [(String, UInt64)] {
            { archive in [(key, archive.add(.data(long)))] }
        }
        let texts = try KeyedUnarchiver.unarchive(
            [String].self, from: SharingAssembler.objects("NSMutableString", data("NS.bytes")))
        #expect(texts.count == 10_000 && texts.last?.utf8.count == long.count)
        let trees = try KeyedUnarchiver.unarchive(
            [PropertyListValue].self,
            from: SharingAssembler.objects("NSMutableData", data("NS.data")))
        #expect(trees.count == 10_000 && trees.last?.data?.count == long.count)
        let sets = try KeyedUnarchiver.unarchive(
            [ArchivedCharacterSet].self,
            from: SharingAssembler.objects("NSCharacterSet", data("NSBitmap")))
        #expect(sets.count == 10_000)
        let key = "$$" + String(repeating: "k", count: 1_000_000)
        let strangers = SharingAssembler.objects("Stranger") { [(key, $0.add(.integer(1)))] }
        let opaque = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: strangers, allowing: .foundation.keepingUnknownClasses())
        let tree = try opaque.propertyList()
        #expect(tree[9_999]?.dictionary?.first?.key.utf8.count == 1_000_001)
    }

    @Test("long texts that are hashed or parsed again count against the limit")
    func hashedTexts() throws {
        // Each of 10,000 objects hashes or parses the same text. 1 MB is refused, and 100 bytes are
        // not.
        for (length, expected) in [
            (1_000_000, KeyedArchiveError.Code.expansionLimitExceeded), (100, nil),
        ] as [(Int, KeyedArchiveError.Code?)] {
            let long = "a:" + String(repeating: "k", count: length)
            func list(_ archive: inout SharingAssembler) -> UInt64 {
                let text = archive.reference(archive.entry(archive.text(long)))
                return archive.add(.array([text]))
            }
            func read<T: KeyedDecodable>(_ type: T.Type, _ bytes: [UInt8]) throws -> T {
                try KeyedUnarchiver.unarchive(type, from: bytes, limits: .untrusted)
            }
            let sets = SharingAssembler.objects("NSSet") { [("NS.objects", list(&$0))] }
            #expect(code { try read([Set<String>].self, sets) } == expected)
            let entries = SharingAssembler.objects("NSDictionary") { archive in
                let keys = list(&archive)
                return [("NS.keys", keys), ("NS.objects", keys)]
            }
            #expect(code { try read([[String: String]].self, entries) } == expected)
            let opaque = try read(OpaqueObject.self, entries)
            #expect(code { try opaque.propertyList(limits: .untrusted) } == expected)
            let urls = SharingAssembler.objects("NSURL") { archive in
                let text = archive.reference(archive.entry(archive.text(long)))
                return [("NS.base", archive.reference(0)), ("NS.relative", text)]
            }
            #expect(code { try read([URL].self, urls) } == expected)
        }
    }

    @Test("data that many objects share is converted to a property list once")
    func sharedData() throws {
        let data = [UInt8](repeating: 7, count: 1_000_000)
        let objects = SharingAssembler.objects("NSMutableData") {
            [("NS.data", $0.add(.data(data)))]
        }
        let value = try KeyedUnarchiver.unarchive(AnyArchived.self, from: objects)
        let tree = try value.propertyListValue()
        #expect(tree.array?.count == 10_000 && tree[9_999]?.data == data)
        // SAFETY: the addresses are compared, not followed.
        let addresses = Set(
            (tree.array ?? []).map { element in
                unsafe element.data?.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            })
        #expect(addresses.count == 1)
    }

    @Test("shared values of any class are converted to a property list once")
    func convertedOnce() throws {
        var archive = SharingAssembler()
        let data = archive.reference(
            archive.entry(archive.add(.data([UInt8](repeating: 7, count: 500_000)))))
        let null = archive.reference(archive.object(archive.describe("NSNull"), []))
        let list = archive.add(.array([data, null, data, null]))
        let root = archive.object(archive.describe("NSArray"), [("NS.objects", list)])
        let value = try KeyedUnarchiver.unarchive(
            AnyArchived.self, from: archive.bytes(root: root))
        var calls = 0
        let tree = try value.propertyListValue { _ in
            calls += 1
            return "null"
        }
        #expect(calls == 1)
        #expect(tree[1] == "null" && tree[3] == "null")
        // SAFETY: the addresses are compared, not followed.
        func address(_ place: Int) -> UInt? {
            unsafe tree[place]?.data?.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }
        #expect(address(0) != nil && address(0) == address(2))
    }

    @Test("objects of ignored fields are checked once for all fields")
    func ignoredFields() throws {
        var archive = SharingAssembler()
        let array = archive.describe("NSArray")
        func list(_ objects: [Int]) -> Int {
            let references = archive.add(.array(objects.map { archive.reference($0) }))
            return archive.object(array, [("NS.objects", references)])
        }
        let evil = archive.object(archive.describe("Evil"), [])
        let texts = (0..<Self.count).map { archive.entry(archive.text("text \($0)")) }
        let common = list([evil] + texts)
        let sponge = archive.describe("Sponge")
        let sponges = (0..<Self.count).map { _ in
            let field = archive.reference(list([common]))
            return archive.object(sponge, [("field", field)])
        }
        let bytes = archive.bytes(root: list(sponges))
        let read = try KeyedUnarchiver.unarchive([Sponge].self, from: bytes, limits: limits)
        #expect(read.count == Self.count)
        #expect(read.allSatisfy { $0.fields.ignoredKeys == ["field"] })
    }

    @Test("objects that share nothing become a tree, whatever their number")
    func unsharedTree() throws {
        var archive = SharingAssembler()
        let stranger = archive.describe("Stranger")
        let count = Exhaustive.size(40_000, inDebug: 4000)
        let objects = (0..<count).map { number in
            let value = archive.add(.integer(UInt64(number) % 256))
            return archive.object(stranger, ["a", "b", "c"].map { ($0, value) })
        }
        let list = archive.add(.array(objects.map { archive.reference($0) }))
        let bytes = archive.bytes(
            root: archive.object(archive.describe("NSArray"), [("NS.objects", list)]))
        let opaque = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: bytes, allowing: .foundation.keepingUnknownClasses(),
            limits: .untrusted)
        #expect(
            try opaque.propertyList(limits: .untrusted)[count - 1]?["c"]?.integer
                == PropertyListInteger((count - 1) % 256))
    }

    @Test("the first of two equal keys is used, whatever the positions of keys in other objects")
    func equalKeys() throws {
        var archive = SharingAssembler()
        let (other, value) = (archive.text("other"), archive.text("value"))
        let (first, number) = (archive.text("$class"), archive.describe("Number"))
        func add(_ keys: [UInt64], _ values: [UInt64]) -> UInt64 {
            let values = values.map { archive.add(.integer($0)) }
            let reference = archive.reference(number)
            return archive.reference(
                archive.entry(
                    archive.add(.dictionary([first] + keys, [reference] + values))))
        }
        let numbers =
            (1...5).map { add([other, value], [0, $0]) } + [add([value, value], [6, 7])]
        let root = archive.object(
            archive.describe("NSArray"), [("NS.objects", archive.add(.array(numbers)))])
        let values = try KeyedUnarchiver.unarchive(
            [Number].self, from: archive.bytes(root: root), options: .allDuplicateKeys)
        #expect(values.map(\.value) == [1, 2, 3, 4, 5, 6])
    }

    @Test("the bytes of class names are limited")
    func longNames() throws {
        let long = String(repeating: "x", count: 1_000_000)
        // One class with a long chain of one name, and many classes with the same name.
        var chain = SharingAssembler()
        let names = chain.add(.array([UInt64](repeating: chain.text(long), count: 20_000)))
        let chained = chain.object(chain.describe("C", chain: names), [])
        var name = SharingAssembler()
        let description = name.dictionary([("$classname", name.text(long))])
        var named = 0
        for _ in 0..<500 { named = name.object(name.entry(description), []) }
        for bytes in [chain.bytes(root: chained), name.bytes(root: named)] {
            #expect(code { try KeyedUnarchiver(parsing: bytes) } == .expansionLimitExceeded)
            #expect(code { try ArchiveGraph(parsing: bytes) } == .expansionLimitExceeded)
            #expect(
                code { try ArchiveContents(parsing: bytes).objects(notAllowedBy: .foundation) }
                    == .expansionLimitExceeded)
        }
        #expect(
            code { try ArchiveContents(parsing: chain.bytes(root: chained)).archivedClass(1) }
                == .expansionLimitExceeded)
    }

    @Test("values under unknown keys of class descriptions are limited")
    func otherValues() throws {
        var archive = SharingAssembler()
        var tree = archive.add(.integer(1))
        for _ in 0..<12 { tree = archive.add(.array([tree, tree])) }
        var last = 0
        for number in 0..<100 {
            let description = archive.dictionary([
                ("$classname", archive.text("C\(number)")), ("other", tree),
            ])
            last = archive.object(archive.entry(description), [])
        }
        let bytes = archive.bytes(root: last)
        #expect(
            code { try KeyedUnarchiver(parsing: bytes, limits: .untrusted) }
                == .expansionLimitExceeded)
        let graph = archiveError { try ArchiveGraph(parsing: bytes, limits: .untrusted) }
        #expect(graph?.isLimit == true)
    }

    @Test("fields are found by their keys, whatever the order of keys in the previous object")
    func keysInAnyOrder() throws {
        var archive = SharingAssembler()
        let (first, second) = (archive.text("$class"), archive.text("value"))
        let many = (0..<40).map { archive.text("key \($0)") }
        let number = archive.describe("Number")
        let list = archive.describe("NSArray")
        func add(_ keys: [UInt64], _ value: UInt64) -> UInt64 {
            let value = archive.add(.integer(value))
            let reference = archive.reference(number)
            let values = keys.map { $0 == first ? reference : value }
            return archive.reference(archive.entry(archive.add(.dictionary(keys, values))))
        }
        let numbers = [
            add([first, second], 1), add([second, first], 2), add([second, first], 3),
            add(many + [first, second], 4), add(many + [second, first], 5),
            add([first, second], 6),
        ]
        let root = archive.object(list, [("NS.objects", archive.add(.array(numbers)))])
        let values = try KeyedUnarchiver.unarchive(
            [Number].self, from: archive.bytes(root: root))
        #expect(values.map(\.value) == [1, 2, 3, 4, 5, 6])
    }

    @Test("a long text and long data are copied once")
    func longTexts() throws {
        var archive = SharingAssembler()
        let text = archive.reference(
            archive.entry(archive.text(String(repeating: "x", count: 500_000))))
        let data = archive.reference(
            archive.entry(archive.add(.data([UInt8](repeating: 7, count: 500_000)))))
        let list = archive.add(.array([text, data, text, data]))
        let root = archive.object(archive.describe("NSArray"), [("NS.objects", list)])
        let values = try KeyedUnarchiver.unarchive(
            [AnyArchived].self, from: archive.bytes(root: root))
        // SAFETY: the addresses are compared, not followed.
        func address(_ value: AnyArchived) -> UInt? {
            if var text = value.value(as: String.self) {
                return text.withUTF8 { UInt(bitPattern: $0.baseAddress) }
            }
            return unsafe value.value(as: Data.self)?.withUnsafeBytes {
                UInt(bitPattern: $0.baseAddress)
            }
        }
        let addresses = values.compactMap(address)
        try #require(addresses.count == 4)
        #expect(addresses[0] == addresses[2])
        #expect(addresses[1] == addresses[3])
        #expect(addresses[0] != addresses[1])
    }
}

extension KeyedUnarchiver {
    fileprivate func unarchive(ofAnyType type: any KeyedDecodable.Type) throws {
        func open<T: KeyedDecodable>(_ type: T.Type) throws { _ = try unarchive(type) }
        try open(type)
    }
}

private struct Number: KeyedDecodable {
    static var archivedClass: ArchivedClass { "Number" }
    let value: Int

    init(coder: KeyedDecoder) throws { value = try coder.decodeInteger(forKey: "value") }
}

@Suite("Depth and sharing of encoded values")
struct WrittenSharingTests {
    @Test("very deeply nested arrays are decoded and released within the trusted limits")
    func deepAny() throws {
        let depth = Exhaustive.size(100_000, inDebug: 20_000)
        var objects = (1...depth).map { level -> PropertyListValue in
            [
                "NS.objects": [.uid(PropertyListUID(UInt32(level + 1)))],
                "$class": .uid(PropertyListUID(UInt32(depth + 2))),
            ]
        }
        objects += ["leaf", Archives.describe("NSArray")]
        let bytes = try Archives.make(objects)
        var value: AnyArchived? = try KeyedUnarchiver.unarchive(
            AnyArchived.self, from: bytes, limits: .trusted)
        #expect(value?.value is [AnyArchived])
        value = nil
    }

    @Test("a part that occurs many times in a tree is archived as one object")
    func sharedTree() throws {
        var tree: PropertyListValue = ["leaf"]
        for _ in 0..<40 { tree = [tree, tree] }
        let bytes = try KeyedArchiver.archive(tree)
        #expect(bytes.count < 2000)
        #expect(try ArchiveGraph(parsing: bytes).objects.count == 44)
    }

    @Test("values that expand to more objects than allowed are refused")
    func tooMany() throws {
        // The archiver writes an array once for each occurrence, and allows 16 × 10 objects.
        var limits = ParsingLimits.default
        limits.expansion.base = 10
        let few = try KeyedArchiver.archive(Array(repeating: [1], count: 100), limits: limits)
        #expect(try ArchiveGraph(parsing: few).objects.count == 104)
        let error = archiveError {
            try KeyedArchiver.archive(Array(repeating: [1], count: 200), limits: limits)
        }
        #expect(error?.code == .expansionLimitExceeded)
        #expect(error?.recovery != nil)
    }

    @Test("an object that is written once is checked against the allow-list for each root")
    func onceAllowed() throws {
        let bytes = try Archives.make(
            [
                ["NS.objects": [.uid(2), .uid(2)], "$class": .uid(5)],
                ["NS.name": .uid(3), "NS.data": .uid(0), "$class": .uid(4)], "GMT",
                Archives.describe("NSTimeZone"), Archives.describe("NSArray"),
            ])
        let archive = try KeyedUnarchiver(parsing: bytes)
        let typed = try archive.unarchive([ArchivedTimeZone].self)
        let any = try archive.unarchive([AnyArchived].self)
        let archiver = KeyedArchiver(allowing: .propertyList)
        archiver.roots.encode(typed, forKey: "typed")
        archiver.roots.encode(any, forKey: "any")
        let error = archiveError { try archiver.finish() }
        #expect(error?.code == .classNotAllowed)
    }
}

/// A type that keeps all its fields as unknown ones.
private struct Sponge: KeyedDecodable {
    static let archivedClass: ArchivedClass = "Sponge"
    let fields: ArchivedExtraFields

    init(coder: KeyedDecoder) throws { fields = try coder.extraFields(except: []) }
}
