// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import InlinePropertyList
import NIBArchive
import PropertyList
import TestSupport
import Testing
import TypedStream

@testable import KeyedCommand

/// Files in the formats that can be imported.
private enum Samples {
    typealias ClassChain = TypedStreamBuilder.ClassChain

    private static let string = ClassChain("NSString", version: 1, superclass: .object)
    private static let dictionary = ClassChain("NSDictionary", superclass: .object)
    private static let data = ClassChain("NSData", superclass: .object)

    private static func add(_ text: String, _ stream: inout TypedStreamBuilder) throws {
        try stream.beginGroup("@")
        try stream.append(object: string) { try $0.append("+", .string(text)) }
    }

    /// Returns a typedstream of an attributed string with a run for each text, as Messages stores
    /// it.
    static func message(_ texts: [String]) throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        try stream.beginGroup("@")
        try stream.append(object: ClassChain("NSAttributedString", superclass: .object)) { stream in
            try add(texts.joined(), &stream)
            for (index, text) in texts.enumerated() {
                try stream.append(
                    "iI", .integer(Int64(index + 1)), .integer(Int64(text.utf16.count)))
                try stream.beginGroup("@")
                try stream.append(object: dictionary) { stream in
                    try stream.append("i", .integer(1))
                    try add("part", &stream)
                    try add("\(index)", &stream)
                }
            }
        }
        return try stream.finish()
    }

    /// Returns a typedstream of an `NSData` object with `bytes`.
    static func wrapped(_ bytes: [UInt8]) throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        try stream.beginGroup("@")
        try stream.append(object: data) {
            try $0.append("i", .integer(Int64(bytes.count)))
            try $0.append("[\(bytes.count)c]", .bytes(bytes))
        }
        return try stream.finish()
    }

    /// Returns a NIBArchive of an object with a title and data.
    static func nib(_ bytes: [UInt8]) throws -> [UInt8] {
        var archive = NIBArchiveBuilder(coderVersion: 9)
        let root = archive.addObject("NSObject")
        let title = archive.addObject("NSString")
        archive.append(.object(title), forKey: "UITitle", to: root)
        archive.append(.data(bytes), forKey: "UIData", to: root)
        archive.append(.data(Array("Save".utf8)), forKey: "NS.bytes", to: title)
        return try archive.finish()
    }

    /// Returns a message of NSXPCConnection, in the format bplist17, with one object.
    static func list() throws -> [UInt8] {
        var list = InlinePropertyListBuilder()
        try list.beginArray()
        try list.append(.ascii("ping:"))
        try list.beginDictionary()
        try list.append(.ascii("$class"))
        try list.append(.ascii("AppPing"))
        try list.append(.ascii("count"))
        try list.append(.integer(7))
        try list.end()
        try list.end()
        return try list.finish()
    }

    /// Returns a database like that of Messages, with a table `message` and its column
    /// `attributedBody`.
    static func database(_ bodies: [[UInt8]]) -> [UInt8] {
        var assembler = DatabaseAssembler(pageSize: 4096)
        let cells = bodies.enumerated().map { index, body in
            assembler.cell(
                DatabaseAssembler.row([.null, .text([]), .blob(body)]), number: index + 1)
        }
        assembler.addTable(
            "message", root: assembler.add(assembler.treePage(kind: 13, cells)),
            columns: "ROWID INTEGER PRIMARY KEY, text TEXT, attributedBody BLOB)")
        return assembler.bytes()
    }
}

@Suite("keyed on typedstreams, NIBArchives and bplist17")
struct ImportedFormatTests {
    @Test("a class name in a message about an imported file is escaped")
    func escapedNames() throws {
        // An attributed string whose text is an object of the class `NSStri` + U+0002 + `g`.
        let stream: [UInt8] =
            [4, 11] + Array("streamtyped".utf8) + [
                0x81, 0xE8, 3, 0x84, 1, 0x40, 0x84, 0x84, 0x84, 18,
            ]
            + Array("NSAttributedString\0".utf8) + [0x84, 0x84, 8] + Array("NSObject\0".utf8)
            + [0x85, 0x92, 0x84, 0x84, 0x84, 8] + Array("NSStri\u{2}g\u{1}".utf8)
            + [0x94, 0x84, 1, 0x2B, 1, 0x86, 0x86, 0x86]
        try Files.withFile(stream) { file in
            for verb in [
                ["lint"], ["show"], ["convert", "xml"], ["check", "--allow", "foundation"],
            ] {
                let run = keyed(list: verb + [file])
                #expect(
                    run.errors.contains("found NSStri\\u{2}g of version"), "\(verb): \(run.errors)")
                #expect(!run.errors.contains("\u{2}"))
            }
        }
    }

    @Test("shows an attributed string as text with its runs")
    func show() throws {
        try Files.withFile(Samples.message(["Hi ", "there"])) { file in
            let run = keyed("show", file)
            #expect(run.errors == "")
            #expect(
                run.output.contains(
                    """
                    root: NSAttributedString "Hi there"
                      [0] "Hi ": NSDictionary, 1 entry
                        "part": "0"
                      [1] "there": NSDictionary, 1 entry
                        "part": "1"

                    """))
            let size = try Files.bytes(file).count
            #expect(run.lines.first == "typedstream, \(size) bytes")
            #expect(run.status == 0)
        }
    }

    @Test("shows the readable part of a damaged stream, and exits with 3")
    func damaged() throws {
        try Files.withFile(Samples.message(["Hi ", "there"]).dropLast(20)) { file in
            let run = keyed("show", file)
            #expect(run.status == 3)
            #expect(run.output.contains("\"Hi there\""))
            #expect(run.errors.contains("typedstream: expected"))
            #expect(keyed("show", "--strict", file).status == 1)
            #expect(keyed("lint", file).status == 1)
            #expect(keyed("check", file, "--allow", "foundation").status == 1)
        }
    }

    @Test("lists and checks classes by their exact names")
    func classes() throws {
        try Files.withFile(Samples.message(["Hi"])) { file in
            let run = keyed("classes", file)
            #expect(run.status == 0)
            #expect(run.output.contains("1  NSAttributedString : NSObject"))
            #expect(run.output.contains("ArchivedAttributedString.self"))
            #expect(keyed("check", file, "--allow", "foundation").status == 0)
            let refused = keyed("check", file, "--allow", "commonClasses")
            #expect(refused.status == 1)
            #expect(refused.output.contains("NSAttributedString is not allowed"))
            #expect(keyed("lint", file).status == 0)
        }
    }

    @Test("prints the header, and the values with their byte ranges")
    func inspect() throws {
        let nib = try Samples.nib([1, 2])
        try Files.withFile(nib) { file in
            let run = keyed("inspect", file)
            #expect(run.status == 0)
            #expect(run.output.contains("coder version    9"))
            // After the key: the type of data, the length, and the bytes.
            let data = try inspected("data 2 bytes: 0102", in: run, of: nib)
            #expect(data.dropFirst() == [8, 0x82, 1, 2])
            let text = try inspected("string \"Save\"", in: run, of: nib)
            #expect(text.dropFirst().elementsEqual([8, 0x84] + Array("Save".utf8)))
        }
        let message = try Samples.message(["Hi"])
        try Files.withFile(message) { file in
            let run = keyed("inspect", file)
            #expect(run.status == 0)
            #expect(run.output.contains("byte order       little-endian"))
            // The object, from its tag to its end.
            let text = try inspected("string \"Hi\"", in: run, of: message)
            #expect(text.first == 0x84 && text.last == 0x86)
            #expect(String(decoding: text, as: UTF8.self).contains("Hi"))
        }
    }

    /// Returns the bytes in the range that `keyed inspect` prints for a value.
    private func inspected(
        _ description: String, in run: Run, of bytes: [UInt8]
    ) throws -> [UInt8] {
        let line = try #require(run.lines.first { $0.hasSuffix("  \(description)") })
        let numbers = line.split(separator: " ").prefix(3).compactMap { Int($0) }
        try #require(numbers.count == 3 && numbers[1] + numbers[2] <= bytes.count)
        return Array(bytes[numbers[1]...].prefix(numbers[2]))
    }

    @Test("compares values, whatever the formats")
    func diff() throws {
        try Files.withFolder { folder in
            let (old, new, binary) = (
                folder.appending(path: "old").path, folder.appending(path: "new").path,
                folder.appending(path: "binary").path
            )
            try Data(Samples.message(["Hi"])).write(to: URL(filePath: old))
            try Data(Samples.message(["Ho"])).write(to: URL(filePath: new))
            #expect(keyed("diff", old, old).status == 0)
            let run = keyed("diff", old, new)
            #expect(run.status == 1)
            #expect(run.output.contains("\"Ho\""))
            #expect(keyed("convert", "binary", "-o", binary, old).status == 0)
            #expect(keyed("diff", old, binary).status == 0)
        }
    }

    @Test("shows nested files")
    func nesting() throws {
        let inner = try Samples.message(["deep"])
        for bytes in [
            try Samples.wrapped(Samples.nib(inner)), try Samples.nib(Samples.wrapped(inner)),
            try Files.binary(.data(Samples.nib(inner))),
        ] {
            try Files.withFile(bytes) { file in
                let run = keyed("show", file)
                #expect(run.status == 0)
                #expect(run.output.contains("NSAttributedString \"deep\""))
                let lines = keyed("show", "--json", file).lines
                let line = try #require(lines.last { $0.contains("\"NSAttributedString\"") })
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                let place = try #require((object as? [String: Any])?["offset"] as? Int)
                // The offset is that of the tag of a new object, 0x84.
                #expect(bytes[place] == 0x84)
            }
        }
    }

    @Test("shows a message of NSXPCConnection")
    func list() throws {
        try Files.withFile(Samples.list()) { file in
            let run = keyed("show", file)
            #expect(run.status == 0)
            #expect(run.lines.first?.hasPrefix("bplist17, ") == true)
            #expect(run.output.contains("AppPing"))
            #expect(run.output.contains("count: 7"))
        }
    }

    @Test("rewrites files of each format, byte for byte")
    func rewriting() throws {
        for (name, bytes) in [
            ("typedstream", try Samples.message(["Hi"])), ("nib", try Samples.nib([])),
            ("bplist17", try Samples.list()),
        ] {
            try Files.withFile(bytes) { file in
                #expect(keyed("convert", name, file, "-o", "-").bytes == bytes)
                let other = name == "nib" ? "typedstream" : "nib"
                let refused = keyed("convert", other, file, "-o", "-")
                #expect(refused.status == 1)
                #expect(refused.errors.contains("expected a file of the format \(other)"))
            }
        }
    }

    @Test("finds typedstreams, NIBArchives and bplist17 in other files, with their sizes")
    func carving() throws {
        let parts = [
            try Samples.message(["Hi"]), try Samples.nib([1]), try Samples.list(),
        ]
        let noise = [UInt8](repeating: 0xEE, count: 100)
        let bytes = noise + parts.flatMap { $0 + noise }
        try Files.withFile(bytes) { file in
            let run = keyed("carve", file, "--depth", "9")
            #expect(run.status == 0)
            var place = 100
            for (name, part) in zip(["typedstream", "NIBArchive", "bplist17"], parts) {
                #expect(run.output.contains("\(place)"))
                #expect(run.output.contains("\(name), \(part.count) bytes"))
                place += part.count + 100
            }
            #expect(run.output.contains("NSAttributedString \"Hi\""))
            // An imported file names no archiver.
            let lines = keyed("carve", file, "--json").output.split(separator: "\n")
            #expect(lines.count == 3 && !lines.contains { $0.contains("archiver") })
            for (line, kind) in zip(lines, ["typedstream", "NIBArchive", "bplist17"]) {
                #expect(line.contains("\"kind\":\"\(kind)\""))
            }
        }
    }

    @Test("carves the whole of a stream that is longer than the first window")
    func longStream() throws {
        var stream = TypedStreamBuilder()
        for number in 0..<200 {
            try stream.append("i", .integer(Int64(number)))
            try stream.append("[1000c]", .bytes([UInt8](repeating: UInt8(number), count: 1000)))
        }
        let bytes = try stream.finish()
        try Files.withFile([UInt8](repeating: 0xEE, count: 8) + bytes) { file in
            let run = keyed("carve", file)
            #expect(run.output.contains("typedstream, \(bytes.count) bytes"), "\(run.output)")
        }
    }

    @Test("carves the whole of a NIBArchive or bplist17 that is longer than the first window")
    func longFiles() throws {
        var list = InlinePropertyListBuilder()
        try list.beginArray()
        for _ in 0..<200 { try list.append(.data([UInt8](repeating: 2, count: 1000))) }
        try list.end()
        let parts = [
            ("NIBArchive", try Samples.nib([UInt8](repeating: 1, count: 200_000))),
            ("bplist17", try list.finish()),
        ]
        let noise = [UInt8](repeating: 0xEE, count: 8)
        for (name, part) in parts {
            try Files.withFile(noise + part + noise) { file in
                let run = keyed("carve", file)
                #expect(run.output.contains("\(name), \(part.count) bytes"), "\(run.output)")
            }
        }
    }

    @Test("carves the whole of a stream if one of its groups ends where the first window ends")
    func streamOfWindow() throws {
        func stream(_ count: Int) throws -> [UInt8] {
            var stream = TypedStreamBuilder()
            try stream.append("[\(count)c]", .bytes([UInt8](repeating: 1, count: count)))
            return try stream.finish()
        }
        var builder = TypedStreamBuilder()
        let count = try 50_000 + (1 << 16) - stream(50_000).count
        try builder.append("[\(count)c]", .bytes([UInt8](repeating: 1, count: count)))
        try builder.append("i", .integer(7))
        let bytes = try builder.finish()
        #expect(try stream(count).count == 1 << 16 && bytes.starts(with: stream(count)))
        try Files.withFile([UInt8](repeating: 0xEE, count: 8) + bytes) { file in
            let run = keyed("carve", file)
            #expect(run.output.contains("typedstream, \(bytes.count) bytes"), "\(run.output)")
        }
    }

    @Test("prints the texts in a database like that of Messages")
    func messages() throws {
        let bodies = try [["Hello"], ["Grüße ", "👋"]].map(Samples.message)
        try Files.withFile(Samples.database(bodies)) { file in
            let list = keyed("scan", file)
            #expect(list.lines == ["message.attributedBody: 2 of 2 values: 2 typedstreams"])
            let run = keyed("scan", file, "--column", "message.attributedBody", "--depth", "99")
            #expect(run.status == 0)
            #expect(run.output.contains("root: NSAttributedString \"Hello\""))
            #expect(run.output.contains("root: NSAttributedString \"Grüße 👋\""))
            #expect(run.output.contains("[1] \"👋\": NSDictionary, 1 entry"))
        }
    }

    @Test("writes a page for typedstreams, NIBArchives and bplist17, with byte ranges of values")
    func explore() throws {
        for (bytes, text) in [
            (try Samples.message(["Hi"]), "Hi"),
            (try Samples.nib(Samples.message(["deep"])), "deep"),
            (try Samples.nib([1]), "Save"), (try Samples.list(), "ping:"),
        ] {
            try Files.withFile(bytes) { file in
                let run = keyed("explore", file, "-o", "-")
                #expect(run.status == 0)
                #expect(run.errors == "")
                let data = try explorerData(in: run.output)
                let texts = try #require(data["texts"] as? [String])
                let nodes = try #require(data["nodes"] as? [String: Any])
                let kinds = Array(try #require(nodes["kinds"] as? String).utf8)
                let values = try #require(nodes["values"] as? [Int])
                let starts = try #require(nodes["starts"] as? [Int])
                let lengths = try #require(nodes["lengths"] as? [Int])
                try #require(zip(starts, lengths).allSatisfy { $0 + $1 <= bytes.count })
                let node = try #require(
                    kinds.indices.first {
                        kinds[$0] == UInt8(ascii: "s") && texts[values[$0]] == text
                    })
                let found = bytes[starts[node]...].prefix(lengths[node])
                #expect(String(decoding: found, as: UTF8.self).contains(text))
            }
        }
    }
}

@Suite(
    "keyed on typedstreams and nibs from Apple's software",
    .enabled(
        if: !Corpus.external("typedstream").isEmpty, "the folder of typedstreams is not here"))
struct ImportedSampleTests {
    private static let files = (Corpus.external("typedstream") + Corpus.external("nibarchive"))
        .filter { !$0.name.hasSuffix(".tsv") }

    @Test(
        "typedstreams and nibs from Apple's software are shown, checked, compared and converted",
        arguments: Exhaustive.sample(files, oneIn: 8))
    func verbs(_ file: Corpus.File) throws {
        let expected: Int32 = file.name.contains("ExtraData") ? 3 : 0
        try Files.withFile(file.bytes) { path in
            let show = keyed("show", path)
            // One message contains a keyed archive with a dangling reference.
            let isNestedFlaw = show.errors.contains("its `$class` is object")
            #expect(show.status == (isNestedFlaw ? 3 : expected), "\(show.errors)")
            #expect(keyed("inspect", path).status == expected)
            if expected != 0 {
                #expect(show.errors.contains("typedstream: expected 157 bytes"))
                return #expect(keyed("lint", path).status == 1)
            }
            #expect(keyed("lint", path).status == 0)
            #expect(keyed("classes", path).status == 0)
            #expect(keyed("diff", path, path).status == 0)
            #expect(keyed("convert", "json", "--json", "typed", path).status == 0)
            let format = file.bytes.first == 4 ? "typedstream" : "nib"
            #expect(keyed("convert", format, path, "-o", "-").bytes == file.bytes)
        }
    }
}
