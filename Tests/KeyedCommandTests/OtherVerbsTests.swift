// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import TestSupport
import Testing

@Suite("keyed lint")
struct LintTests {
    @Test("lists each file with its verdict, and exits with the worst code")
    func verdicts() throws {
        let good = Files.archive("save")
        let bad = Files.archive("malformed/dangling-reference")
        let run = keyed("lint", good, bad)
        #expect(run.status == 1)
        #expect(run.output == "\(good): OK\n")
        #expect(run.errors.hasPrefix("\(bad): keyed archive: expected a reference to one of "))
        #expect(run.errors.hasSuffix("in $objects[1].\"NS.objects\"[1]\n"))
        #expect(keyed("lint", "--quiet", good).output == "")
    }

    @Test("lists the leniencies that a file needs, and refuses them with --strict")
    func leniencies() throws {
        let body = "<dict><key>a</key><true/><key>a</key><false/></dict>"
        try Files.withFile(Files.xml(body)) { file in
            let run = keyed("lint", file)
            #expect(run.status == 0)
            #expect(run.output == "\(file): OK, with leniency: duplicateKeys\n")
            let strict = keyed("lint", "--strict", file)
            #expect(strict.status == 1)
            #expect(strict.errors.contains("the key `a` occurs twice in a dictionary at line 1"))
            #expect(
                strict.errors.contains(
                    "(omit --strict to allow the leniency duplicateKeys)"))
        }
    }

    @Test("marks the place of an error in text with a caret")
    func excerpt() throws {
        try Files.withFile(Files.xml("\n<array>\n\t<integer>1x</integer>\n</array>\n")) { file in
            let run = keyed("lint", file)
            #expect(run.status == 1)
            #expect(
                run.errors == """
                    \(file): XML property list: expected an integer, found other text at line 3, \
                    column 2, in [0]
                         <integer>1x</integer>
                         ^

                    """)
        }
    }

    @Test("describes an error that no leniency allows, not one that a leniency would allow")
    func beyondLeniency() throws {
        let body = "<array><date>2001-13-01T00:00:00Z</date><foo/></array>"
        try Files.withFile(Files.xml(body)) { file in
            let run = keyed("lint", file)
            #expect(run.status == 1)
            #expect(run.errors.contains("`<foo>` is not an element of a property list"))
            #expect(!run.errors.contains("--lenient"))
        }
    }

    @Test("shows no excerpt of UTF-16 text")
    func wideText() throws {
        let text = "\u{FEFF}<plist version=\"1.0\">\n<array>\n<foo/></array></plist>"
        let bytes = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        try Files.withFile(bytes) { file in
            let run = keyed("lint", file)
            #expect(run.errors.hasSuffix("property list at line 3, column 1, in [0]\n"))
        }
    }
}

@Suite("keyed classes")
struct ClassesTests {
    @Test("lists the classes by frequency, and the allow-list as Swift code")
    func list() {
        let run = keyed("classes", Files.archive("hints"))
        #expect(run.status == 0)
        #expect(
            run.output == """
                1  NSIBPrototypingLayoutConstraint : NSLayoutConstraint : NSObject  (hints: \
                NSLayoutConstraint)
                1  renamed.Component

                let allowed = ClassRegistry().allowing(
                    "NSIBPrototypingLayoutConstraint",
                    "renamed.Component"
                )

                """)
        let save = keyed("classes", Files.archive("save"))
        #expect(
            save.output.hasSuffix(
                """
                let allowed = ClassRegistry(
                    Array<AnyArchived>.self,  // NSArray
                    Data.self,  // NSData
                    Date.self,  // NSDate
                    ArchivedPairs<AnyArchived, AnyArchived>.self,  // NSDictionary
                    String.self,  // NSString
                    URL.self,  // NSURL
                    UUID.self  // NSUUID
                ).allowing(
                    "App.Save"
                )

                """))
    }

    @Test("names the module of a type that is not in KeyedArchive")
    func modules() throws {
        let archive: PropertyListValue = [
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(1)],
            "$objects": [
                "$null", ["NSSize": 12.0, "NSName": .uid(0), "NSNib": .uid(3), "$class": .uid(2)],
                ["$classname": "NSFont", "$classes": ["NSFont", "NSObject"]],
                ["number": .uid(5), "$class": .uid(4)],
                ["$classname": "UINib", "$classes": ["UINib", "NSObject"]], 5,
            ],
        ]
        let bytes = try BinaryPropertyList.serialize(PropertyListDocument(archive))
        try Files.withFile(bytes) { path in
            #expect(
                keyed("classes", path).output.hasSuffix(
                    """
                    let allowed = ClassRegistry(
                        ArchivedFont.self,  // NSFont (AppKitArchive)
                        ArchivedNumber.self  // NSNumber
                    ).allowing(
                        "UINib"
                    )

                    """))
            let run = keyed("check", path, "--allow", "foundation,uiKit,UINib")
            #expect(run.status == 1 && run.output.contains("NSFont is not allowed"))
            #expect(keyed("check", path, "--allow", "foundation,appKit,UINib").status == 0)
        }
    }

    @Test(
        "`classes` exits with 3 for a malformed archive, and refuses a file that is not an archive")
    func malformed() {
        #expect(keyed("classes", Files.archive("malformed/no-class")).status == 3)
        let run = keyed("classes", Files.archive("not-archives/no-top"))
        #expect(run.status == 1)
        #expect(run.errors.contains("this is not a keyed archive: `$top` is of kind array"))
    }

    @Test("stops at the limit if many classes share one long chain")
    func sharedChain() throws {
        let seconds = try ProcessorTime.seconds {
            let count: UInt64 = 3000
            // `$objects` contains `$null`, 3000 references to one shared class description, and
            // 3000 objects. The `$class` of each object selects a different one of these
            // references.
            let objects: [BinaryAssembler.Object] = [
                .dictionary([1, 2, 3, 4], [5, 6, 7, 8]), .ascii("$version"), .ascii("$archiver"),
                .ascii("$top"), .ascii("$objects"), .integer(100_000, width: 4), .ascii("A"),
                .dictionary([], []),
                .array(
                    [9] + [UInt64](repeating: 10, count: Int(count)) + (0..<count).map { 15 + $0 }),
                .ascii("$null"), .dictionary([11, 12], [6, 13]), .ascii("$classname"),
                .ascii("$classes"), .array([UInt64](repeating: 6, count: 20_000)), .ascii("$class"),
            ]
            let file = BinaryAssembler(
                objects + (0..<count).map { .dictionary([14], [15 + count + $0]) }
                    + (0..<count).map { .uid(1 + $0, width: 2) },
                offsetWidth: 4, referenceWidth: 2)
            try Files.withFile(file.bytes) { path in
                let run = keyed("classes", path)
                #expect(run.status == 4)
                #expect(run.errors.contains("expected shared containers to expand to at most"))
            }
        }
        #expect(seconds < 60)
    }
}

@Suite("keyed inspect")
struct InspectTests {
    @Test("prints the trailer and the objects of a binary file, and marks unused objects")
    func binary() throws {
        // The array [true], and an unused false.
        let bytes: [UInt8] =
            Array("bplist00".utf8) + [0xA1, 1, 0x09, 0x08, 8, 10, 11, 0, 0, 0, 0, 0, 0, 1, 1]
            + [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12]
        try Files.withFile(bytes) { file in
            let run = keyed("inspect", file)
            #expect(run.status == 0)
            #expect(
                run.lines == [
                    "binary property list, 47 bytes", "trailer:  at byte 15",
                    "  offset width     1",
                    "  reference width  1", "  objects          3", "  top object       0",
                    "  offset table     at byte 12", "  sort version     0", "objects:",
                    "   number    offset  marker", "        0         8  a1      array of 1: 1",
                    "        1        10  09      boolean true",
                    "*       2        11  08      boolean false",
                ])
        }
    }

    @Test("prints the values of an XML file with their lines")
    func xml() throws {
        try Files.withFile(Files.xml("\n<array>\n<true/>\n</array>\n")) { file in
            #expect(
                keyed("inspect", file).lines.suffix(2) == [
                    "        0         2  array of 1: 1", "        1         3  boolean true",
                ])
        }
    }
}

@Suite("keyed inspect of malformed files")
struct LenientInspectTests {
    @Test("the leniencies that a file needs are named, and damage is reported separately")
    func leniencies() throws {
        try Files.withFile(Files.xml("<dict><key>a</key><true/><key>a</key><false/></dict>")) {
            file in
            let run = keyed("inspect", file)
            #expect(run.status == 0)
            #expect(run.errors == "\(file): read with leniency: allDuplicateKeys\n")
        }
        try Files.withFile(Files.xml("<array><true/><bad/></array>")) { file in
            let run = keyed("inspect", file)
            #expect(run.status == 3)
            #expect(!run.errors.contains("leniency"))
        }
    }
}

@Suite("keyed")
struct HelpTests {
    @Test(
        "keyed prints its help and version",
        arguments: [["help"], ["--help"], ["help", "show"], ["--version"]])
    func help(arguments: [String]) throws {
        let run = try keyedProcess(arguments)
        #expect(run.status == 0)
        #expect(run.errors == "")
        #expect(run.output.contains("keyed"))
    }
}
