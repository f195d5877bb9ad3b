// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import Testing

@Suite("keyed lint")
struct LintTests {
    @Test("names each file with its verdict, and exits with the worst")
    func verdicts() throws {
        let good = Files.archive("save")
        let bad = Files.archive("malformed/dangling-reference")
        let run = keyed("lint", good, bad)
        #expect(run.status == 1)
        #expect(run.output == "\(good): OK\n")
        #expect(run.errors.hasPrefix("\(bad): keyed archive: a reference to object 99"))
        #expect(run.errors.hasSuffix("in $objects[1].NS.objects[1]\n"))
        #expect(keyed("lint", "--quiet", good).output == "")
    }

    @Test("names the leniencies that a file needs, and refuses them with --strict")
    func leniencies() throws {
        let body = "<dict><key>a</key><true/><key>a</key><false/></dict>"
        try Files.withFile(Files.xml(body)) { file in
            let run = keyed("lint", file)
            #expect(run.status == 0)
            #expect(run.output == "\(file): OK, with leniency: duplicateKeys\n")
            let strict = keyed("lint", "--strict", file)
            #expect(strict.status == 1)
            #expect(strict.errors.contains("the key `a` occurs twice in a dictionary at line 1"))
            #expect(strict.errors.contains("(--lenient lets it pass)"))
        }
    }

    @Test("points at the place in a text, with a caret")
    func excerpt() throws {
        try Files.withFile(Files.xml("\n<array>\n\t<integer>1x</integer>\n</array>\n")) { file in
            let run = keyed("lint", file)
            #expect(run.status == 1)
            #expect(
                run.errors == """
                    \(file): XML property list: the text of an integer is not one at line 3, \
                    column 2, in [0]
                         <integer>1x</integer>
                         ^

                    """)
        }
    }
}

@Suite("keyed classes")
struct ClassesTests {
    @Test("lists the classes, the most frequent first, and the allow-list as Swift")
    func list() {
        let run = keyed("classes", Files.archive("hints"))
        #expect(run.status == 0)
        #expect(
            run.output == """
                1  NSIBPrototypingLayoutConstraint : NSLayoutConstraint : NSObject  (hints: \
                NSLayoutConstraint)
                1  renamed.Component

                let allowedClasses: Set<String> = [
                    "NSIBPrototypingLayoutConstraint",
                    "renamed.Component",
                ]

                """)
    }

    @Test("counts what it can of a malformed archive, and refuses what is none")
    func malformed() {
        #expect(keyed("classes", Files.archive("malformed/no-class")).status == 3)
        let run = keyed("classes", Files.archive("not-archives/no-top"))
        #expect(run.status == 1)
        #expect(run.errors.contains("this is not a keyed archive: `$top` is of kind array"))
    }
}

@Suite("keyed inspect")
struct InspectTests {
    @Test("prints the trailer and the objects of a binary file, unused ones marked")
    func binary() throws {
        // [true], and an unused false.
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

@Suite("keyed")
struct HelpTests {
    @Test("explains itself", arguments: [["help"], ["--help"], ["help", "show"], ["--version"]])
    func help(arguments: [String]) throws {
        let run = try keyedProcess(arguments)
        #expect(run.status == 0)
        #expect(run.errors == "")
        #expect(run.output.contains("keyed"))
    }
}
