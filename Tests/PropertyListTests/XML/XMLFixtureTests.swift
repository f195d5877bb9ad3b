// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PropertyList

@Suite("XML fixtures")
struct XMLFixtureTests {
    private static func fixtures(_ kind: String) -> [Corpus.File] {
        Corpus.fixtures("xml/\(kind)")
    }

    @Test("each accepted fixture parses and round-trips", arguments: fixtures("accept"))
    func accept(_ file: Corpus.File) throws {
        let document = try PropertyListDocument(parsing: file.bytes)
        let written = try XMLPropertyList.serialize(document).bytes
        #expect(try PropertyListValue(parsing: written) == document.root.value())
    }

    /// The name of a refused fixture gives the expected code, line and column, and a word about
    /// the reason.
    @Test("each refused fixture gives the expected code and place", arguments: fixtures("reject"))
    func reject(_ file: Corpus.File) throws {
        let parts = file.name.split(separator: ".")[0].split(separator: "-")
        let error = try #require(parseError(file.bytes))
        #expect("\(error.code)" == parts[0])
        #expect(error.location?.line.map(String.init) == String(parts[1]))
        #expect(error.location?.column.map(String.init) == String(parts[2]))
    }

    @Test("the fixtures are found")
    func folders() {
        #expect(Self.fixtures("accept").count >= 3)
        #expect(Self.fixtures("reject").count >= 3)
    }
}

@Suite(
    "External XML files",
    .enabled(if: Corpus.hasExternal, "there is no folder of such files"))
struct XMLCorpusTests {
    private static func documents() throws -> [Corpus.File] {
        ["real-plists/xml", "real-archives"].flatMap(Corpus.external)
            .filter { (try? PropertyListFormat.detect($0.bytes)) == .xml }
    }

    /// Extensions of XML files that are not property lists.
    private static let otherXML: Set = ["html", "xsl"]

    @Test("genuine files parse, and files from Apple's writer are reproduced byte for byte")
    func genuine() throws {
        var reproduced = 0
        for file in try Self.documents() {
            let name = Comment(rawValue: file.name)
            let bytes = file.bytes
            if Self.otherXML.contains(URL(filePath: file.name).pathExtension) {
                #expect(parseError(bytes, .appleCompatible)?.code == .unexpectedElement, name)
                continue
            }
            let document = try #require(
                try? PropertyListDocument(parsing: bytes, options: .appleCompatible), name)
            let written = try Self.written(document)
            if written == bytes {
                reproduced += 1
                continue
            }
            #expect(Self.isForeign(String(decoding: bytes, as: UTF8.self)), name)
            let again = try PropertyListValue(parsing: written, options: .appleCompatible)
            #expect(try document.root.value() == again, name)
        }
        #expect(reproduced > 100)
    }

    private static func written(_ document: PropertyListDocument) throws -> [UInt8] {
        var options = XMLPropertyList.Options()
        options.allowedLosses = .appleCompatible
        return try XMLPropertyList.serialize(document, options: options).bytes
    }

    /// Returns whether the text contains something that Apple's writer does not write: indentation
    /// with spaces, an indented root, comments, escaped quotes, data on the line of its tags, empty
    /// containers with two tags, a declaration in single quotes, or the document type from before
    /// 2002.
    private static func isForeign(_ text: String) -> Bool {
        [
            "\n  ", "<plist version=\"1.0\">\n\t<", "<!--", "&quot;", "&apos;", "<?xml version='",
            "<!DOCTYPE plist SYSTEM",
        ]
        .contains(where: text.contains)
            || text.contains(#/<data>[^\n]/#)
            || text.contains(#/<(?:dict|array)>\s*</(?:dict|array)>/#)
    }
}
