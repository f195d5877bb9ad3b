// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationCoding
import KeyedArchive
import TestSupport
import Testing

@Suite("Foundation's classes through the coders")
struct FoundationClassTests {
    /// Returns the documentation page with the table of classes.
    private static func page() throws -> String {
        let page = Corpus.repository.appendingPathComponent(
            "Sources/FoundationCoding/FoundationCoding.docc/FoundationClasses.md")
        return try String(contentsOf: page, encoding: .utf8)
    }

    /// Returns the rows of the table: a class, and whether each column says yes.
    private static func rows() throws -> [(name: String, cells: [Bool])] {
        try page().split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, cells[1].hasPrefix("yes") || cells[1].hasPrefix("no") else {
                return nil
            }
            let name = cells[0].replacingOccurrences(of: "`", with: "")
            return (name, cells[1...4].map { $0.hasPrefix("yes") })
        }
    }

    /// Returns Foundation's classes that adopt `NSSecureCoding`, from the symbols of its library.
    private static func secureClasses() throws -> [String] {
        // The file system reports a size of 0, so only a handle reads the whole file.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
        let maps = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
        let library = maps.split(whereSeparator: \.isWhitespace).first {
            $0.hasSuffix("/libFoundation.so")
        }
        let data = try Data(contentsOf: URL(fileURLWithPath: String(try #require(library))))
        // A conformance in the mangled form: `$s10Foundation7NSArrayCAA14NSSecureCodingAAMc`.
        let prefix = Array("$s10Foundation".utf8)
        return data.split(separator: 0).compactMap { bytes in
            guard bytes.starts(with: prefix) else { return nil }
            let symbol = String(decoding: bytes, as: UTF8.self)
            guard symbol.hasSuffix("CAA14NSSecureCodingAAMc") else { return nil }
            return String(symbol.dropFirst(14).dropLast(23).drop(while: \.isNumber))
        }
    }

    @Test(
        "The page lists every class of Foundation that adopts NSSecureCoding",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/maps")))
    func everyClass() throws {
        let (page, classes) = (try Self.page(), try Self.secureClasses())
        #expect(classes.count >= 30)
        for name in classes {
            #expect(page.contains("\(name)`") || page.contains("\(name), "), "\(name)")
        }
    }

    private static func isEqual(_ verb: String, _ name: String) throws -> Bool {
        let result = try Program.run(
            "CodingProbe", [verb, name], in: ["SWIFT_BACKTRACE": "enable=no"])
        return result.status == 0 && result.output.hasSuffix("equal\n")
    }

    @Test("Each class is written and read as the table in the documentation says")
    func table() throws {
        let names = try Program.run("CodingProbe", ["names"]).output.split(separator: "\n")
        let rows = try Self.rows()
        #expect(names.map(String.init).sorted() == rows.map(\.name).sorted())
        for row in Exhaustive.sample(rows, oneIn: 3) {
            #expect(try Self.isEqual("written", row.name) == row.cells[0], "\(row.name), written")
            #expect(try Self.isEqual("read", row.name) == row.cells[1], "\(row.name), read")
            #expect(try Self.isEqual("agrees", row.name) == row.cells[2], "\(row.name), agrees")
        }
    }

    @Test("No bad field crashes a class of the default registry")
    func badFields() throws {
        for row in Exhaustive.sample(try Self.rows().filter { $0.cells[3] }, oneIn: 3) {
            let result = try Program.run(
                "CodingProbe", ["fields", row.name, "0"], in: ["SWIFT_BACKTRACE": "enable=no"])
            #expect(
                result.output.hasSuffix("survived\n"), "\(row.name): \(result.output.suffix(80))")
        }
    }

    @Test("The default registry allows no predicates, expressions or sort descriptors")
    func programs() {
        let programs = ClassRegistry.foundationObjects.names.filter {
            $0.contains("Predicate") || $0.contains("Expression") || $0.contains("SortDescriptor")
        }
        #expect(programs.isEmpty)
    }

    @Test("The table states for each class whether it is in the default registry")
    func defaultList() throws {
        let names = Set(ClassRegistry.foundationObjects.names)
        for row in try Self.rows() {
            let name = row.name.split(separator: ",").first.map(String.init) ?? row.name
            #expect(names.contains(name) == row.cells[3], "\(row.name)")
        }
    }
}

@Suite("Bad archives through the coders")
struct BadArchiveTests {
    /// Small archives of several kinds, from the repository.
    private static let archives = [
        "save", "cycle", "hints", "nodes", "object-keys", "roots", "unreached",
    ]

    private static func survives(_ url: URL) throws -> Bool {
        let result = try Program.run(
            "CodingProbe", ["bytes", url.path, "0"], in: ["SWIFT_BACKTRACE": "enable=no"])
        return result.output.hasSuffix("survived\n")
    }

    @Test("No prefix and no changed byte of an archive in the repository causes a crash")
    func changedBytes() throws {
        for name in Exhaustive.sample(Self.archives, oneIn: 3) {
            let url = Corpus.fixtures.appendingPathComponent("archives/\(name).plist")
            #expect(try Self.survives(url), "\(name)")
        }
    }

    @Test(
        "No prefix and no changed byte of some genuine archives causes a crash",
        .enabled(if: Corpus.hasExternal))
    func changedBytesOfGenuineArchives() throws {
        let folder = "real-archives/foundation-tests"
        let names = Corpus.external(folder).filter { $0.bytes.count < 4096 }.map(\.name)
        let external = try #require(Corpus.external)
        let chosen = stride(from: 0, to: names.count, by: max(1, names.count / 10)).map {
            names[$0]
        }
        #expect(chosen.count >= 10)
        for name in Exhaustive.sample(chosen, oneIn: 3) {
            #expect(
                try Self.survives(external.appendingPathComponent("\(folder)/\(name)")), "\(name)")
        }
    }

    @Test("Hostile archives are refused, or read within the limits, without a crash")
    func hostileArchives() {
        let refused =
            Corpus.fixtures("archives/malformed") + Corpus.fixtures("archives/not-archives")
        #expect(refused.count >= 14)
        for file in refused {
            #expect(throws: KeyedArchiveError.self, "\(file)") {
                try KeyedUnarchiverCoder(forReadingFrom: Data(file.bytes))
            }
        }
        // Some of these files are archives that can be read.
        for file in Corpus.external("malformed") {
            for policy in [KeyedUnarchiverCoder.CyclePolicy.fail, .cut] {
                guard let coder = try? KeyedUnarchiverCoder(forReadingFrom: Data(file.bytes))
                else { continue }
                coder.cyclePolicy = policy
                let root = coder.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
                #expect(root == nil || coder.error == nil, "\(file)")
            }
        }
    }

    @Test("Elements whose hashes collide are refused before they take quadratic time")
    func collisions() throws {
        // Foundation's hash of a long string ignores the characters that differ here.
        let padding = String(repeating: "x", count: 40)
        let texts = (0..<5000).map { number in
            let digits = String(String(10_000 + number).dropFirst())
            return padding + digits + padding + padding
        }
        let hashes = Set(texts.map { NSString(string: $0).hash })
        try #require(hashes.count == 1, "the hash has changed: find other strings that collide")
        let data = try KeyedArchiverCoder.archivedData(
            withRootObject: NSSet(array: texts), requiringSecureCoding: false)
        #expect(throws: KeyedArchiveError.self) {
            try KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(data)
        }
    }
}

@Suite("Genuine archives through the coders", .enabled(if: Corpus.hasExternal))
struct GenuineArchiveTests {
    @Test("Archives that Foundation reads are decoded to the same objects")
    func sameAsFoundation() throws {
        let external = try #require(Corpus.external)
        let folder = external.appendingPathComponent("real-archives")
        let own = Corpus.external("real-archives/foundation-tests").map {
            "foundation-tests/\($0.name)"
        }
        let others = Corpus.external("real-archives/other-impl-tests")
            .filter { $0.name.contains("NSKeyedUnarchiver-") }.map { "other-impl-tests/\($0.name)" }
        #expect(own.count == 37)
        #expect(!others.isEmpty)
        for name in own + others {
            let path = folder.appendingPathComponent(name).path
            let result = try Program.run(
                "CodingProbe", ["same", path], in: ["SWIFT_BACKTRACE": "enable=no"])
            #expect(result.output.hasPrefix("read "), "\(name): \(result.output)")
            #expect(result.output.hasSuffix("equal\n"), "\(name): \(result.output)")
        }
    }
}
