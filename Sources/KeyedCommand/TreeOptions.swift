// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList
import SystemFiles

extension Palette {
    /// The help of the option that turns colors on or off.
    static let help = ArgumentHelp(
        "Turn colors on or off. By default they are on for terminals, unless NO_COLOR is set.")

    /// Creates the palette for the option that turns colors on or off.
    init(option: Bool?, _ console: Console) {
        self.init(isOn: option ?? (console.isTerminal && Self.isWanted))
    }

    private static var isWanted: Bool {
        (Environment["NO_COLOR"] ?? "").isEmpty && Environment["TERM"] != "dumb"
    }
}

/// The options for printing trees.
struct TreeOptions: ParsableArguments {
    @Flag(help: "Show long strings and data in full.")
    var full = false

    @Flag(
        help: ArgumentHelp(
            "Print each value as a JSON object on a line of its own, with its key path, object "
                + "number, byte offset, file and hash."))
    var json = false

    @Flag(inversion: .prefixedNo, exclusivity: .chooseLast, help: Palette.help)
    var color: Bool?

    /// Returns the style of the output. `provenance` returns the origin of all values, and is
    /// called only if the style prints it.
    func style(
        _ console: Console, isRaw: Bool = false, provenance: () -> PropertyListDictionary
    ) -> any TreeStyle {
        if json { return JSONStyle(provenance: provenance()) }
        return TextStyle(palette: Palette(option: color, console), values: text, showsPlaces: isRaw)
    }

    var text: ValueText { ValueText(previewLength: full ? nil : ValueText.usualPreview) }
}
