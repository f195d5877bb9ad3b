// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveImport
import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList
import PropertyListCodable
import PropertyListTools
import TestSupport
import Testing

struct Bookmark: KeyedCodable {
    static let archivedClass: ArchivedClass = "Bookmark"
    var title: String
    var site: URL

    func encode(with coder: KeyedEncoder) {
        coder.encode(title, forKey: "title")
        coder.encode(site, forKey: "site")
    }

    init(coder: KeyedDecoder) throws {
        title = try coder.decode(forKey: "title")
        site = try coder.decode(forKey: "site")
    }
}

extension Bookmark {
    fileprivate init(title: String, site: URL) {
        self.title = title
        self.site = site
    }
}

/// A type that refuses values out of its range.
private struct Progress: KeyedCodable {
    static let archivedClass: ArchivedClass = "Progress"
    var level: Int

    func encode(with coder: KeyedEncoder) { coder.encode(level, forKey: "level") }

    init(coder: KeyedDecoder) throws {
        level = try coder.decode(forKey: "level")
        guard (1...100).contains(level) else {
            throw coder.error("expected a level from 1 to 100, found \(level)", forKey: "level")
        }
    }

    init(level: Int) { self.level = level }
}

/// A type with a key that was renamed.
private struct Score: KeyedCodable {
    static let archivedClass: ArchivedClass = "Score"
    var level: Int

    func encode(with coder: KeyedEncoder) { coder.encode(level, forKey: "level") }

    init(coder: KeyedDecoder) throws {
        level = try coder.decode(Int?.self, forKey: "level") ?? coder.decode(forKey: "lvl")
    }
}

/// A score as earlier versions wrote it.
private struct OldScore: KeyedEncodable {
    static let archivedClass: ArchivedClass = "Score"

    func encode(with coder: KeyedEncoder) { coder.encode(7, forKey: "lvl") }
}

/// The archived state of a ``Note``.
nonisolated struct NoteState: KeyedCodable {
    static let archivedClass: ArchivedClass = "Note"
    var title = ""

    init() {}
    init(coder: KeyedDecoder) throws { title = try coder.decode(forKey: "title") }
    func encode(with coder: KeyedEncoder) { coder.encode(title, forKey: "title") }
}

@MainActor
final class Note {
    private(set) var state = NoteState()

    func saved() throws -> [UInt8] { try KeyedArchiver.archive(state) }
}

extension Note {
    fileprivate func rename(_ title: String) { state.title = title }
}

private enum UploadError: Error {
    case tooLarge
}

/// The examples of the README and of the pages in `Documentation`.
@Suite("Examples of the guide")
struct GuideExamples {
    private let save = Save(name: "Anna")

    @Test("read untrusted archives on a server")
    func server() throws {
        var refusals: [String] = []
        func print(_ text: String, _ error: KeyedArchiveError) { refusals.append(text) }

        func names(in body: [UInt8]) throws -> [String]? {
            do {
                let saves = try KeyedUnarchiver.unarchive(
                    [Save].self, from: body, allowing: .commonClasses, limits: .untrusted)
                return saves.map(\.name)
            } catch let error as KeyedArchiveError {
                print("refused:", error)
                return nil
            }
        }

        func describe(_ body: [UInt8]) throws -> [String] {
            let graph = try ArchiveGraph(parsing: body, limits: .untrusted)
            return graph.roots.map { key, root in
                let type = root.uid.flatMap { graph.archivedClass(of: $0) }
                return "\(key): \(type?.name ?? "a plain value")"
            }
        }

        let body = try KeyedArchiver.archive([save])
        #expect(try names(in: body) == ["Anna"])
        #expect(try names(in: Array(body.dropLast())) == nil && refusals == ["refused:"])
        #expect(try describe(body) == ["root: NSArray"])
        #expect(try describe(KeyedArchiver.archive("text")) == ["root: a plain value"])
    }

    @Test("read a key that was renamed")
    func renamedKey() throws {
        let old = try KeyedArchiver.archive(
            OldScore(), allowing: .foundation.allowing("Score"))
        let score = try KeyedUnarchiver.unarchive(Score.self, from: old)
        #expect(score.level == 7)
        let new = try KeyedArchiver.archive(score)
        #expect(try KeyedUnarchiver.unarchive(Score.self, from: new).level == 7)
    }

    private let bookmarks = [Bookmark(title: "Docs", site: URL(filePath: "/docs"))]

    @Test("write objects, and read them with few allowed classes")
    func bookmarksRoundTrip() throws {
        let bytes = try KeyedArchiver.archive(bookmarks)
        let again = try KeyedUnarchiver.unarchive([Bookmark].self, from: bytes)
        #expect(again.map(\.title) == ["Docs"])
        #expect(try accepted(bytes).count == 1 && accepted([]).isEmpty)
        #expect(try allowed(bytes).map(\.site) == bookmarks.map(\.site))
        #expect(try saves(in: KeyedArchiver.archive([save])) == 1)
    }

    private func accepted(_ bytes: [UInt8]) throws -> [Bookmark] {
        do {
            return try KeyedUnarchiver.unarchive([Bookmark].self, from: bytes)
        } catch let error as KeyedArchiveError {
            print("the archive was refused:", error)
            return []
        }
    }

    private func allowed(_ bytes: [UInt8]) throws -> [Bookmark] {
        let allowed = ClassRegistry(Bookmark.self, String.self, URL.self)
        let bookmarks = try KeyedUnarchiver.unarchive(
            [Bookmark].self, from: bytes, allowing: allowed, limits: .untrusted)
        return bookmarks
    }

    private func saves(in body: [UInt8]) throws -> Int {
        let saves = try KeyedUnarchiver.unarchive(
            [Save].self, from: body, allowing: ClassRegistry(String.self), limits: .untrusted)
        return saves.count
    }

    @Test("tell limits from other errors")
    func limits() throws {
        let deep = [UInt8](repeating: UInt8(ascii: "("), count: 1000)
        #expect(throws: UploadError.self) { try uploaded(deep) }
        #expect(try bounded(deep) == nil)
        #expect(throws: KeyedArchiveError.self) {
            try KeyedUnarchiver.unarchive(
                Progress.self, from: KeyedArchiver.archive(Progress(level: 1000)))
        }
    }

    private func uploaded(_ body: [UInt8]) throws -> [Bookmark] {
        do {
            return try KeyedUnarchiver.unarchive([Bookmark].self, from: body, limits: .untrusted)
        } catch let error as KeyedArchiveError where error.isLimit {
            throw UploadError.tooLarge
        }
    }

    private func bounded(_ bytes: [UInt8]) throws -> PropertyListDocument? {
        let document: PropertyListDocument
        do {
            document = try PropertyListDocument(parsing: bytes, limits: .untrusted)
        } catch  where error.isLimit {
            return nil
        }
        return document
    }

    @Test("archive a model of the main actor")
    @MainActor
    func mainActor() throws {
        let note = Note()
        note.rename("Pond")
        let again = try KeyedUnarchiver.unarchive(NoteState.self, from: note.saved())
        #expect(again.title == "Pond")
    }

    @Test("say that a file was cut off")
    func errors() throws {
        #expect(try opened(Array("{ a = (b".utf8)) == nil)
        #expect(try opened(Array("{ a = b; }".utf8)) != nil)
    }

    private func opened(_ bytes: [UInt8]) throws -> PropertyListDocument? {
        do {
            return try PropertyListDocument(parsing: bytes)
        } catch  where error.code == .truncated {
            print("the file was cut off:", error)
            return nil
        }
    }

    @Test("print the objects of any archive")
    func objects() throws {
        var printed: [String] = []
        func print(_ name: String, _ keys: [String]) { printed.append("\(name) \(keys)") }
        let bytes = try KeyedArchiver.archive(save)
        let graph = try ArchiveGraph(parsing: bytes)
        for case .object(let object) in graph.objects {
            guard case .classDescription(let type) = graph[object.classReference] else { continue }
            print(type.name, object.fields.keys)
        }
        #expect(printed.count == 1 && printed[0].hasPrefix("DWSave "))
    }

    @Test("decode an object of an unknown class into a structure")
    func unknown() throws {
        struct Record: Decodable { let name: String, age: Int }
        let bytes = try KeyedArchiver.archive(save)
        let object = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: bytes, allowing: .foundation.keepingUnknownClasses())
        let record = try object.decode(Record.self)
        #expect(record.name == "Anna" && record.age == 36)
    }

    @Test("read lenient input and UIDs, and encode Codable values as trees")
    func details() throws {
        #expect(try lenient(Array("<dict></dict>".utf8)))
        let archive = try PropertyListDocument(parsing: KeyedArchiver.archive(save))
        #expect(root(archive) == 1)
        let profile = Profile(name: "Anna")
        let value = try PlistEncoder().encodeValue(profile)
        let again = try PlistDecoder().decode(Profile.self, from: value)
        #expect(again.name == "Anna")
    }

    private func root(_ document: PropertyListDocument) -> PropertyListUID? {
        let reference = document.root["$top"]?["root"]?.uid
        return reference
    }

    private func lenient(_ bytes: [UInt8]) throws -> Bool {
        let document = try PropertyListDocument(parsing: bytes, options: .appleCompatible)
        let needed = document.leniencies
        return !needed.isEmpty
    }
}
