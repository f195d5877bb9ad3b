// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Decoding after failures")
struct FailureTests {
    @Test("deferred references of an object that the program discarded are skipped")
    func lateReferences() throws {
        let bytes = try Archives.make([
            ["child": .uid(2), "$class": .uid(6)],
            ["value": 1, "children": .uid(3), "$class": .uid(7)],
            ["NS.objects": [.uid(4), .uid(9)], "$class": .uid(8)],
            ["value": 2, "children": .uid(5), "parent": .uid(10), "$class": .uid(7)],
            ["NS.objects": [], "$class": .uid(8)],
            Archives.describe("Tolerant"), Archives.describe("Node"), Archives.describe("NSArray"),
            "no node", ["value": 3, "children": .uid(5), "$class": .uid(7)],
        ])
        let tolerant = try KeyedUnarchiver.unarchive(
            Tolerant.self, from: bytes, allowing: .foundation.adding(Node.self))
        #expect(tolerant.child == nil && tolerant.again == nil)
    }

    @Test("an object within an object that failed is decoded again, with its deferred references")
    func madeAgain() throws {
        let bytes = try Archives.make([
            ["child": .uid(2), "again": .uid(4), "$class": .uid(6)],
            ["value": 1, "children": .uid(3), "$class": .uid(7)],
            ["NS.objects": [.uid(4), .uid(9)], "$class": .uid(8)],
            ["value": 2, "children": .uid(5), "next": .uid(10), "$class": .uid(7)],
            ["NS.objects": [], "$class": .uid(8)],
            Archives.describe("Tolerant"), Archives.describe("Node"), Archives.describe("NSArray"),
            "no node", ["value": 3, "children": .uid(5), "$class": .uid(7)],
        ])
        let tolerant = try KeyedUnarchiver.unarchive(
            Tolerant.self, from: bytes, allowing: .foundation.adding(Node.self))
        #expect(tolerant.child == nil)
        #expect(tolerant.again?.value == 2 && tolerant.again?.next?.value == 3)
    }

    @Test("a root that fails does not discard the objects of earlier roots")
    func earlierRoots() throws {
        let bytes = try Archives.make(
            [
                ["value": 1, "children": .uid(2), "$class": .uid(4)],
                ["NS.objects": [], "$class": .uid(3)],
                Archives.describe("NSArray"), Archives.describe("Node"), "text",
            ],
            top: ["a": .uid(1), "b": .uid(1), "bad": .uid(5)])
        let archive = try KeyedUnarchiver(parsing: bytes, allowing: .foundation.adding(Node.self))
        let first = try archive.unarchive(Node.self, forKey: "a")
        #expect(
            archiveError { try archive.unarchive(Node.self, forKey: "bad") }?.code == .wrongType)
        #expect(try archive.unarchive(Node.self, forKey: "b") === first)
    }

    @Test("a reference at the roots is read as a root")
    func rootReferences() throws {
        let tree = Node(1)
        tree.adopt(Node(2))
        var limits = ParsingLimits.default
        limits.expansion = .init(factor: 0, base: 100)
        // The type of the request alone allows the class.
        let archive = try KeyedUnarchiver(parsing: KeyedArchiver.archive(tree), limits: limits)
        let reference = try #require(archive.roots.reference(forKey: "root"))
        let first = try reference.object(as: Node.self)
        #expect(first.children.first?.parent === first)
        // Each call has the full budget.
        for _ in 0..<200 { #expect(try reference.object(as: Node.self) === first) }
        #expect(
            archiveError { try archive.unarchive(AnyArchived.self) }?.code == .classNotAllowed)
    }

    @Test("a reference at the roots fails if a deferred reference of its object fails")
    func failedRootReference() throws {
        let bytes = try Archives.make([
            ["value": 1, "children": .uid(2), "next": .uid(5), "$class": .uid(3)],
            ["NS.objects": [], "$class": .uid(4)], Archives.describe("Node"),
            Archives.describe("NSArray"), "no node",
        ])
        let archive = try KeyedUnarchiver(parsing: bytes)
        let reference = try #require(archive.roots.reference(forKey: "root"))
        #expect(archiveError { try reference.object(as: Node.self) }?.code == .wrongType)
    }

    @Test("classes allowed by the type of one root are not allowed for other roots")
    func rootTypes() throws {
        let bytes = try Archives.make(
            [
                ["value": 1, "next": .uid(0), "$class": .uid(2)], Archives.describe("Link"),
                ["NS.objects": [.uid(1)], "$class": .uid(4)], Archives.describe("NSArray"),
            ],
            top: ["a": .uid(1), "list": .uid(3)])
        let archive = try KeyedUnarchiver(parsing: bytes)
        for _ in 0..<2 {
            #expect(try archive.unarchive(Link.self, forKey: "a").value == 1)
            #expect(try archive.unarchive([Link].self, forKey: "list").count == 1)
            for key in ["a", "list"] {
                #expect(
                    archiveError { try archive.unarchive(AnyArchived.self, forKey: key) }?.code
                        == .classNotAllowed)
            }
            #expect(
                archiveError { try archive.roots.decodeObject(ofAny: [Pet.self], forKey: "a") }?
                    .code == .classNotAllowed)
        }
    }
}

/// A class that ignores an error of its field `child`.
private final class Tolerant: KeyedDecodable {
    static let archivedClass: ArchivedClass = "Tolerant"
    let child: Node?
    let again: Node?

    init(coder: KeyedDecoder) throws {
        child = try? coder.decode(Node.self, forKey: "child")
        again = try coder.decode(forKey: "again")
    }
}
