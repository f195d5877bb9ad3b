// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveImport
import KeyedArchive
import TestSupport
import Testing
import TypedStream

@Suite("Examples of ArchiveImport")
struct ArchiveImportExamples {
    private func message(_ text: String) throws -> [UInt8] {
        typealias ClassChain = TypedStreamBuilder.ClassChain
        var stream = TypedStreamBuilder()
        try stream.beginGroup("@")
        try stream.append(object: ClassChain("NSAttributedString", superclass: .object)) { stream in
            try stream.beginGroup("@")
            try stream.append(object: ClassChain("NSString", version: 1, superclass: .object)) {
                try $0.append("+", .string(text))
            }
            try stream.append("iI", .integer(1), .integer(Int64(text.utf16.count)))
            try stream.beginGroup("@")
            try stream.append(object: ClassChain("NSDictionary", superclass: .object)) {
                try $0.append("i", .integer(0))
            }
        }
        return try stream.finish()
    }

    @Test("read a message as a typed value")
    func typed() throws {
        var printed: [String] = []
        func print(_ text: String) { printed.append(text) }
        let bytes = try message("Hello")

        let archive = try ImportedArchive(parsing: bytes)
        let message = try archive.unarchive(ArchivedAttributedString.self)
        print(message.text)
        #expect(printed == ["Hello"])
    }

    @Test("read a message through an allow-list")
    func allowed() throws {
        var printed: [String] = []
        func print(_ text: String) { printed.append(text) }
        let bytes = try message("Hello")

        let archive = try ImportedArchive(parsing: bytes)
        let message = try archive.unarchive(ArchivedAttributedString.self, allowing: .foundation)
        print(message.text)
        #expect(printed == ["Hello"])
    }

    @Test("print the texts of messages")
    func messages() throws {
        var printed: [String] = []
        func print(_ text: String) { printed.append(text) }
        func print(_ range: Range<Int>, _ names: [String]) { printed.append("\(range) \(names)") }
        let bodies = try ["Hello", "Grüße 👋"].map(message)

        for body in bodies {
            let message = try AttributedText(typedstream: body)
            print(message.text)
            for run in message.runs {
                print(run.utf16Range, message.attributes(of: run).names)
            }
        }
        #expect(printed == ["Hello", "0..<5 []", "Grüße 👋", "0..<8 []"])
    }

    @Test("print a message")
    func message() throws {
        var printed: [String] = []
        func print(_ text: String) { printed.append(text) }
        func print(_ range: Range<Int>, _ names: [String]) { printed.append("\(range) \(names)") }
        let bytes = try message("Hello")

        let message = try AttributedText(typedstream: bytes)
        print(message.text)
        for run in message.runs {
            print(run.utf16Range, message.attributes(of: run).names)
        }
        #expect(printed == ["Hello", "0..<5 []"])
    }
}
