// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import Testing

@Suite("keyed convert")
struct ConvertTests {
    @Test("converts to standard output and back, by either name of each format")
    func roundTrip() throws {
        let archive = Files.archive("save")
        for (xmlName, binaryName) in [("xml", "binary"), ("xml1", "binary1")] {
            let xml = keyed("convert", xmlName, archive)
            #expect(xml.status == 0)
            #expect(xml.output.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE"))
            try Files.withFile(xml.bytes) { file in
                let binary = keyed("convert", binaryName, file)
                #expect(binary.status == 0)
                let value = try PropertyListValue(parsing: binary.bytes)
                #expect(try value == PropertyListValue(parsing: Files.bytes(archive)))
            }
        }
    }

    @Test("reproduces Apple's layout, byte for byte")
    func coreFoundationLayout() throws {
        let archive = Files.archive("save")
        let run = keyed("convert", "binary", "--layout", "corefoundation", archive)
        #expect(try run.bytes == Files.bytes(archive))
    }

    @Test("reports the values that XML cannot represent, and refuses them with --strict")
    func losses() throws {
        let value: PropertyListValue = [
            .date(PropertyListDate(secondsSince2001: 0.5)), .real(PropertyListReal(Float(0.5))),
            .set([1]),
        ]
        try Files.withFile(Files.binary(value)) { file in
            let run = keyed("convert", "xml", file)
            #expect(run.status == 0)
            #expect(run.errors.split(separator: "\n").count == 3)
            #expect(run.errors.contains(": 1 date loses its fraction of a second\n"))
            let strict = keyed("convert", "xml", "--strict", file)
            #expect(strict.status == 1)
            #expect(strict.output == "")
            #expect(strict.errors.contains("fractions of a second, in [0]"))
            #expect(
                strict.errors.contains("; without --strict, the value is written with a loss\n"))
        }
        // Null is refused with and without --strict.
        try Files.withFile(Files.binary([.null])) { file in
            for arguments in [[], ["--strict"]] {
                let run = keyed(list: ["convert", "xml", file] + arguments)
                #expect(run.status == 1)
                #expect(!run.errors.contains("--strict"), "\(run.errors)")
            }
        }
    }

    @Test("keeps control characters through XML, and reports them")
    func controlCharacters() throws {
        let value: PropertyListValue = ["a\u{1}b", "c\r\nd"]
        try Files.withFile(Files.binary(value)) { file in
            let xml = keyed("convert", "xml", file)
            #expect(xml.errors.contains("1 string has control characters that XML forbids"))
            try Files.withFile(xml.bytes) { file in
                let binary = keyed("convert", "binary", file)
                let back = try PropertyListValue(parsing: binary.bytes)
                #expect(back == value)
                #expect(binary.errors.contains("read with leniency: rawControlCharacters"))
            }
        }
    }

    @Test("sorts keys on request only")
    func sorting() throws {
        try Files.withFile(Files.binary(["b": 1, "a": 2])) { file in
            #expect(keyed("convert", "xml", file).output.contains("<key>b</key>\n\t<integer>1"))
            let sorted = keyed("convert", "xml", "--sort-keys", file).output
            let first = try #require(sorted.range(of: "<key>a</key>"))
            let second = try #require(sorted.range(of: "<key>b</key>"))
            #expect(first.lowerBound < second.lowerBound)
        }
    }

    @Test("writes to the file that -o names, and nothing else")
    func outputFile() throws {
        try Files.withFolder { folder in
            let target = folder.appending(path: "out.plist").path
            let run = keyed("convert", "xml", "-o", target, Files.archive("cycle"))
            #expect(run.status == 0 && run.bytes.isEmpty)
            let document = try PropertyListDocument(parsing: Files.bytes(target))
            #expect(document.format == .xml)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out.plist"])
        }
    }

    @Test("replaces several files in place, keeping mode and links")
    func inPlace() throws {
        try Files.withFolder { folder in
            let manager = FileManager.default
            let files = ["one", "two"].map { folder.appending(path: $0).path }
            for file in files { try Data(Files.binary(["a": 1])).write(to: URL(filePath: file)) }
            try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: files[0])
            let link = folder.appending(path: "link").path
            try manager.createSymbolicLink(atPath: link, withDestinationPath: "two")
            let run = keyed("convert", "xml", "--in-place", files[0], link)
            #expect(run.status == 0 && run.output == "")
            for file in files {
                let document = try PropertyListDocument(parsing: Files.bytes(file))
                #expect(document.format == .xml)
            }
            let mode = try manager.attributesOfItem(atPath: files[0])[.posixPermissions] as? Int
            #expect(mode == 0o640)
            #expect(try manager.destinationOfSymbolicLink(atPath: link) == "two")
            #expect(try manager.contentsOfDirectory(atPath: folder.path).count == 3)
        }
    }

    @Test("does not replace a dangling symbolic link")
    func danglingLink() throws {
        try Files.withFolder { folder in
            let source = folder.appending(path: "source").path
            try Data(Files.binary(["a": 1])).write(to: URL(filePath: source))
            let link = folder.appending(path: "link").path
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: "nowhere")
            let run = keyed("convert", "xml", source, "-o", link)
            #expect(run.status == 1)
            #expect(run.errors.contains("is a dangling symbolic link"))
            let kept = try FileManager.default.destinationOfSymbolicLink(atPath: link)
            #expect(kept == "nowhere")
        }
    }

    @Test("leaves a file unchanged if anything fails")
    func failure() throws {
        try Files.withFolder { folder in
            let good = folder.appending(path: "good").path
            let bad = folder.appending(path: "bad").path
            let bytes = try Files.binary(.null)
            try Data(bytes).write(to: URL(filePath: good))
            try Data("broken".utf8).write(to: URL(filePath: bad))
            let run = keyed("convert", "xml", "--in-place", good, bad)
            #expect(run.status == 1)
            #expect(run.errors.contains("XML cannot represent null"))
            #expect(try Files.bytes(good) == bytes)
            #expect(try Files.bytes(bad) == Array("broken".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        }
        let full = keyed("convert", "xml", "-o", "/dev/full", Files.archive("cycle"))
        #expect(full.status == 1)
        #expect(full.errors == "/dev/full: No space left on device\n")
        let nowhere = keyed("convert", "xml", "-o", "/nowhere/x", Files.archive("cycle"))
        #expect(nowhere.errors == "/nowhere/x: No such file or directory\n")
    }

    @Test(
        "exits with code 2 on wrong usage",
        arguments: [
            ["convert", "xml"], ["convert", "yaml", "x"], ["convert", "xml", "a", "b"],
            ["convert", "xml", "--in-place", "-"],
            ["convert", "xml", "--in-place", "-o", "x", "y"],
            ["convert", "xml", "--layout", "odd", "x"], ["frobnicate"], ["show", "--frob", "x"],
        ])
    func usage(arguments: [String]) throws {
        let run = try keyedProcess(arguments)
        #expect(run.status == 2)
        #expect(run.output == "")
        #expect(run.errors.contains("Usage: keyed") || run.errors.contains("USAGE: keyed"))
    }

    @Test("a process reads standard input and writes standard output")
    func pipes() throws {
        let bytes = try Files.bytes(Files.archive("save"))
        let xml = try keyedProcess(["convert", "xml", "-"], input: bytes)
        #expect(xml.status == 0)
        let binary = try keyedProcess(["convert", "binary", "-"], input: xml.bytes)
        #expect(try PropertyListValue(parsing: binary.bytes) == PropertyListValue(parsing: bytes))
        let broken = try keyedProcess(["lint", "-"], input: Array("x".utf8))
        #expect(broken.status == 1)
        #expect(broken.errors.hasPrefix("-: "))
    }
}
