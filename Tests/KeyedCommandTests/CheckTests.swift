// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KeyedCommand

@Suite("keyed check, and show --allow")
struct CheckTests {
    private let save = Files.archive("save")

    @Test("accepts an archive of allowed classes")
    func fine() {
        let run = keyed("check", save, "--allow", "foundation,App.Save")
        #expect(run.status == 0 && run.output == "\(save): OK\n")
        #expect(keyed("check", "--quiet", save, "--allow", "foundation,App.Save").output == "")
    }

    @Test("prints the paths to classes that are not allowed, and exits with 1")
    func refused() {
        let run = keyed("check", save, "--allow", "commonClasses,NSArray")
        #expect(run.status == 1)
        #expect(
            run.lines.map { $0.replacing("\(save): ", with: "") } == [
                "root[0]: App.Save is not allowed (object 2)",
                "root[1]: App.Save is not allowed (object 7)",
                "extras: NSDictionary is not allowed (object 12)",
                #"extras["session"]: NSUUID is not allowed (object 16)"#,
                #"extras["site"]: NSURL is not allowed (object 19)"#,
            ])
        let presets = "commonClasses,identifierClasses,NSArray,NSDictionary,App.Save"
        #expect(keyed("check", save, "--allow", presets).status == 0)
        let leaves = keyed("check", save, "--allow", "App.Save")
        #expect(leaves.output.contains("NSString is not allowed"))
    }

    @Test("reports unreachable objects and files that are not archives, and follows class hints")
    func others() {
        let unreached = keyed("check", Files.archive("unreached"), "--allow", "NSNull,NSString")
        #expect(unreached.status == 1)
        #expect(
            unreached.output == "\(Files.archive("unreached")): App.Node is not allowed (object 2, "
                + "unreachable from the roots)\n")
        // The class of the root names `NSLayoutConstraint` as a fallback.
        let hints = Files.archive("hints")
        let allowed = keyed("check", hints, "--allow", "NSLayoutConstraint,renamed.Component")
        #expect(allowed.status == 0 && allowed.output == "\(hints): OK\n")
        #expect(keyed("check", hints, "--allow", "foundation,renamed.Component").status == 1)
        let none = keyed("check", Files.archive("not-archives/no-top"), "--allow", "foundation")
        #expect(none.status == 1)
        #expect(
            none.errors.hasSuffix(
                "this is not a keyed archive: `$top` is of kind array, not a dictionary "
                    + "(keyed show prints it as a property list)\n"))
    }

    @Test("the advice for a version that is not supported names a verb, and no Swift API")
    func otherVersion() {
        let file = Files.archive("not-archives/version-99999")
        let problem = "\(file): keyed archive: expected version 100000, found "
        for verb in [["lint"], ["classes"], ["check", "--allow", "foundation"]] {
            let run = keyed(list: verb + [file])
            #expect(run.status == 1 && run.errors.hasPrefix(problem), "\(verb): \(run.errors)")
            #expect(run.errors.hasSuffix(" (keyed show prints it as a property list)\n"))
        }
        let shown = keyed("show", file)
        #expect(shown.status == 3 && shown.errors.hasPrefix(problem))
        #expect(
            !shown.errors.contains("update the library") && !shown.errors.contains("keyed show"))
    }

    @Test("requires a well-formed allow-list")
    func usage() {
        #expect(keyed("check", save).status == 2)
        #expect(keyed("check", save, "--allow", "").status == 2)
        #expect(keyed("check", save, "--allow", "a,,b").status == 2)
        #expect(keyed("show", save, "--raw", "--allow", "foundation").status == 2)
    }

    @Test("show --allow prints allowed objects, names the other classes, and exits with 3")
    func show() {
        let run = keyed("show", save, "--allow", "foundation")
        #expect(run.status == 3)
        #expect(run.output.contains("[0] <App.Save is not allowed>"))
        #expect(!run.output.contains("Anna"))
        #expect(run.errors.contains("object 2 is of class App.Save, which is not allowed"))
        let all = keyed("show", save, "--allow", "foundation,App.Save")
        #expect(all.status == 0 && all.output == keyed("show", save).output)
        #expect(
            keyed("show", save, "--allow", "App.Save,NSArray").output.contains("<NSString is not"))
    }

    @Test("each verb exits with 4 if the class descriptions of an archive exceed a limit")
    func manyDescriptions() throws {
        let count = UInt64(2000)
        let common: [BinaryAssembler.Object] = [
            .dictionary([1, 2, 3, 4], [5, 6, 7, 8]), .ascii("$archiver"), .ascii("$version"),
            .ascii("$top"), .ascii("$objects"), .ascii("NSKeyedArchiver"),
            .integer(100_000, width: 4), .dictionary([9], [10]),
            .array([11] + (17 + count..<17 + 2 * count) + (17 + 3 * count..<17 + 4 * count)),
            .ascii("root"), .uid(1), .ascii("$null"), .ascii("$class"), .ascii("$classname"),
            .ascii("$classes"), .ascii("C"), .array((0..<count).map { _ in 15 }),
        ]
        // Objects, each with a class of its own. The classes share one array of names.
        let numbers = 0..<count
        let references = numbers.map { BinaryAssembler.Object.uid(count + 1 + $0, width: 2) }
        let objects = numbers.map { BinaryAssembler.Object.dictionary([12], [17 + $0]) }
        let names = numbers.map { BinaryAssembler.Object.ascii("D\($0)") }
        let classes = numbers.map { number in
            BinaryAssembler.Object.dictionary([13, 14], [17 + 2 * count + number, 16])
        }
        let file = BinaryAssembler(
            common + references + objects + names + classes, offsetWidth: 4, referenceWidth: 2)
        try Files.withFile(file.bytes) { file in
            for verb in [["check", "--allow", "foundation"], ["lint"], ["classes"]] {
                let run = keyed(list: verb + ["--limits", "untrusted", file])
                #expect(run.status == 4, "\(verb): \(run.errors)")
            }
        }
    }
}
