// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@Suite("Roots without keys")
struct UnkeyedRootTests {
    private let bytes = try? Archives.make(
        ["a", "b"], top: ["$0": .uid(1), "named": .uid(2), "$1": 5, "$class": .uid(1)])

    @Test("roots without keys are listed, and are read by their generated keys or in order")
    func read() throws {
        let roots = try KeyedUnarchiver(parsing: #require(bytes)).roots
        #expect(roots.keys == ["$0", "named", "$1"])
        #expect(try roots.decode(String.self, forKey: "$0") == "a")
        #expect(try roots.decodeInteger(forKey: "$1") == 5)
        #expect(roots.containsValue(forKey: "$0") && !roots.containsValue(forKey: "$2"))
        #expect(!roots.containsValue(forKey: "$class"))
        #expect(try roots.decodeUnkeyed(String.self) == "a")
        #expect(try roots.decodeUnkeyed(Int.self) == 5)
        #expect(archiveError { try roots.decodeUnkeyed(Int.self) }?.path?.description == "$2")
    }

    @Test("roots without keys keep their generated keys when they are archived again")
    func write() throws {
        let roots = try KeyedUnarchiver(parsing: #require(bytes)).roots
        let archiver = KeyedArchiver()
        for key in roots.keys {
            archiver.roots.encode(try roots.decode(AnyArchived?.self, forKey: key), forKey: key)
        }
        let again = try ArchiveContents(parsing: archiver.finish())
        #expect(again.top["$0"]?.uid == 1 && again.top["named"]?.uid == 2)
        #expect(again.top["$1"]?.integer == 5)
    }

    @Test("roots without keys are written in order, and the classes of their types are allowed")
    func order() throws {
        let archiver = KeyedArchiver(allowing: .propertyList)
        archiver.roots.encodeUnkeyed(Save(name: "n", age: 1, sex: true))
        archiver.roots.encodeUnkeyed(7 as ArchivedNumber)
        let roots = try KeyedUnarchiver(parsing: archiver.finish(), allowing: .propertyList).roots
        #expect(roots.keys == ["$0", "$1"])
        #expect(try roots.decodeUnkeyed(Save.self).name == "n")
        #expect(try roots.decodeUnkeyed(Int.self) == 7)
        let refused = archiveError {
            let archiver = KeyedArchiver(allowing: .propertyList)
            archiver.roots.encodeUnkeyed([AnyArchived(Save(name: "n", age: 1, sex: true))])
            _ = try archiver.finish()
        }
        #expect(refused?.path?.description == "$0[0]")
    }

    @Test("a root without a key does not hide the program's own root with the key `$0`")
    func ownKey() throws {
        let bytes = try Archives.make(["a", "b"], top: ["$$0": .uid(1), "$0": .uid(2)])
        let roots = try KeyedUnarchiver(parsing: bytes).roots
        #expect(roots.keys == ["$0"])
        #expect(try roots.decode(String.self, forKey: "$0") == "a")
        #expect(try roots.decodeUnkeyed(String.self) == "b")
    }

    @Test("the error for a root that is written with and without a key names the key")
    func twice() {
        let archiver = KeyedArchiver()
        archiver.roots.encodeUnkeyed("x")
        archiver.roots.encode("y", forKey: "$0")
        let error = archiveError { try archiver.finish() }
        #expect(error?.code == .duplicateKey)
        #expect(error?.what == "`$0` is written twice in the list of roots")
    }

    @Test("roots without keys in Apple's files round-trip with the same keys and kinds of values")
    func corpus() throws {
        var count = 0
        for file in Corpus.external("real-archives") {
            guard let contents = try? ArchiveContents(parsing: file.bytes),
                contents.top.contains(where: { $0.key == "$0" })
            else { continue }
            let registry = ClassRegistry.foundation.keepingUnknownClasses()
            let roots = try KeyedUnarchiver(contents, allowing: registry).roots
            #expect(roots.keys.count == contents.top.count)
            let archiver = KeyedArchiver(
                allowing: registry)
            for key in roots.keys {
                archiver.roots.encode(try roots.decode(AnyArchived?.self, forKey: key), forKey: key)
            }
            let again = try ArchiveContents(parsing: archiver.finish())
            #expect(again.top.map(\.key) == contents.top.map(\.key))
            for root in contents.top { #expect(again.top[root.key]?.kind == root.value.kind) }
            count += 1
        }
        #expect(count == 5 || !Corpus.hasExternal)
    }
}
