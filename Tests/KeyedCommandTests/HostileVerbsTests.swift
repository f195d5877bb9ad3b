// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import TestSupport
import Testing

@testable import KeyedCommand

/// Small files that expand to large results.
private enum Hostile {
    /// Returns a file with two arrays of `count` elements. Each element of the first is the second
    /// array, and each element of the second is `leaf`.
    static func sharedArrays(_ count: Int, leaf: UInt64) -> [UInt8] {
        BinaryAssembler(
            [
                .array([1, 2]), .array(Array(repeating: 2, count: count)),
                .array(Array(repeating: 3, count: count)), .integer(leaf),
            ], offsetWidth: 3
        ).bytes
    }

    /// An empty array in an array.
    static let empty = BinaryAssembler([.array([1]), .array([])]).bytes

    /// Returns nested dictionaries, each with a key of `length` bytes, around an array of `count`
    /// numbers.
    static func deepKeys(depth: Int, length: Int, count: Int, value: UInt64) -> [UInt8] {
        var objects: [BinaryAssembler.Object] = []
        for level in 0..<depth {
            objects.append(.dictionary([UInt64(depth + level + 2)], [UInt64(level + 1)]))
        }
        objects.append(.array(Array(repeating: UInt64(depth + 1), count: count)))
        objects.append(.integer(value))
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        for level in 0..<depth {
            objects.append(.ascii(String(repeating: letters[level], count: length)))
        }
        return BinaryAssembler(objects, offsetWidth: 3).bytes
    }

    /// Returns an archive of objects of one class, each with the long key.
    ///
    /// The file begins with the root, its keys and its values. The long key follows.
    static func archive(
        _ count: Int, className: String, longKey: String, next: (Int) -> Int, value: UInt64 = 1
    ) -> [UInt8] {
        // Objects: 0 root, 1…4 its keys, 5 version, 6 archiver, 7 top, 8 objects, 9 "root", 10 uid
        // 1, 11 "$null", 12 "$class", 13 the class's uid, 14 "$classname", 15 the name, 16 the
        // class, 17 the key, 18 the value's key, 19 the value, then `count` UIDs and `count`
        // objects.
        let first = UInt64(20)
        let uid = { (object: Int) in first + UInt64(object - 1) }
        let node = { (object: Int) in first + UInt64(count + object - 1) }
        var objects: [BinaryAssembler.Object] = [
            .dictionary([1, 2, 3, 4], [5, 6, 7, 8]), .ascii("$version"), .ascii("$archiver"),
            .ascii("$top"), .ascii("$objects"), .integer(100_000, width: 4),
            .ascii("NSKeyedArchiver"),
            .dictionary([9], [10]), .array([11] + (1...count).map(node) + [16]), .ascii("root"),
            .uid(1), .ascii("$null"), .ascii("$class"), .uid(UInt64(count + 1), width: 4),
            .ascii("$classname"), text(className), .dictionary([14], [15]), text(longKey),
            .ascii("v"),
            .integer(value, width: 4),
        ]
        objects += (1...count).map { .uid(UInt64($0), width: 4) }
        objects += (1...count).map {
            .dictionary([12, 17, 18], [13, uid(next($0)), 19])
        }
        return BinaryAssembler(objects, offsetWidth: 4, referenceWidth: 4).bytes
    }

    private static func text(_ text: String) -> BinaryAssembler.Object {
        text.utf8.allSatisfy { $0 < 0x80 } ? .ascii(text) : .utf16(Array(text.utf16))
    }

    static let marks = "a" + String(repeating: "\u{301}\u{323}", count: 20_000)
}

/// Runs verbs on small files that expand. The output must stay within the bound of SECURITY.md, and
/// memory and processor time within looser ones.
@Suite("Verbs on hostile files")
struct HostileVerbsTests {
    /// Runs the built command with limits on address space and processor time.
    private func limited(
        _ arguments: [String], megabytes: Int = 900, seconds: Int = 30
    ) throws -> Run {
        try process(
            "/bin/sh",
            [
                "-c", "ulimit -v \(megabytes << 10); ulimit -t \(seconds); exec \"$0\" \"$@\"",
                keyedPath,
            ]
                + arguments)
    }

    /// Runs a verb on one or two files under the untrusted limits, and checks the size of its
    /// output.
    @discardableResult
    private func untrusted(_ verb: [String], _ files: [UInt8]...) throws -> Run {
        try Files.withFolder { folder in
            let paths = try files.enumerated().map { number, bytes in
                let file = folder.appending(path: "file\(number)")
                try Data(bytes).write(to: file)
                return file.path
            }
            let run = try limited([verb[0]] + paths + verb.dropFirst() + ["--limits", "untrusted"])
            let size = files.reduce(0) { $0 + $1.count }
            #expect((0...4).contains(run.status), "\(verb): \(run.status)")
            #expect(run.bytes.count <= 16 * size + 16 << 20, "\(verb): \(run.bytes.count) bytes")
            #expect(run.errors.utf8.count < 1 << 16)
            return run
        }
    }

    @Test("merge has one budget for all values that it copies")
    func merge() throws {
        for count in [1000, 5000, 30_000] {
            let shared = Hostile.sharedArrays(count, leaf: 1)
            #expect(try untrusted(["merge"], Hostile.empty, shared).status == 4)
            // The values of the first file, into which the second is merged, are not copied.
            let kept = try untrusted(["merge"], shared, Hostile.empty)
            #expect(kept.status == 0 && kept.bytes.count < shared.count + 100)
        }
    }

    @Test("all files of one run share one output limit")
    func manyFiles() throws {
        // A file of 8 KB that expands to 16 MB of text.
        let text = BinaryAssembler.Object.ascii(String(repeating: "s", count: 5000))
        let bytes = BinaryAssembler(
            [.array(Array(repeating: 1, count: 3300)), text], offsetWidth: 2
        ).bytes
        try Files.withFolder { folder in
            let paths = try (0..<6).map { number in
                let file = folder.appending(path: "\(number)")
                try Data(bytes).write(to: file)
                return file.path
            }
            let most = 6 * 16 * bytes.count + 16 << 20
            func lines() throws {
                let verb = ["convert", "jsonl", "--limits", "untrusted"]
                let lines = try limited(verb + paths)
                #expect(lines.status == 4 && !lines.bytes.isEmpty && lines.bytes.count <= most)
                let output = folder.appending(path: "out").path
                #expect(try limited(verb + ["-o", output] + paths).status == 4)
                #expect(try Files.bytes(output) == lines.bytes)
            }
            func replaced() throws {
                let run = try limited(
                    ["convert", "xml", "--in-place", "--limits", "untrusted"] + paths)
                #expect(run.status == 4)
                let sizes = try paths.map { try Files.bytes($0).count }
                #expect(sizes.count { $0 != bytes.count } == 1 && sizes.reduce(0, +) <= most)
            }
            // `plutil` always runs under the default limits.
            func printed() throws {
                let run = try limited(
                    ["plutil", "-convert", "json", "-o", "-"] + paths.dropFirst())
                #expect(run.status == 1 && run.bytes.count <= 5 * 64 * bytes.count + 64 << 20)
            }
            // `replaced` is last because it replaces a file.
            for part in Exhaustive.sample([lines, printed, replaced], oneIn: 3) { try part() }
        }
    }

    @Test("ten thousand file names are accepted, and distinguished from options")
    func manyNames() throws {
        try Files.withFile(Files.xml("<true/>")) { file in
            let names = Array(repeating: file, count: 10_000)
            let run = try limited(["lint"] + names, seconds: 10)
            #expect(run.status == 0 && run.lines.count == names.count)
            let late = keyed(list: ["lint"] + names + ["--quiet"])
            #expect(late.status == 2)
            #expect(late.errors.contains("Put the options before the names of files."))
            #expect(keyed(list: ["convert", "xml"] + names).errors.contains("need --in-place"))
            let last = keyed(list: ["plutil", "-lint", "-s"] + names + ["missing"])
            #expect(last.status == 1 && last.errors.contains("missing"))
        }
    }

    @Test("the number of combined single-letter flags is limited")
    func groupsOfFlags() throws {
        try Files.withFile(Files.xml("<true/>")) { file in
            for letters in ["q", "1q", "_", ".0"] {
                let many = keyed("lint", "-" + String(repeating: letters, count: 10_000), file)
                #expect(many.status == 2)
                #expect(many.errors.contains("at most 256 letters after single dashes"))
            }
            let groups = Array(repeating: "-qqqqqqqqqqqqqqqq", count: 20)
            #expect(keyed(list: ["lint", file] + groups).status == 2)
            #expect(keyed("lint", "-qq", file).status == 0)
            #expect(keyed(list: ["lint", file] + Array(repeating: "-q", count: 300)).status == 0)
            // The options of `plutil` are words after a single dash.
            let value = "-" + String(repeating: "x", count: 1000)
            let words = keyed("plutil", "-insert", "a", "-string", value, "-o", "-", file)
            #expect(!words.errors.contains("letters after"))
        }
    }

    @Test("thousands of class names are added in linear time")
    func manyLists() throws {
        let seconds = try ProcessorTime.seconds {
            let names = (0..<60_000).map { "C\($0)" }.joined(separator: ",")
            try Files.withFile(Hostile.archive(2, className: "C7", longKey: "k", next: { $0 })) {
                file in
                // The command runs within the test, because the system limits the length of an
                // argument.
                let run = keyed("check", file, "--allow", names)
                #expect(run.status == 0, "\(run.errors.prefix(300))")
            }
        }
        #expect(seconds < 60)
    }

    @Test(
        "a conversion whose result would have no recognizable format leaves the file unchanged")
    func unreadableResults() throws {
        try Files.withFile(Files.xml("<real>1.5</real>")) { file in
            let before = try Files.bytes(file)
            for format in ["json", "openstep"] {
                let run = keyed("convert", format, "--scalars", "text", "--in-place", file)
                #expect(run.status == 1 && run.errors.contains("no recognizable format"))
                let after = try Files.bytes(file)
                #expect(after == before)
            }
            #expect(keyed("convert", "json", file).output == "1.5\n")
            let kept = keyed("convert", "jsonl", file + ".missing", "-o", file)
            let after = try Files.bytes(file)
            #expect(kept.status == 1 && after == before)
        }
    }

    @Test(
        "a number that would become zero or infinite is refused", arguments: ["1e400", "-1e-400"])
    func rangeOfReals(_ number: String) throws {
        try Files.withFile("{\"a\":\(number)}".utf8) { file in
            #expect(keyed("lint", file).status == 1)
        }
        try Files.withFile("{\"a\":0e-400}".utf8) { file in
            #expect(keyed("lint", file).status == 0)
            #expect(keyed("set", file, "a", "-t", "real", "--", number).status == 2)
            #expect(keyed("set", file, "a", "-t", "real", "--", "-0.0e-999").status == 0)
        }
    }

    @Test("each extracted file counts against the limit, so thousands of small files reach it")
    func manyFinds() throws {
        let one = BinaryAssembler([.array([])]).bytes
        try Files.withFolder { folder in
            let file = folder.appending(path: "finds").path
            try Data((0..<5000).flatMap { _ in one }).write(to: URL(filePath: file))
            let found = folder.appending(path: "found").path
            let run = try limited(["carve", file, "--extract", found, "--limits", "untrusted"])
            #expect(run.status == 4)
            let count = try FileManager.default.contentsOfDirectory(atPath: found).count
            #expect(count > 300 && count <= ((16 << 20) + 16 * one.count * 5000) / (40 << 10))
        }
    }

    @Test("diff prints no more than the output limit")
    func diff() throws {
        let verbs = [["diff"], ["diff", "--as-commands"], ["diff", "--raw"]]
        let count = Exhaustive.size(4000, inDebug: 1500)
        for verb in Exhaustive.sample(verbs, oneIn: 3) {
            let (old, new) = (
                Hostile.sharedArrays(count, leaf: 1), Hostile.sharedArrays(count, leaf: 2)
            )
            #expect(try untrusted(verb, old, new).status == 4)
            let keys = { Hostile.deepKeys(depth: 20, length: 1000, count: 3000, value: $0) }
            #expect(try untrusted(verb, keys(1), keys(2)).status == 4)
        }
    }

    @Test("diff of two cyclic lists does not keep a path for each visit")
    func rings() throws {
        let ring = { (count: Int, length: Int, value: UInt64) in
            Hostile.archive(
                count, className: "R", longKey: String(repeating: "k", count: length),
                next: { $0 % count + 1 }, value: value)
        }
        for length in Exhaustive.sample([1000, 100_000], oneIn: 2) {
            try untrusted(["diff"], ring(300, length, 1), ring(301, length, 2))
            try untrusted(["diff", "--quiet"], ring(300, length, 1), ring(301, length, 1))
        }
    }

    @Test("show copies a shared long key only for the lines that it prints")
    func longKeys() throws {
        let archive = Hostile.archive(
            5000, className: "NSArray", longKey: String(repeating: "k", count: 200_000),
            next: { min($0 + 1, 5000) })
        let verbs = [["show", "--depth", "1"], ["show", "--json"], ["show", "--full"]]
        for verb in Exhaustive.sample(verbs, oneIn: 3) { try untrusted(verb, archive) }
        let run = try untrusted(["show"], archive)
        #expect(run.status == 0)
        #expect(run.lines.contains { $0.hasSuffix("kkk…: integer 1") } == false)
        #expect(run.lines.contains { $0.contains("kkk…: ") })
    }

    @Test("check of a chain takes linear time, and truncates a long class name")
    func check() throws {
        let count = Exhaustive.size(32_000, inDebug: 1500)
        let chain = Hostile.archive(
            count, className: String(repeating: "C", count: 100_000), longKey: "k",
            next: { min($0 + 1, count) })
        let run = try untrusted(["check", "--allow", "commonClasses"], chain)
        #expect(run.status == 1)
        #expect(run.lines.count == count)
        #expect(run.lines.allSatisfy { $0.utf8.count < 500 })
        let last = run.lines.last ?? ""
        #expect(last.contains("root.k.k.k") && last.contains("…") && last.contains("k.k: CCC"))
    }

    @Test("the runs of an attributed string count against the limits each time they are read")
    func attributedStrings() throws {
        // The runs do not cover the text, so the objects are shown as lists of fields.
        let count = 1000
        let uids = (0..<count).map { PropertyListValue.uid(PropertyListUID(UInt32(7 + $0))) }
        let string: PropertyListValue = [
            "NSString": .uid(3), "NSAttributes": .uid(4), "NSAttributeInfo": .uid(5),
            "$class": .uid(2),
        ]
        let objects: [PropertyListValue] = [
            "$null", ["NS.objects": .array(PropertyListArray(uids)), "$class": .uid(2)],
            ["$classname": "X", "$classes": ["X"]], "text",
            ["NS.objects": [.uid(6)], "$class": .uid(2)],
            .data([UInt8](repeating: 0, count: 40_000)), "attribute",
        ]
        let archive: PropertyListValue = [
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(1)],
            "$objects": .array(
                PropertyListArray(objects + [PropertyListValue](repeating: string, count: count))),
        ]
        #expect(try untrusted(["show"], Files.binary(archive)).status == 4)
    }

    @Test("show of an archive with many roots takes linear time")
    func roots() throws {
        // Objects: 0 the root, 1…4 its keys, 5…8 its values, 9 "$null", 10 the UID, then the names
        // of the roots.
        let count = 40_000
        let objects: [BinaryAssembler.Object] =
            [
                .dictionary([1, 2, 3, 4], [5, 6, 7, 8]), .ascii("$version"), .ascii("$archiver"),
                .ascii("$top"), .ascii("$objects"), .integer(100_000, width: 4),
                .ascii("NSKeyedArchiver"),
                .dictionary(
                    (0..<count).map { UInt64(11 + $0) }, Array(repeating: 10, count: count)),
                .array([9, 9]), .ascii("$null"), .uid(1),
            ] + (0..<count).map { .ascii("\($0)") }
        let archive = BinaryAssembler(objects, offsetWidth: 4, referenceWidth: 4).bytes
        let run = try untrusted(["show"], archive)
        #expect(run.status == 0)
        #expect(run.lines.count >= count)
    }

    @Test("combining marks in keys and class names take linear time in every verb")
    func combiningMarks() throws {
        let key = {
            Hostile.archive(2, className: "C", longKey: Hostile.marks, next: { _ in 2 }, value: $0)
        }
        let name = {
            Hostile.archive(2, className: Hostile.marks, longKey: "k", next: { _ in 2 }, value: $0)
        }
        let verbs = [
            ["show"], ["show", "--json"], ["get", "@1"], ["check", "--allow", "commonClasses"],
            ["classes"], ["inspect"], ["lint"],
        ]
        let verbsOfTwo = [["diff"], ["diff", "--as-commands"], ["diff", "--raw"], ["merge"]]
        for make in [key, name] {
            for verb in Exhaustive.sample(verbs, oneIn: 3) { try untrusted(verb, make(1)) }
            for verb in Exhaustive.sample(verbsOfTwo, oneIn: 3) {
                try untrusted(verb, make(1), make(2))
            }
        }
        try Files.withFile(Files.xml("<dict/>")) { file in
            try Files.withFile("set \"\(Hostile.marks)\" \(Hostile.marks)\n".utf8, named: "script")
            {
                let run = try limited(["edit", file, "--script", $0])
                #expect(run.status == 0)
            }
        }
    }

    @Test("a dictionary whose many keys are one long string is printed within the limits")
    func oneKey() throws {
        let count = 20_000
        let text = UInt64(20)
        let bytes = BinaryAssembler(
            [
                .dictionary([1, 2, 3, 4], [5, 6, 7, 8]), .ascii("$version"), .ascii("$archiver"),
                .ascii("$top"), .ascii("$objects"), .integer(100_000, width: 4),
                .ascii("NSKeyedArchiver"), .dictionary([9], [10]), .array([11, 17, text, 16]),
                .ascii("root"), .uid(1), .ascii("$null"), .ascii("$class"), .uid(3),
                .ascii("$classname"),
                .ascii("NSDictionary"), .dictionary([14], [15]),
                .dictionary([12, 18, 19], [13, 21, 21]), .ascii("NS.keys"), .ascii("NS.objects"),
                .ascii(String(repeating: "s", count: 250_000)),
                .array(Array(repeating: 22, count: count)),
                .uid(2),
            ], offsetWidth: 3
        ).bytes
        for verb in [["show"], ["get", "@1"], ["show", "--depth", "0"], ["show", "--json"]] {
            try untrusted(verb, bytes)
        }
    }

    @Test("inserting an element at the beginning of an array takes less than linear time")
    func insertions() throws {
        let count = Exhaustive.size(70_000, inDebug: 20_000)
        let script = String(repeating: "insert a[0] 1\n", count: count)
        try Files.withFile(Files.xml("<dict><key>a</key><array><true/></array></dict>")) { file in
            try Files.withFile(script.utf8, named: "script") { script in
                let run = try limited(["edit", file, "--script", script], seconds: 120)
                #expect(run.status == 0)
                #expect(run.output.components(separatedBy: "<string>1</string>").count == count + 1)
            }
        }
    }

    @Test("carve finds a property list after many false beginnings, and reports untried ones")
    func beginnings() throws {
        let list = Files.xml("<true/>")
        let flood = Array(
            String(repeating: "<plist>", count: Exhaustive.size(150_000, inDebug: 30_000)).utf8)
        try Files.withFile(flood + list) { file in
            let run = keyed("carve", file)
            #expect(run.lines.count == 1)
            #expect(run.status == 0)
        }
        // Each `<plist>` follows a comment and might be part of it. The carver therefore cannot
        // skip a beginning, and has to parse from each one.
        let comments = Array(
            String(
                repeating: "<plist><!-- -->", count: Exhaustive.size(100_000, inDebug: 40_000)
            ).utf8)
        try Files.withFile(comments + list) { file in
            let run = keyed("carve", file)
            #expect(run.status == 4)
            #expect(
                run.errors.contains(
                    "signatures were not tried, the first at byte "))
        }
    }

    @Test("long messages on standard error are truncated")
    func complaints() throws {
        let archive = Hostile.archive(
            3, className: String(repeating: "\u{1B}[2J", count: 100_000), longKey: "k",
            next: { _ in 1 })
        try Files.withFile(archive) { file in
            for verb in [
                ["show", file, "--allow", "commonClasses"], ["check", file, "--allow", "A"],
            ] {
                let run = keyed(list: verb)
                #expect(run.errors.utf8.count < 100_000)
                #expect(!run.errors.utf8.contains(0x1B) && !run.output.utf8.contains(0x1B))
            }
        }
        for sign in ["x", "é", "漢", "😀"] {
            let run = keyed("show", "--" + String(repeating: sign, count: 5000), "file")
            let lengths = run.errors.split(separator: "\n").map(\.utf8.count)
            #expect(lengths.allSatisfy { $0 <= 2048 } && lengths.contains { $0 > 2040 })
            #expect(!run.errors.contains("\u{FFFD}"))
        }
    }
}
