// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import PropertyList

@Suite("Fixtures of OpenStep and JSON")
struct TextFixtureTests {
    private static let accepted =
        Corpus.fixtures("openstep/accept") + Corpus.fixtures("json/accept")
    private static let refused =
        Corpus.fixtures("openstep/reject") + Corpus.fixtures("json/reject")

    private func document(_ file: Corpus.File) throws(PropertyListError) -> PropertyListDocument {
        guard file.name.hasSuffix(".json") else {
            let format = try PropertyListFormat.detect(file.bytes)
            #expect(format == .openStep)
            return try PropertyListDocument(parsing: file.bytes)
        }
        return try JSONPropertyList.parse(file.bytes, mapping: .typed)
    }

    @Test("each accepted fixture round-trips", arguments: accepted)
    func accept(_ file: Corpus.File) throws {
        let document = try document(file)
        let value = try document.root.value()
        var json = JSONPropertyList.Options()
        json.mapping = .typed
        let text = try JSONPropertyList.serialize(document, options: json)
        #expect(try JSONPropertyList.parse(text, mapping: .typed).root.value() == value)
        guard document.format == .openStep else { return }
        var options = OpenStepPropertyList.Options()
        options.scalars = .typed
        for layout in [.compact, .indented, .projectFile(projectName: nil)]
            as [OpenStepPropertyList.Layout]
        {
            options.layout = layout
            let text = try OpenStepPropertyList.serialize(document, options: options)
            #expect(try PropertyListValue(parsing: text) == value)
            if file.name.hasSuffix(".pbxproj"), layout != .compact, layout != .indented {
                #expect(text == file.bytes)
            }
        }
    }

    @Test("each refused fixture gives the expected code and place", arguments: refused)
    func reject(_ file: Corpus.File) throws {
        let parts = file.name.split(separator: ".")[0].split(separator: "-")
        let error = try #require(throws: PropertyListError.self) { try document(file) }
        #expect("\(error.code)" == parts[0], "\(error)")
        #expect(error.location?.line.map(String.init) == String(parts[1]), "\(error)")
        #expect(error.location?.column.map(String.init) == String(parts[2]), "\(error)")
    }

    @Test("the fixtures are found")
    func folders() {
        #expect(Self.accepted.count >= 8)
        #expect(Self.refused.count >= 20)
    }
}
