// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import TestSupport
import Testing

@testable import KeyedCommand

/// Returns the data in a page that `keyed explore` writes.
func explorerData(in html: String) throws -> [String: Any] {
    let start = try #require(html.range(of: "id=\"data\">"))
    let rest = html[start.upperBound...]
    let end = try #require(rest.range(of: "</script>"))
    let json = Data(rest[..<end.lowerBound].utf8)
    return try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
}

@Suite("keyed explore")
struct ExploreTests {
    /// Returns the page of a file, and the data in it.
    private func page(
        of file: String, _ options: String...
    ) throws -> (html: String, data: [String: Any]) {
        let run = keyed(list: ["explore", file, "-o", "-"] + options)
        try #require([0, 3, 4].contains(run.status), "\(run.errors)")
        return (run.output, try explorerData(in: run.output))
    }

    @Test(
        "writes a page whose content security policy allows only its own script and style"
    )
    func policy() throws {
        let html = try page(of: Files.archive("save")).html
        let hashes = try ["script", "style"].map { (tag: String) -> String in
            let start = try #require(html.range(of: "<\(tag)>"))
            let rest = html[start.upperBound...]
            let end = try #require(rest.range(of: "</\(tag)>"))
            let text = Array(rest[..<end.lowerBound].utf8)
            return Data(SHA256.hash(of: text)).base64EncodedString()
        }
        let policy = """
            default-src 'none'; script-src 'sha256-\(hashes[0])'; style-src 'sha256-\(hashes[1])'; \
            img-src data:; base-uri 'none'; form-action 'none'
            """
        #expect(html.contains("http-equiv=\"Content-Security-Policy\" content=\"\(policy)\""))
    }

    @Test("includes each value of the file once, with its byte range")
    func ranges() throws {
        let file = Files.archive("save")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        let document = try PropertyListDocument(parsing: bytes)
        let data = try page(of: file).data
        let nodes = try #require(data["nodes"] as? [String: Any])
        #expect((nodes["kinds"] as? String)?.utf8.count == document.nodeCount)
        let starts = try #require(nodes["starts"] as? [Int])
        let lengths = try #require(nodes["lengths"] as? [Int])
        #expect(starts == document.allNodes.map { $0.sourceOffset ?? -1 })
        // Each value ends where the next one begins. The offset table follows the last one.
        let documents = try #require(data["documents"] as? [[String: Any]])
        let table = try #require(documents.first?["table"] as? [String: Any])
        let end = try #require(table["at"] as? Int)
        #expect(zip(starts, lengths).map { $0 + $1 } == Array(starts.dropFirst()) + [end])
    }

    @Test("escapes each `<` from the file, whatever the name and contents of the file")
    func hostileTexts() throws {
        let text = "</script><script>alert(1)</script><!--"
        let bytes = try PropertyListDocument(["\(text)": .string(text)]).serialized(as: .binary)
        try Files.withFile(bytes, named: "a<b>&\"c.plist") { file in
            let (html, data) = try page(of: file)
            #expect(!html.contains("alert(1)</script>"))
            #expect(html.contains("<title>a&lt;b&gt;&amp;&quot;c.plist</title>"))
            #expect((data["texts"] as? [String])?.contains(text) == true)
        }
    }

    @Test("includes property lists in data, with offsets in the outermost file")
    func nested() throws {
        let inner = try PropertyListDocument(["inside": .string("text")]).serialized(as: .binary)
        let outer = try PropertyListDocument(["data": .data(inner)])
        try Files.withFile(try outer.serialized(as: .binary)) { file in
            let data = try page(of: file).data
            let documents = try #require(data["documents"] as? [[String: Any]])
            try #require(documents.count == 2)
            let base = try #require(documents[1]["base"] as? Int)
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
            #expect(documents[1]["space"] as? Int == 0)
            #expect(Array(bytes[base...].prefix(inner.count)) == inner)
        }
        // XML contains the bytes in base 64.
        try Files.withFile(try outer.serialized(as: .xml)) { file in
            let data = try page(of: file).data
            let documents = try #require(data["documents"] as? [[String: Any]])
            #expect(documents.count == 2)
            #expect(documents.last?["space"] as? Int == 1)
            let spaces = try #require(data["spaces"] as? [[String: Any]])
            let text = try #require(spaces.last?["base64"] as? String)
            #expect([UInt8](try #require(Data(base64Encoded: text))) == inner)
        }
    }

    @Test("the text of an unreadable file is omitted, with and without --redact")
    func redactedProblem() throws {
        try Files.withFile(Array("pin = \"SECRET caf".utf8) + [0xE9] + Array("\";".utf8)) { file in
            for arguments in [["--redact"], []] {
                let folder = file + "-pages"
                let run = keyed(list: ["explore", "--dir", folder, file] + arguments)
                #expect(run.status == 1)
                let index = try Files.bytes(folder + "/index.html")
                #expect(!String(decoding: index, as: UTF8.self).contains("SECRET"))
            }
        }
    }

    @Test("--redact omits texts, numbers, Booleans, dates and data")
    func redaction() throws {
        let document = try PropertyListDocument([
            "name": .string("Secretperson"), "number": .integer(7_777_777),
            "data": .data(Array("Secretbytes".utf8)), "flag": .boolean(true),
            "born": .date(PropertyListDate(secondsSince2001: -353_635_200)),
        ])
        let bits = (-353_635_200.0).bitPattern
        let date = (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
        for format in [PropertyListFormat.binary, .xml] {
            try Files.withFile(try document.serialized(as: format)) { file in
                let (html, data) = try page(of: file, "--redact")
                #expect(!html.contains("Secretperson"))
                #expect(!html.contains("7777777"))
                #expect((data["texts"] as? [String])?.contains("number") == true)
                let spaces = try #require(data["spaces"] as? [[String: Any]])
                for space in spaces {
                    guard let text = space["base64"] as? String else { continue }
                    let bytes = [UInt8](try #require(Data(base64Encoded: text)))
                    #expect(!String(decoding: bytes, as: UTF8.self).contains("Secret"))
                    #expect(!String(decoding: bytes, as: UTF8.self).contains("1989-10-18"))
                    #expect(bytes.firstRange(of: date) == nil)
                    // 0x09 is the marker of `true`. The header and the references come first.
                    #expect(!bytes.dropFirst(8 + 1 + 10).dropLast(Trailer.size + 16).contains(0x09))
                }
            }
        }
    }

    @Test("--redact omits the version from the problems of an unsupported archive")
    func redactedVersion() throws {
        let archive: PropertyListValue = [
            "$version": 5, "$archiver": "NSKeyedArchiver", "$top": [:], "$objects": ["$null"],
        ]
        try Files.withFile(Files.binary(archive)) { file in
            let data = try page(of: file, "--redact").data
            let documents = try #require(data["documents"] as? [[String: Any]])
            #expect(documents.first?["problems"] as? [String] == ["unsupportedVersion"])
        }
    }

    @Test("shows the readable part of a damaged file, and exits with 3")
    func broken() throws {
        let run = keyed("explore", Files.archive("malformed/dangling-class"), "-o", "-")
        #expect(run.status == 3)
        #expect(run.errors.contains("`$class` is object"))
        let data = try explorerData(in: run.output)
        #expect((data["texts"] as? [String])?.contains("Anna") == true)
        let documents = try #require(data["documents"] as? [[String: Any]])
        let problems = try #require(documents.first?["problems"] as? [String])
        #expect(problems.count == 1 && problems[0].contains("`$class` is object 77"))
    }

    @Test("truncates a text if it has more scalars than the limit, not if it has more bytes")
    func longTexts() throws {
        let rows: [(count: Int, left: [String])] = [(40_000, []), (70_000, ["1 truncated text"])]
        for (count, left) in rows {
            let text = String(repeating: "é", count: count)
            try Files.withFile(Files.binary(.string(text))) { file in
                let run = keyed("explore", file, "-o", "-", "--limits", "untrusted")
                #expect(run.status == (left.isEmpty ? 0 : 4))
                let data = try page(of: file, "--limits", "untrusted").data
                #expect(data["left"] as? [String] == left)
                #expect(data["texts"] as? [String] == [String(text.prefix(65_536))])
            }
        }
    }

    @Test(
        "reports decoded bytes beyond the limit as omitted, except in a redacted page",
        arguments: [false, true])
    func decodedBytes(isRedacted: Bool) throws {
        let head = #"<?xml version="1.0" encoding="ISO-8859-1"?><plist><string>"#
        let bytes =
            Array(head.utf8) + [UInt8](repeating: 0xE9, count: 100)
            + Array("</string></plist>".utf8)
        let document = try PropertyListDocument(parsing: bytes)
        let bounds = ExplorerBounds(values: 10, text: 1000, bytes: 200)
        var collector = ExplorerCollector(
            bounds: bounds, limits: .default, isRedacted: isRedacted, bytes: bytes)
        let console = Console(capturing: true)
        console.budget.admit(document)
        try collector.collect(document, of: bytes, console)
        let page = ExplorerPage(
            name: "file.plist", size: bytes.count, hash: "", limits: .default,
            isRedacted: isRedacted, collector: collector, bounds: bounds)
        let size = bytes.count + 100
        let sentence = "the bytes decoded from the file after the first 200 of \(size)"
        #expect(page.omissions == (isRedacted ? [] : [sentence]))
    }

    @Test("--dir writes a page for each file, and an index")
    func manyFiles() throws {
        try Files.withFolder { folder in
            let pages = folder.appending(path: "pages")
            let files = [Files.archive("save"), Files.archive("cycle")]
            let run = keyed(list: ["explore", "--dir", pages.path] + files)
            #expect(run.status == 0, "\(run.errors)")
            let names = try FileManager.default.contentsOfDirectory(atPath: pages.path).sorted()
            #expect(names == ["0001-save.plist.html", "0002-cycle.plist.html", "index.html"])
            let index = try String(contentsOf: pages.appending(path: "index.html"), encoding: .utf8)
            #expect(index.contains("<a href=\"0001-save.plist.html\">"))
        }
    }

    @Test("a page never replaces an explored file")
    func inputs() throws {
        try Files.withFolder { folder in
            let file = folder.appending(path: "index.html").path
            let bytes = try Files.bytes(Files.archive("save"))
            try Data(bytes).write(to: URL(filePath: file))
            for arguments in [["-o", file], ["--dir", folder.path]] {
                let run = keyed(list: ["explore", file] + arguments)
                #expect(run.status == 1)
                #expect(run.errors.contains("a page cannot replace an explored file"))
                #expect(try Files.bytes(file) == bytes)
            }
            for arguments in ["-o '\(file)'", "--dir '\(folder.path)'"] {
                let call = "'\(keyedPath)' explore - \(arguments) < '\(file)'"
                let run = try process("/bin/sh", ["-c", call])
                #expect(run.status == 1)
                #expect(run.errors.contains("a page cannot replace an explored file"))
                #expect(try Files.bytes(file) == bytes)
            }
        }
    }

    @Test("requires either -o, for one file, or --dir")
    func usage() {
        #expect(keyed("explore", "a.plist").status == 2)
        #expect(keyed("explore", "a.plist", "b.plist", "-o", "c.html").status == 2)
        #expect(keyed("explore", "a.plist", "-o", "c.html", "--dir", "d").status == 2)
    }
}
