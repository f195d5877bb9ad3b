// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList
import PropertyListTools

/// A value where the tree meets it.
struct TreeLine {
    let level: Int
    let label: Label
    let form: TreeForm
    let node: PropertyListNode
    /// A Boolean value that says whether what stands below is deeper than what is shown.
    let isCut: Bool
}

/// A property list as a whole, at the head of a tree.
struct TreeHeading {
    let document: PropertyListDocument
    let contents: ArchiveContents?

    init(_ document: PropertyListDocument) {
        self.document = document
        contents = document.looksLikeKeyedArchive ? try? ArchiveContents(document) : nil
    }

    /// The kind, the format, and of an archive who wrote it and how many objects it has.
    var text: String {
        let format = document.formatName ?? ""
        if let origin = document.origin {
            return "\(format), " + TreeForm.count(origin.bytes.count, "byte", "bytes")
        }
        guard let contents else { return "\(format) property list" }
        return "keyed archive by \(ValueText.shortened(contents.archiver)), \(format), "
            + TreeForm.count(contents.objects.count, "object", "objects")
    }
}

/// Where in a file a tree stands.
struct TreePlace {
    /// The way to the property list from that of the file: for one that is nested in data.
    var prefix: [PropertyListKeyPath.Step] = []
    /// The byte of the file at which the property list begins; nil for one that is not there as it is,
    /// but in base 64.
    var offset: Int? = 0
    /// The level of its root.
    var level = 0
    /// The number of property lists that the tree is nested in.
    var nesting = 0

    /// The size of the keys in the prefix, in bytes.
    var prefixSize: Int {
        prefix.reduce(0) { size, step in
            switch step {
            case .key(let key), .name(let key): size + key.utf8.count
            case .index, .object, .content: size
            }
        }
    }
}

/// A style of trees: lines for people, or for programs.
protocol TreeStyle {
    /// The line for a whole property list, if it has one.
    func heading(_ heading: TreeHeading, _ place: TreePlace) -> String?

    /// The line for a value.
    ///
    /// `path` makes the text of the key path of the value from the root of the file.
    ///
    /// - Throws: what `path` does.
    func text(
        of line: TreeLine, _ place: TreePlace,
        path: () throws(PropertyListError) -> String
    ) throws(PropertyListError) -> String
}

/// Lines for people: indented, and in colours where they are asked for.
struct TextStyle: TreeStyle {
    /// Deeper lines are not indented further.
    private static let deepestIndent = 32

    let palette: Palette
    let values: ValueText
    /// A Boolean value that says whether each line ends with the number and the byte offset of the
    /// value.
    var showsPlaces = false

    func heading(_ heading: TreeHeading, _ place: TreePlace) -> String? {
        place.prefix.isEmpty ? heading.text : nil
    }

    func text(
        of line: TreeLine, _ place: TreePlace,
        path: () throws(PropertyListError) -> String
    ) -> String {
        indent(line.level) + palette.label(line.label.text(values))
            + palette.summary(line.form) + (line.isCut ? " …" : "") + source(of: line.node)
    }

    private func indent(_ depth: Int) -> String {
        guard depth > Self.deepestIndent else { return String(repeating: "  ", count: depth) }
        return String(repeating: "  ", count: Self.deepestIndent) + "(\(depth)) "
    }

    private func source(of node: PropertyListNode) -> String {
        guard showsPlaces, let offset = node.sourceOffset else { return "" }
        return "  [#\(node.number) at \(offset)]"
    }
}

/// The colours of a terminal, or none.
struct Palette {
    let isOn: Bool

    static let plain = Palette(isOn: false)

    /// A label before a value: cyan.
    func label(_ text: String) -> String { painted(text, "36") }

    /// A value by its role: objects bold, references faint, problems red.
    func summary(_ form: TreeForm) -> String {
        switch form.role {
        case .object: painted(form.summary, "1")
        case .reference, .null: painted(form.summary, "2")
        case .problem: painted(form.summary, "31")
        case .value, .container: form.summary
        }
    }

    /// Removed text: red.
    func removed(_ text: String) -> String { painted(text, "31") }

    /// Added text: green.
    func added(_ text: String) -> String { painted(text, "32") }

    /// A title between parts: bold.
    func title(_ text: String) -> String { painted(text, "1") }

    private func painted(_ text: String, _ code: String) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
