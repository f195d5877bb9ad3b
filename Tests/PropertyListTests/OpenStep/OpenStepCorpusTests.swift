// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import TestSupport
import Testing

@Suite(
    "External OpenStep files",
    .enabled(if: Corpus.hasExternal, "there is no folder of such files"))
struct OpenStepCorpusTests {
    /// Old files in encodings that the files do not declare.
    private static let encodings = [
        "exampleInfo--a677d6fb": "ISO-8859-1", "TemplateInfo--35645ecc": "macintosh",
        "TemplateInfo--3d30fb95": "macintosh", "InfoPlist--38b423a6": "macintosh",
    ]

    private static func encoding(of file: Corpus.File) -> String? {
        encodings.first { file.name.contains($0.key) }?.value
    }

    /// One file, by Cocotron, separates entries by commas.
    private static let options = ParsingOptions.appleCompatible.union(.looseSeparators)

    /// XML files, and a symbolic link stored as text.
    private static let others = [
        "CordovaLibTests-Info", "TemplateInfo--adabbf3e", "NSUserDefaults--b6de8bb5",
    ]

    private static let files = Corpus.external("real-plists/openstep").filter { file in
        !others.contains { file.name.contains($0) }
    }

    private static func document(_ file: Corpus.File) throws -> PropertyListDocument {
        if let encoding = encoding(of: file) {
            return try OpenStepPropertyList.parse(file.bytes, encoding: encoding)
        }
        return try PropertyListDocument(parsing: file.bytes, options: options)
    }

    private static let projectFiles = Corpus.external("real-plists/openstep/pbxproj")

    @Test("the collection has more than 200 files, and at least 40 of them are project files")
    func count() {
        #expect(Self.files.count > 200)
        #expect(Self.projectFiles.count >= 40)
    }

    @Test(
        "genuine files are detected and read, and they round-trip through every layout",
        arguments: Exhaustive.sample(files, oneIn: 16))
    func genuine(_ file: Corpus.File) throws {
        let document = try Self.document(file)
        #expect(document.format == .openStep)
        let value = try document.root.value()
        for layout in [.compact, .indented, .strings, .projectFile(projectName: nil)]
            as [OpenStepPropertyList.Layout]
        where layout != .strings || document.root.kind == .dictionary {
            var options = OpenStepPropertyList.Options()
            options.layout = layout
            let text = try OpenStepPropertyList.serialize(document, options: options)
            #expect(try PropertyListValue(parsing: text, format: .openStep) == value)
        }
    }

    @Test(
        "project files are reproduced byte for byte",
        arguments: Exhaustive.sample(projectFiles, oneIn: 3))
    func projects(_ file: Corpus.File) throws {
        var options = OpenStepPropertyList.Options()
        options.layout = .projectFile(projectName: nil)
        let written = try OpenStepPropertyList.serialize(
            PropertyListDocument(parsing: file.bytes), options: options)
        #expect(written == file.bytes, "\(difference(written, file.bytes))")
    }

    private func difference(_ left: [UInt8], _ right: [UInt8]) -> String {
        let lines = [left, right].map { String(decoding: $0, as: UTF8.self).split(separator: "\n") }
        let pair = zip(lines[0], lines[1]).first { $0 != $1 }
        return pair.map { "\($0.0.prefix(200))\n\($0.1.prefix(200))" } ?? "length"
    }
}
