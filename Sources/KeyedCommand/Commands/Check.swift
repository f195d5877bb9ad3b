// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeyedArchive
import PropertyList

/// The verb `keyed check`.
struct Check: CommandOnFiles, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check that a keyed archive contains only objects of allowed classes.",
        discussion: """
            A class matches by its exact name, by the mangled or readable form of that name \
            (_TtC3App4Save, App.Save), or by a fallback name that the archive lists for it. \
            Allowing a class allows none of its subclasses. Each disallowed object is printed with \
            its path from the roots, and the exit code is 1.

                keyed check item.plist --allow commonClasses,NSArray,App.Save
            """)

    @Argument(help: "The files, or - for standard input.", completion: .file())
    var files: [String]

    @Option(help: AllowList.help)
    var allow: AllowList

    @Flag(name: [.short, .long], help: "Print nothing about valid files.")
    var quiet = false

    @OptionGroup var reading: ReadingOptions

    var parsingLimits: ParsingLimits { reading.limits.limits }

    func execute(_ console: Console) -> ExitStatus {
        console.forEachFile(files, "checking files") { file throws(Failure) in
            try check(file, console)
        }
    }

    private func check(_ file: String, _ console: Console) throws(Failure) -> ExitStatus {
        let input = try Input(
            file, options: reading.options, limits: reading.limits.limits,
            text: reading.text, console)
        let disallowed: [DisallowedObject]
        do {
            disallowed = try ArchiveContents(input.document)
                .objects(notAllowedBy: allow.registry, limits: reading.limits.limits)
        } catch {
            throw Failure(error, in: input.name)
        }
        do {
            for object in disallowed {
                try console.print("\(input.printableName): \(Self.description(of: object))")
            }
        } catch {
            throw Failure(error, in: file, source: nil)
        }
        if disallowed.isEmpty, !quiet { console.say("\(input.printableName): OK") }
        return disallowed.isEmpty ? .fine : .invalid
    }

    private static func description(of found: DisallowedObject) -> String {
        let path = found.pathDescription
        let name = ValueText.shortened(found.archivedClass.name)
        let place = path == nil ? ", unreachable from the roots" : ""
        return
            "\(path.map { "\($0): " } ?? "")\(name) is not allowed (object \(found.object.value)\(place))"
    }
}
