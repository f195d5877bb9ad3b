// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The text of a key path in the dotted notation. Steps can be appended and removed again.
package struct KeyPathText {
    // The text as UTF-8.
    private var bytes: [UInt8] = []
    // The length of the text before each removable step.
    private var lengths: [Int] = []
    private var needsDot = false
    private let quotesBlanks: Bool

    /// Creates the text of a path. Its steps cannot be removed.
    ///
    /// `quotesBlanks` says whether keys with spaces are quoted, so that spaces occur only within
    /// quotes.
    package init(_ path: PropertyListKeyPath = PropertyListKeyPath(), quotesBlanks: Bool = false) {
        self.quotesBlanks = quotesBlanks
        for step in path.steps { write(step) }
    }

    /// The text. Linear.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Appends a step. Linear in the length of the step's key.
    package mutating func append(_ step: PropertyListKeyPath.Step) {
        lengths.append(bytes.count)
        write(step)
    }

    /// Appends a step without text, such as that of the root. ``removeLast()`` removes it as well.
    package mutating func appendEmptyStep() { lengths.append(bytes.count) }

    /// Removes the last appended step.
    package mutating func removeLast() {
        guard let length = lengths.popLast() else { return }
        bytes.removeLast(bytes.count &- length)
        needsDot = bytes.last.map { $0 != UInt8(ascii: "!") } ?? false
    }

    private mutating func write(_ step: PropertyListKeyPath.Step) {
        switch step {
        case .index(let index): append("[\(index)]")
        case .content: append("!")
        case .object(let number): append("@\(number)")
        case .key(let key): append((needsDot ? "." : "") + written(key, isKey: true))
        case .name(let name): append((needsDot ? "." : "") + written(name, isKey: false))
        }
        if case .content = step { needsDot = false } else { needsDot = true }
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Returns a name, quoted if it would otherwise be parsed as something else.
    private func written(_ name: String, isKey: Bool) -> String {
        if quotesBlanks, name.utf8.contains(0x20) { return KeyText.quoted(name) }
        return isKey ? KeyText.step(name) : KeyText.name(name)
    }
}
