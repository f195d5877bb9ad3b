// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import TestSupport
import Testing

@Suite("Recovery codes")
struct RecoveryCodeTests {
    private func refusal(
        of text: String, mapping: JSONPropertyList.Mapping = .strict,
        limits: ParsingLimits = .default
    ) -> PropertyListError? {
        do {
            _ = try PropertyListDocument(
                parsing: Array(text.utf8), mapping: mapping, options: .strict, limits: limits)
            return nil
        } catch { return error }
    }

    @Test(
        "an error names the options that accept the input",
        arguments: [
            ("<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>", "duplicateKeys"),
            ("<plist><true/></plist>x", "trailingContent"),
            ("<plist a='b'><true/></plist>", "attributes"),
            ("  ", "blankText"), ("{a = b, c = d;}", "looseSeparators"),
            ("<plist><data>A</data></plist>", "looseBase64"),
        ])
    func leniency(text: String, option: String) throws {
        let error = try #require(refusal(of: text))
        #expect(error.recoveryCode == .allowLeniency)
        #expect(error.recoveryOptions.description == option)
        #expect(error.recovery?.contains("`ParsingOptions.\(option)`") == true)
        #expect(
            throws: Never.self, "the options accept the input",
            performing: {
                try PropertyListDocument(
                    parsing: Array(text.utf8), options: error.recoveryOptions)
            })
    }

    @Test("an error about a limit has the code for raising limits")
    func limits() throws {
        var limits = ParsingLimits.default
        limits.depth = 2
        let error = try #require(refusal(of: "[[[1]]]", limits: limits))
        #expect(error.recoveryCode == .raiseLimits)
        #expect(error.recoveryOptions.isEmpty)
    }

    @Test("an error about a value that does not fit the mapping has a code for choosing another")
    func forms() throws {
        let date = try PropertyListDocument(.date(PropertyListDate(secondsSince2001: 0)))
        let json = #expect(throws: PropertyListError.self) { try date.serialized(as: .json) }
        #expect(json?.recoveryCode == .chooseMapping)
        let text = #expect(throws: PropertyListError.self) { try date.serialized(as: .openStep) }
        #expect(text?.recoveryCode == .chooseScalars)
        let damaged = BinaryAssembler([.array([1]), .raw([0x70])])
        let salvaged = try parsed(damaged, options: .salvage)
        let lost = #expect(throws: PropertyListError.self) {
            try salvaged.serialized(as: .openStep)
        }
        #expect(lost?.what == "a value that could not be read cannot be written")
        #expect(lost?.recovery == nil)
        let form = try #require(refusal(of: #"{"$date": 1}"#, mapping: .typed))
        #expect(form.recoveryCode == .readStrictly)
    }

    @Test("an error about a loss has the code for allowing it")
    func losses() throws {
        let control = try PropertyListDocument(.set([1]))
        let error = #expect(throws: PropertyListError.self) { try control.serialized(as: .xml) }
        #expect(error?.recoveryCode == .allowLoss)
    }

    @Test("an error about a database has the code for searching it")
    func databases() throws {
        let database = try #require(refusal(of: "SQLite format 3\0"))
        #expect(database.recoveryCode == .searchDatabase)
    }

    @Test(
        "an error about an older archive suggests an import; one about another file, a search"
    )
    func otherFiles() throws {
        let stream = try #require(refusal(of: "\u{4}\u{B}streamtyped"))
        #expect(stream.recoveryCode == .importArchive)
        #expect(refusal(of: "NIBArchive")?.recoveryCode == .importArchive)
        #expect(refusal(of: "!")?.recoveryCode == .searchFile)
    }

    @Test("an error whose remedy is outside this library has a recovery text but no code")
    func words() throws {
        let packed = try #require(refusal(of: "PK\u{3}\u{4}"))
        #expect(packed.recovery == "unzip it, and read the files in it")
        #expect(packed.recoveryCode == nil && packed.recoveryOptions.isEmpty)
    }
}
