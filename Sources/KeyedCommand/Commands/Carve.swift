// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveImport
import ArgumentParser
import PropertyList
import PropertyListTools

/// The verb `keyed carve`.
struct Carve: ParsableCommand, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find property lists and keyed archives within a file of any kind.",
        discussion: """
            Prints a line for each find with its byte offset, size and kind. Binary property lists \
            are found by their first bytes and their trailer. XML is found from <plist to \
            </plist>; XML in UTF-16 is not found. Typedstreams, NIBArchives and bplist15 to 17 are \
            found by their first bytes. Invalid ones are listed only with --all.

                keyed carve memory.img
                keyed carve app.bin --depth 3 --extract found
                keyed carve app.bin --json --depth 99 | jq 'select(.kind == "date")'
            """)

    // The number of bytes to search between progress reports.
    private static let portion = 1 << 22

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    @Flag(help: "Also find property lists inside the bytes of others.")
    var nested = false

    @Flag(help: "Also list possible property lists that are invalid.")
    var all = false

    @OptionGroup var options: FindOptions

    @OptionGroup var tree: TreeOptions

    var parsingLimits: ParsingLimits { options.limits.limits }

    func execute(_ console: Console) -> ExitStatus {
        do {
            return try carve(console)
        } catch {
            return console.report(error)
        }
    }

    private func carve(_ console: Console) throws(Failure) -> ExitStatus {
        let bytes = try Input.bytes(file, options.limits.limits)
        let provenance = tree.json ? Provenance.of(file, bytes) : [:]
        var printer = FindPrinter(options, tree, console, file: file, size: bytes.count)
        try printer.prepare()
        var progress = Progress("carving \(TerminalText.escaped(file))", console)
        var carver = PropertyListCarver(
            bytes, options: .appleCompatible, limits: options.limits.limits, findsNested: nested)
        let allowed = ParsingLimits.Allowance(factor: 16, base: 1 << 20)
        var totals = Totals(effort: allowed.limit(for: bytes.count))
        while carver.position < bytes.count {
            while let item = carver.next(before: carver.position + Self.portion) {
                try take(item, of: &carver, bytes, &printer, &totals, provenance)
            }
            progress.report("\(carver.position / max(bytes.count / 100, 1)) %")
        }
        sum(totals, console)
        return printer.finish().combined(with: totals.untried > 0 ? .limit : .fine)
    }

    /// The totals of one search, and the remaining work limit for imported formats.
    private struct Totals {
        // The number of bytes that may still be parsed as imported formats.
        var effort: Int
        var finds = 0
        var damaged = 0
        // The number of signatures that were not parsed, because earlier ones had used up the work
        // limit.
        var untried = 0
        var firstUntried = 0

        mutating func add(_ error: PropertyListError, at place: Int) {
            damaged += 1
            guard error.code == .sizeLimitExceeded else { return }
            if untried == 0 { firstUntried = place }
            untried += 1
        }
    }

    private func take(
        _ item: CarvedItem, of carver: inout PropertyListCarver, _ bytes: [UInt8],
        _ printer: inout FindPrinter, _ totals: inout Totals,
        _ provenance: PropertyListDictionary
    ) throws(Failure) {
        let found: NestedPropertyList
        var size = ""
        switch item.content {
        case .propertyList(let document):
            found = .document(document)
            size = "\(item.range.count)"
            try printer.extract(
                Array(bytes[item.range]), named: "\(item.range.lowerBound).plist")
        case .otherFormat(let name):
            switch imported(item, of: bytes, &totals) {
            case .success(let (document, range)):
                found = .document(document)
                size = "\(range.count)"
                if !nested { carver.skip(to: range.upperBound) }
                try printer.extract(
                    Array(bytes[range]), named: "\(range.lowerBound).\(name.lowercased())")
            case .failure(let error):
                found = .damaged(error, format: name)
                totals.add(error, at: item.range.lowerBound)
                if !all { return }
            }
        case .damaged(let format, let error):
            found = .damaged(error, format: "\(format) property list")
            totals.add(error, at: item.range.lowerBound)
            if !all { return }
        }
        if case .damaged = found {} else { totals.finds += 1 }
        let title =
            Self.padded("\(item.range.lowerBound)", 12) + Self.padded(size, 12) + "  "
        try printer.print(
            found, title: title, offset: item.range.lowerBound, provenance: provenance)
    }

    /// Parses the file of an imported format whose signature is at the item's position. Returns its
    /// document and byte range, or the error.
    private func imported(
        _ item: CarvedItem, of bytes: [UInt8], _ totals: inout Totals
    ) -> Result<(PropertyListDocument, Range<Int>), PropertyListError> {
        do {
            let (document, range) = try ImportedArchive.carve(
                bytes, at: item.range.lowerBound, limits: options.limits.limits,
                effort: &totals.effort)
            return .success((document, range))
        } catch {
            return .failure(error)
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }

    private func sum(_ totals: Totals, _ console: Console) {
        let name = TerminalText.escaped(file)
        if totals.finds == 0, !tree.json {
            console.complain(
                "\(name): nothing found"
                    + (totals.untried > 0 ? " in the parts that were tried" : ""))
        }
        if totals.untried > 0 {
            let number = TreeForm.count(totals.untried, "signature was", "signatures were")
            console.complain(
                "\(name): \(number) not tried, the first at byte \(totals.firstUntried): "
                    + "overlapping property lists used up the work limit (cut the file there and "
                    + "carve the rest)"
            )
        }
        if totals.damaged > totals.untried, !all {
            let sentence = TreeForm.count(
                totals.damaged - totals.untried,
                "possible property list is invalid; --all lists it",
                "possible property lists are invalid; --all lists them")
            console.complain("\(name): \(sentence)")
        }
    }
}
