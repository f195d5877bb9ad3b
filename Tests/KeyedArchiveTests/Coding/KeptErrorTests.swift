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

@Suite("Errors that an encoder records")
struct KeptErrorTests {
    private func error(of root: some KeyedEncodable) -> (any Error)? {
        do {
            _ = try KeyedArchiver.archive(root, allowing: .foundation.adding(Pet.self, Crate.self))
            return nil
        } catch { return error }
    }

    @Test("a recorded error has the path to its field")
    func path() throws {
        let log = VisitLog()
        let inner = Crate(
            [AnyArchived("text"), AnyArchived(Save(name: "", age: 0, sex: false))], log)
        let outer = Crate([AnyArchived(UUID()), AnyArchived(inner)], log)
        let error = try #require(error(of: ["first": outer]) as? KeyedArchiveError)
        #expect(error.code == .classNotAllowed)
        #expect(error.path?.description == #"root["first"].content[1].content[1]"#)
    }

    @Test("a recorded error has the index of its element, in every collection")
    func elements() throws {
        let bad = AnyArchived(Cat(name: "Tom")), good = AnyArchived("a")
        let collections: [any KeyedEncodable] = [
            [good, bad], ArchivedSet([good, bad]), ArchivedOrderedSet([good, bad]),
            ArchivedCountedSet([(good, 1), (bad, 2)]),
            ArchivedPairs([(key: 1, value: good), (key: 2, value: bad)]),
        ]
        for collection in collections {
            let error = archiveError { try archive(collection) }
            #expect(error?.path?.description == "root[1]", "\(collection)")
        }
    }

    private func archive(_ value: some KeyedEncodable) throws {
        _ = try KeyedArchiver.archive(value)
    }

    @Test("the first error is kept, and nothing is archived after it")
    func first() throws {
        let log = VisitLog()
        let bad = Crate([AnyArchived(Cat(name: "Tom")), AnyArchived(Visited(log))], log)
        bad.other = Visited(log)
        let error = try #require(
            error(of: [AnyArchived(bad), AnyArchived(Visited(log))]) as? KeyedArchiveError)
        #expect(error.code == .undeclaredSubclass)
        #expect(error.path?.description == "root[0].content[0]")
        #expect(log.count == 0)
    }

    @Test(
        "an error thrown by `encode(with:)` is passed on unchanged, unless one was recorded before")
    func own() throws {
        let own = Crate([AnyArchived("text")], VisitLog())
        own.failure = OwnError()
        #expect(error(of: [own]) is OwnError)
        let both = Crate([AnyArchived(Cat(name: "Tom"))], VisitLog())
        both.failure = OwnError()
        #expect((error(of: [both]) as? KeyedArchiveError)?.code == .undeclaredSubclass)
    }

    @Test("a recorded error is thrown by each call that produces output, even after further roots")
    func finish() throws {
        let archiver = KeyedArchiver(allowing: .foundation.adding(Pet.self))
        archiver.roots.encode(1, forKey: "a")
        archiver.roots.encodeUnkeyed(Cat(name: "Tom"))
        archiver.roots.encodeEncodable(["x": Double.nan], forKey: "b")
        archiver.roots.encodeInline(.string("x"), forKey: "c")
        archiver.roots.encode(Save(name: "", age: 0, sex: false), forKey: "d")
        for _ in 0..<2 {
            let error = archiveError { try archiver.finish() }
            #expect(error?.code == .undeclaredSubclass)
            #expect(error?.path?.description == "$0")
        }
        #expect(archiveError { _ = try archiver.document() }?.code == .undeclaredSubclass)
    }

    @Test("an error is kept even if a type catches it and continues")
    func swallowed() {
        #expect((error(of: [Careless()]) as? KeyedArchiveError)?.code == .undeclaredSubclass)
    }

    @Test("an error at the end of an object is kept even if the program catches it and continues")
    func swallowedEnd() {
        // The limit is 16 objects, and `$null` is the first. Each object needs another one for its
        // class. The eighth object is within the limit, but its class is not.
        var limits = ParsingLimits.default
        limits.expansion = .init(factor: 0, base: 1)
        let names = (1...8).map { "Class\($0)" }
        let archiver = KeyedArchiver(
            allowing: names.reduce(ClassRegistry()) { $0.allowing($1) }, limits: limits)
        let codes = names.map { name in
            archiveError {
                _ = try archiver.roots.writer.writeObject(
                    of: ArchivedClass(name: name, chain: [name])
                ) { $0.encode(1, forKey: "field") }
            }?.code
        }
        #expect(codes == Array(repeating: nil, count: 7) + [.expansionLimitExceeded])
        #expect(archiveError { _ = try archiver.document() }?.code == .expansionLimitExceeded)
    }

    @Test("an error while copying an object is kept even if a type catches it and continues")
    func swallowedCopy() throws {
        let bytes = try Archives.make([
            ["child": .uid(2), "$class": .uid(3)], ["$class": .uid(4)],
            Archives.describe("Known"), Archives.describe("Evil"),
        ])
        let object = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: bytes, allowing: .foundation.keepingUnknownClasses())
        let root = [CarelessCopy(object: object), CarelessCopy(object: object)]
        let error = archiveError {
            try KeyedArchiver.archive(root, allowing: .foundation.allowing("Known"))
        }
        #expect(error?.code == .classNotAllowed)
    }

    @Test("plain values within an undecoded object are written only if their classes are allowed")
    func leavesOfCopies() throws {
        let leaves: [(PropertyListValue, String)] = [
            ("text", "NSString"), (1, "NSNumber"), (.data([1]), "NSData"),
            (.date(PropertyListDate(secondsSince2001: 0)), "NSDate"),
        ]
        for (leaf, name) in leaves {
            let bytes = try Archives.make([
                ["field": .uid(3), "$class": .uid(2)], Archives.describe("Foo"), leaf,
            ])
            let allowed = ClassRegistry.foundation.allowing("Foo")
            let opaque = try KeyedUnarchiver.unarchive(
                OpaqueObject.self, from: bytes, allowing: allowed)
            let narrow = ClassRegistry().allowing("Foo")
            let error = archiveError { try KeyedArchiver.archive(opaque, allowing: narrow) }
            #expect(error?.code == .classNotAllowed && error?.what.contains(name) == true)
            for registry in [
                allowed, narrow.allowing(name), ClassRegistry().keepingUnknownClasses(),
            ] {
                let copy = try KeyedArchiver.archive(opaque, allowing: registry)
                let again = try KeyedUnarchiver.unarchive(
                    OpaqueObject.self, from: copy, allowing: registry)
                #expect(again.object(forKey: "field") != nil)
            }
        }
    }

    @Test("a list that is nested too deeply is refused with a bounded path")
    func depth() throws {
        let error = try #require(
            archiveError { try KeyedArchiver.archive(Link.list(10_000)) })
        #expect(error.code == .depthLimitExceeded)
        #expect(error.path?.components.count == 513)
    }
}

private struct OwnError: Error {}

private final class VisitLog {
    var count = 0
}

/// Counts the calls of its encoding method.
private final class Visited: KeyedCodable {
    static let archivedClass: ArchivedClass = "Pet"
    let log: VisitLog

    init(_ log: VisitLog) { self.log = log }

    func encode(with coder: KeyedEncoder) { log.count += 1 }

    init(coder: KeyedDecoder) throws { log = VisitLog() }
}

private final class Crate: KeyedCodable {
    static let archivedClass: ArchivedClass = "Crate"
    let content: [AnyArchived]
    var other: Visited?
    var failure: OwnError?
    private let log: VisitLog

    init(_ content: [AnyArchived], _ log: VisitLog) {
        self.content = content
        self.log = log
    }

    func encode(with coder: KeyedEncoder) throws {
        coder.encode(content, forKey: "content")
        coder.encode(other, forKey: "other")
        if let failure { throw failure }
    }

    init(coder: KeyedDecoder) throws {
        content = try coder.decode(forKey: "content")
        log = VisitLog()
    }
}

/// Archives nil in place of a value that cannot be archived.
private struct Careless: KeyedEncodable {
    static let archivedClass: ArchivedClass = "Pet"

    func encode(with coder: KeyedEncoder) {}

    func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        (try? writer.writeObject(of: "Pet") { $0.encode(Cat(name: "Tom"), forKey: "cat") })
            ?? ArchiveWriter.null
    }
}

/// Archives nil in place of an object that cannot be copied.
private struct CarelessCopy: KeyedEncodable {
    static let archivedClass: ArchivedClass = "Pet"
    let object: OpaqueObject

    func encode(with coder: KeyedEncoder) {}

    func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        (try? object.archive(in: writer)) ?? ArchiveWriter.null
    }
}
