// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList
import PropertyListTools

/// A line of the tree: a value with its position and form.
struct TreeLine {
    let level: Int
    let label: Label
    let form: TreeForm
    let node: PropertyListNode
    /// A Boolean value that says whether the children are beyond the shown depth.
    let isCut: Bool
}

/// The heading of a tree, which describes a whole property list.
struct TreeHeading {
    let document: PropertyListDocument
    let contents: ArchiveContents?

    init(_ document: PropertyListDocument) {
        self.document = document
        contents = document.looksLikeKeyedArchive ? try? ArchiveContents(document) : nil
    }

    /// The kind of the file: `property list`, `keyed archive`, or the format of an imported file.
    var kind: String {
        document.origin?.format ?? (contents == nil ? "property list" : "keyed archive")
    }

    /// The kind and the format; for a keyed archive, also the archiver and the number of objects.
    /// For an imported file, the format and the size.
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

/// The position of a tree in a file.
struct TreePlace {
    /// The path from the file's property list to this one; empty for the file's own.
    var prefix: [PropertyListKeyPath.Step] = []
    /// The byte offset of the property list in the file; nil if the file contains it only in
    /// encoded form, such as base64.
    var offset: Int? = 0
    /// The level of the root of the tree.
    var level = 0
    /// The number of property lists around this one.
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

/// A style of tree output: lines for people or for programs.
protocol TreeStyle {
    /// Returns the line for a whole property list, or nil if the style has none.
    func heading(_ heading: TreeHeading, _ place: TreePlace) -> String?

    /// Returns the line for a value.
    ///
    /// `path` returns the text of the value's key path from the root of the file.
    ///
    /// - Throws: The errors of `path`.
    func text(
        of line: TreeLine, _ place: TreePlace,
        path: () throws(PropertyListError) -> String
    ) throws(PropertyListError) -> String
}

/// A style for people: indented lines, in color if requested.
struct TextStyle: TreeStyle {
    /// The maximum depth of indentation.
    private static let deepestIndent = 32

    let palette: Palette
    let values: ValueText
    /// A Boolean value that says whether each line ends with the number and byte offset of the
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

/// The colors of a terminal, or none.
struct Palette {
    let isOn: Bool

    static let plain = Palette(isOn: false)

    /// Returns a label before a value, in cyan.
    func label(_ text: String) -> String { painted(text, "36") }

    /// Returns a value colored by its role: objects bold, references faint, problems red.
    func summary(_ form: TreeForm) -> String {
        switch form.role {
        case .object: painted(form.summary, "1")
        case .reference, .null: painted(form.summary, "2")
        case .problem: painted(form.summary, "31")
        case .value, .container: form.summary
        }
    }

    /// Returns removed text, in red.
    func removed(_ text: String) -> String { painted(text, "31") }

    /// Returns added text, in green.
    func added(_ text: String) -> String { painted(text, "32") }

    /// Returns a title, in bold.
    func title(_ text: String) -> String { painted(text, "1") }

    private func painted(_ text: String, _ code: String) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
