// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import TestSupport
import Testing

@testable import KeyedCommand

/// The toolchain's own `plutil`, to compare with.
enum ToolchainPlutil {
    /// The path of the toolchain's `plutil`; nil if it is not in `PATH`.
    static let path: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/plutil" }.first { path in
            FileManager.default.isExecutableFile(atPath: path)
                && (try? run(path, ["-help"], in: FileManager.default.temporaryDirectory))?
                    .output.contains("Swift mode") == true
        }
    }()

    static func run(_ path: String, _ arguments: [String], in folder: URL) throws -> Run {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        // Suppresses the backtrace of a crash.
        process.environment = ["SWIFT_BACKTRACE": "enable=no"]
        let output = folder.appending(path: ".stdout")
        let errors = folder.appending(path: ".stderr")
        for file in [output, errors] { try Data().write(to: file) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        let run = Run(
            status: process.terminationStatus, bytes: [UInt8](try Data(contentsOf: output)),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
        for file in [output, errors] { try FileManager.default.removeItem(at: file) }
        return run
    }
}

/// The result of a call of `plutil`: its output, its exit code, and the files it left.
struct PlutilOutcome: Equatable {
    var status: Int32
    var output: String
    var errors: String
    var files: [String: String]

    init(_ run: Run, _ folder: URL) throws {
        // File names in the output are relative to the test's folder.
        let place = folder.path + "/"
        status = run.status
        output = Self.shown(run.bytes).replacing(place, with: "")
        errors = run.errors.replacing(place, with: "")
        files = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            files[name] = Self.shown(try Files.bytes(folder.appending(path: name).path))
        }
    }

    /// Returns text unchanged, and a binary property list or JSON in a canonical form. Writers
    /// number objects in several ways, and the toolchain's `plutil` prints JSON with keys in random
    /// order.
    private static func shown(_ bytes: [UInt8]) -> String {
        if let first = bytes.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let value = try? JSONSerialization.jsonObject(with: Data(bytes)),
            let sorted = try? JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
        {
            return "JSON " + String(decoding: sorted, as: UTF8.self)
        }
        guard bytes.starts(with: "bplist".utf8) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        guard let document = try? PropertyListDocument(parsing: bytes) else { return "malformed" }
        var options = XMLPropertyList.Options()
        options.sortsKeys = true
        options.allowedLosses = .appleCompatible
        let text = try? XMLPropertyList.serialize(document, options: options).bytes
        return "binary " + String(decoding: text ?? [], as: UTF8.self)
    }
}

@Suite("plutil, compared with the toolchain's own")
struct PlutilParityTests {
    /// The calls to compare, once for each file format. `FILE` stands for a file of that format.
    private static let calls: [String] = [
        "-p FILE", "-lint FILE", "FILE", "-lint -s FILE", "-lint FILE nope", "-p FILE FILE",
        "-convert xml1 FILE", "-convert xml1 -o - FILE", "-convert xml1 -o out FILE",
        "-convert xml1 -e new FILE", "-convert binary1 FILE", "-convert binary1 -o out FILE",
        "-convert swift FILE", "-convert swift -o - FILE", "-convert objc -o - FILE",
        "-convert foo FILE", "-convert", "-convert xml1", "-convert xml1 -o", "-convert xml1 -e",
        "-extract s raw FILE", "-extract i raw FILE", "-extract big raw FILE",
        "-extract r raw FILE", "-extract huge raw FILE", "-extract b raw FILE",
        "-extract no raw FILE",
        "-extract d raw FILE", "-extract data raw FILE", "-extract list raw FILE",
        "-extract dict raw FILE", "-extract empty raw FILE", "-extract u raw -n FILE",
        "-extract list.0 raw FILE", "-extract list.2.k raw FILE", "-extract list.9 raw FILE",
        "-extract list.-1 raw FILE", "-extract list.x raw FILE", "-extract a\\.b raw FILE",
        "-extract a\\.b.c raw FILE", "-extract nope raw FILE", "-extract s.x raw FILE",
        "-extract s raw -o out FILE", "-extract s raw -expect string FILE",
        "-extract s raw -expect integer FILE", "-extract s raw -expect foo FILE",
        "-extract dict xml1 -o - FILE", "-extract list xml1 FILE", "-extract i xml1 -o - FILE",
        "-extract dict binary1 -o out FILE", "-extract s foo FILE", "-extract s", "-extract",
        "-type s FILE", "-type i FILE", "-type r FILE", "-type b FILE", "-type d FILE",
        "-type data FILE", "-type list FILE", "-type dict FILE", "-type list.1 FILE",
        "-type nope FILE", "-type s -expect string FILE", "-type s -expect array FILE", "-type",
        "-type s -expect",
        "-insert new -string v FILE", "-insert new -string v -o - FILE", "-insert s -string v FILE",
        "-insert new -bool YES FILE", "-insert new -bool true FILE", "-insert new -bool 1 FILE",
        "-insert new -integer 12 FILE", "-insert new -integer -5 FILE",
        "-insert new -float 1.25 FILE", "-insert new -date 2020-01-02T03:04:05Z FILE",
        "-insert new -data AAEC FILE", "-insert new -data @@ FILE",
        "-insert new -xml <array><true/></array> FILE", "-insert new -dictionary FILE",
        "-insert new -array FILE", "-insert list.0 -string v FILE", "-insert list.3 -string v FILE",
        "-insert list.9 -string v FILE", "-insert list.x -string v FILE",
        "-insert list -string v -append FILE", "-insert s -string v -append FILE",
        "-insert new.deep -string v FILE", "-insert s.x -string v FILE",
        "-insert dict.new -string v FILE", "-insert list.2.new -string v FILE",
        "-insert a\\.b.d -string v FILE", "-insert new\\.key -string v FILE",
        "-insert", "-insert new", "-insert new -foo v FILE",
        "-replace s -string Z FILE", "-replace new -string Z FILE",
        "-replace dict.z -integer 7 FILE",
        "-replace list.9 -string Z FILE", "-replace s -string Z -o - FILE",
        "-remove s FILE", "-remove nope FILE", "-remove list.0 FILE", "-remove list.9 FILE",
        "-remove dict.z FILE", "-remove a\\.b.c FILE", "-remove s.x FILE", "-remove s -o - FILE",
        "-remove", "-create xml1 made", "-create binary1 made", "-create xml1 -", "-p", "-lint", "",
        "-foo FILE", "-e", "-lint -- FILE", "-p -o out FILE", "-type s FILE FILE", "-lint .",
        "-p .", "-replace list.1 -string Z FILE", "-insert new -integer 12x FILE",
        "-insert new -float x FILE", "-insert new -date nope FILE", "-s -lint FILE", "-s FILE",
        "-extract dict swift -o - FILE", "-convert json -r -o - FILE",
        "-extract u swift -o - FILE", "-extract i swift -o - FILE", "-extract u objc -o - FILE",
        "-extract i objc -o - FILE", "-extract r objc -o - FILE", "-extract b objc -o - FILE",
        "-extract list json -o - FILE",
        "-convert json -o - FILE", "-extract dict json -r -o - FILE", "-insert new -json [1] FILE",
        "-insert new -json nope FILE", "-extract s json FILE", "-type b -expect bool FILE",
        "-type b -expect string FILE", "-type s -expect bool FILE", "-insert new -string",
        "-extract list objc -o - FILE", "-extract dict objc -o - FILE",
        "-convert xml1 -header FILE",
        "-p -header FILE", "-extract list objc -header FILE", "-remove s -append FILE",
        "-type s -append FILE", "-type s -o out FILE", "-type s -o - FILE",
        "-insert new -float nan FILE", "-insert new -integer 0x10 FILE",
        "-insert new -integer 99999999999999999999 FILE", "-extract list.00 raw FILE",
        "-replace list.0 -string q -append FILE", "-convert swift -e x FILE", "-create swift made",
        "-create objc made", "-create xml1 -o x made",
        "-convert xml1 FILE FILE", "-convert binary1 -e new FILE FILE", "-remove dict FILE FILE",
    ]

    /// The calls with a documented difference. A prefix such as `OpenStep:` limits a difference to
    /// that format.
    private static let differences: Set<String> = {
        let document = Corpus.repository.appending(path: "Documentation/Editing.md")
        let lines = (try? String(contentsOf: document, encoding: .utf8)) ?? ""
        let calls = lines.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("| ") else { return nil }
            let cell = line.dropFirst(2).prefix { $0 != "|" }.trimmingCharacters(in: .whitespaces)
            return cell.contains("`") ? cell.replacing("`", with: "") : nil
        }
        return Set(calls)
    }()

    private static let value: PropertyListValue = [
        "s": "he\"llo\\", "i": 5, "big": .integer(PropertyListInteger(UInt64.max)), "neg": -3,
        "r": 1.5, "tenth": 0.1, "huge": 1e100, "b": true, "no": false,
        "d": .date(PropertyListDate(secondsSince2001: 599_627_045)), "data": .data([0x12, 0xAB]),
        "list": ["x", 2, ["k": "v"]], "dict": ["z": 1, "a": [], "B": 2, "k10": 1, "k9": 2],
        "a.b": ["c": "q"], "empty": [:], "u": "é漢 <&>",
    ]

    private static let openStep = """
        { s = "he\\"llo"; list = (x, 2, {k = v;}); dict = {z = 1; a = (); B = 2; k10 = 1; k9 = 2;};
          "a.b" = {c = q;}; empty = {}; u = "é漢"; data = <12ab>; }
        """

    private static let json = """
        {"s": "he\\"llo", "i": 5, "r": 1.5, "b": true, "list": ["x", 2, {"k": "v"}],
        "dict": {"z": 1, "a": [], "B": 2, "k10": 1, "k9": 2}, "a.b": {"c": "q"}, "empty": {},
        "u": "é漢"}
        """

    /// The format name for a malformed XML file, for which this command has its own error message.
    private static let malformed = "malformed"

    private static func bytes(_ format: String) throws -> [UInt8] {
        if format == "OpenStep" { return Array(openStep.utf8) }
        if format == malformed { return Array("<plist><dict><key>a</key></dict></plist>".utf8) }
        if format == "JSON" { return Array(json.utf8) }
        let document = try PropertyListDocument(value)
        return format == "binary"
            ? try BinaryPropertyList.serialize(document)
            : try XMLPropertyList.serialize(document).bytes
    }

    private func outcome(
        _ call: String, _ format: String, _ run: ([String], URL) throws -> Run
    ) throws -> PlutilOutcome {
        try Files.withFolder { folder in
            try Data(Self.bytes(format)).write(to: folder.appending(path: "file.plist"))
            let arguments = call.split(separator: " ").map {
                $0 == "FILE" ? "file.plist" : String($0)
            }
            return try PlutilOutcome(run(arguments, folder), folder)
        }
    }

    @Test(
        "plutil prints and writes the same as the toolchain's, apart from documented differences",
        .enabled(if: ToolchainPlutil.path != nil, "the toolchain has no plutil"),
        arguments: ["XML", "binary", "OpenStep", "JSON", malformed])
    func parity(_ format: String) throws {
        let path = try #require(ToolchainPlutil.path)
        for call in Exhaustive.sample(Self.calls, oneIn: 8) {
            var theirs = try outcome(call, format) { try ToolchainPlutil.run(path, $0, in: $1) }
            let ours = try outcome(call, format) { arguments, folder in
                try keyedProcess(["plutil"] + arguments, in: folder)
            }
            if format == Self.malformed, ours.errors.contains("XML property list: the last key") {
                theirs.errors = ours.errors
            }
            let isDifferent = [call, "\(format): \(call)"].contains(
                where: Self.differences.contains)
            let verb = String(call.prefix { $0 != " " })
            // A verb may be documented as different in a format although some of its calls agree.
            if ["\(verb) …", "\(format): \(verb) …"].contains(where: Self.differences.contains) {
                continue
            }
            if !isDifferent {
                #expect(ours == theirs, "\(format): plutil \(call)")
            } else if format != Self.malformed {
                #expect(ours != theirs, "\(format): plutil \(call) now has the same result")
            }
        }
    }

    @Test("a scalar is written as a constant of its own type")
    func scalarConstants() throws {
        try Files.withFile(Files.binary(Self.value)) { file in
            for (key, swift, objectiveC) in [
                ("u", "let file = \"é漢 <&>\"", "NSString * const file = @\"é漢 <&>\";"),
                ("i", "let file = 5", "NSNumber * const file = @5;"),
                ("b", "let file = true", "NSNumber * const file = @YES;"),
            ] {
                let inSwift = keyed("plutil", "-extract", key, "swift", "-o", "-", file)
                #expect(inSwift.lines.last == swift)
                let inObjectiveC = keyed("plutil", "-extract", key, "objc", "-o", "-", file)
                #expect(inObjectiveC.lines.last == objectiveC)
            }
        }
    }

    @Test("-insert and -replace refuse an array index with a leading zero or a sign")
    func spelledIndices() throws {
        try Files.withFile(Files.binary(Self.value)) { file in
            for (verb, path) in [
                ("-replace", "list.01"), ("-replace", "list.+1"), ("-insert", "list.01"),
            ] {
                let run = keyed("plutil", verb, path, "-string", "x", file)
                #expect(run.status == 1)
                #expect(run.errors.contains("Unable to index into array with key path \(path)"))
            }
        }
    }

    @Test("a file with several JSON values or an unpaired surrogate is refused and not changed")
    func otherJSON() throws {
        for text in ["{\"a\":1}\n{\"b\":2}\n", "{\"a\":1,\"b\":\"\\ud800\"}"] {
            for arguments in [
                ["-insert", "z", "-integer", "1"], ["-replace", "a", "-integer", "1"],
                ["-remove", "a"], ["-convert", "json"], ["-convert", "binary1"],
            ] {
                try Files.withFile(text.utf8) { file in
                    let run = keyed(list: ["plutil"] + arguments + [file])
                    #expect(run.status == 1, "\(arguments)")
                    let bytes = try Data(contentsOf: URL(filePath: file))
                    #expect(Array(bytes) == Array(text.utf8), "\(arguments)")
                }
            }
        }
    }

    @Test("a leading dot does not begin a file extension")
    func dotFiles() throws {
        try Files.withFolder { folder in
            for name in [".one", ".two"] {
                try Data(Files.xml("<dict/>")).write(to: folder.appending(path: name))
            }
            let run = try keyedProcess(
                ["plutil", "-convert", "xml1", "-e", "out", ".one", ".two"], in: folder)
            #expect(run.status == 0)
            for name in [".one.out", ".two.out"] {
                #expect(FileManager.default.fileExists(atPath: folder.appending(path: name).path))
            }
        }
    }

    @Test("UIDs and data are printed as plutil prints them, and a conversion keeps UIDs")
    func archives() throws {
        let value: PropertyListValue = [
            "uid": .uid(PropertyListUID(3)), "data": .data([0, 1, 2]),
            "long": .data(Array(0..<40)),
        ]
        try Files.withFile(Files.binary(value)) { file in
            let printed = keyed("plutil", "-p", file)
            #expect(
                printed.lines == [
                    "{", "  \"data\" => {length = 3, bytes = 0x000102}",
                    "  \"long\" => {length = 40, bytes = 0x00010203 04050607 08090a0b 0c0d0e0f ... "
                        + "20212223 24252627 }",
                    "  \"uid\" => <CFKeyedArchiverUID>{value = 3}", "}",
                ])
            #expect(keyed("plutil", "-extract", "uid", "raw", file).output == "3\n")
            let xml = keyed("plutil", "-convert", "xml1", "-o", "-", file)
            #expect(xml.status == 0 && xml.output.contains("<key>CF$UID</key>"))
        }
    }

    @Test("the command behaves as plutil if it is called by that name")
    func name() throws {
        try Files.withFolder { folder in
            let link = folder.appending(path: "plutil").path
            let command = URL(filePath: keyedPath)
            try FileManager.default.createSymbolicLink(
                at: URL(filePath: link), withDestinationURL: command)
            try Data(Files.binary(["a": 1])).write(to: folder.appending(path: "f"))
            let run = try ToolchainPlutil.run(link, ["-extract", "a", "raw", "f"], in: folder)
            #expect(run.output == "1\n" && run.status == 0)
        }
    }
}
