// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList

/// The values of a file in the page's format: columns, documented in `Page/data.js`.
///
/// Each value is one entry, however many references it has. The size of the page therefore grows
/// with the file and not with the expanded tree.
struct ExplorerTable {
    /// A property list: the file's own or one in data.
    struct Document {
        var format: String
        var space = 0
        /// The position of the source in its space.
        var base = 0
        var size: Int
        var first: Int
        var count: Int
        var root: Int
        /// The data that contains the property list; nil for the property list of the file.
        var holder: Int?
        var leniencies: [String] = []
        var problems: [String] = []
        var facts: [(name: String, text: String)] = []
        var table: Trailer?
        var archive: Archive?
    }

    /// The facts about a keyed archive beyond its property list.
    struct Archive {
        var archiver: String
        var top: Int
        var objects: Int
        /// The entry kind of each object, as a letter.
        var entries: [UInt8] = []
        var classes: [Int] = []
        var flaws: [(object: Int, text: String)] = []
        var allowedNames: [String] = []
        var allowList: [String] = []
    }

    var documents: [Document] = []
    var classes: [ArchivedClass] = []
    var kinds: [UInt8] = []
    var starts: [Int] = []
    var lengths: [Int] = []
    var values: [Int] = []
    var counts: [Int] = []
    var children: [Int] = []
    private(set) var texts: [String] = []
    private var textNumbers: [ExactText: Int] = [:]

    var count: Int { kinds.count }

    /// Returns the index of a text, and adds the text unless the table already contains it.
    mutating func number(of text: String) -> Int {
        let exact = ExactText(text)
        if let known = textNumbers[exact] { return known }
        textNumbers[exact] = texts.count
        texts.append(text)
        return texts.count - 1
    }

    mutating func append(_ kind: PropertyListKind, _ range: Range<Int>) {
        kinds.append(Self.letter(kind))
        starts.append(range.lowerBound)
        lengths.append(range.count)
        values.append(0)
        counts.append(0)
    }

    /// Returns the letter that stands for a kind in the page's data.
    private static func letter(_ kind: PropertyListKind) -> UInt8 {
        switch kind {
        case .null: UInt8(ascii: "n")
        case .boolean: UInt8(ascii: "b")
        case .integer: UInt8(ascii: "i")
        case .real: UInt8(ascii: "r")
        case .date: UInt8(ascii: "t")
        case .data: UInt8(ascii: "d")
        case .string: UInt8(ascii: "s")
        case .uid: UInt8(ascii: "u")
        case .array: UInt8(ascii: "a")
        case .set: UInt8(ascii: "e")
        case .dictionary: UInt8(ascii: "o")
        case .unreadable: UInt8(ascii: "x")
        }
    }
}

// MARK: - JSON

extension ExplorerTable {
    /// Appends the part of the page's data that describes values.
    func write(to json: inout PageText) {
        json.key("documents")
        json.array(documents) { json, document in
            json.object { Self.write(document, to: &$0) }
        }
        json.key("classes")
        json.array(classes) { json, found in
            json.object { json in
                json.key("name")
                json.string(found.name)
                json.key("chain")
                Self.write(found.chain, to: &json)
                json.key("hints")
                Self.write(found.hints, to: &json)
            }
        }
        json.key("texts")
        json.strings(texts)
        json.key("children")
        json.numbers(children)
        json.key("nodes")
        json.object { json in
            json.key("kinds")
            json.string(String(decoding: kinds, as: UTF8.self))
            json.key("starts")
            json.numbers(starts)
            json.key("lengths")
            json.numbers(lengths)
            json.key("values")
            json.numbers(values)
            json.key("counts")
            json.numbers(counts)
        }
    }

    private static func write(_ names: [String]?, to json: inout PageText) {
        if let names { json.strings(names) } else { json.word("null") }
    }

    private static func write(_ document: Document, to json: inout PageText) {
        json.key("format")
        json.string(document.format)
        let numbers: [(StaticString, Int)] = [
            ("space", document.space), ("base", document.base), ("size", document.size),
            ("first", document.first), ("count", document.count), ("root", document.root),
            ("holder", document.holder ?? -1),
        ]
        for (key, number) in numbers {
            json.key(key)
            json.number(number)
        }
        json.key("leniencies")
        json.strings(document.leniencies)
        json.key("problems")
        json.strings(document.problems)
        json.key("facts")
        json.array(document.facts) { $0.strings([$1.name, $1.text]) }
        json.key("table")
        write(document.table, to: &json)
        json.key("archive")
        guard let archive = document.archive else { return json.word("null") }
        json.object { write(archive, to: &$0) }
    }

    private static func write(_ trailer: Trailer?, to json: inout PageText) {
        guard let trailer else { return json.word("null") }
        let numbers: [(StaticString, Int)] = [
            ("at", trailer.tableOffset), ("width", trailer.offsetWidth),
            ("count", trailer.objectCount), ("references", trailer.referenceWidth),
        ]
        json.object { json in
            for (key, number) in numbers {
                json.key(key)
                json.number(number)
            }
        }
    }

    private static func write(_ archive: Archive, to json: inout PageText) {
        json.key("archiver")
        json.string(archive.archiver)
        json.key("top")
        json.number(archive.top)
        json.key("objects")
        json.number(archive.objects)
        json.key("entries")
        json.string(String(decoding: archive.entries, as: UTF8.self))
        json.key("classes")
        json.numbers(archive.classes)
        json.key("flaws")
        json.open(UInt8(ascii: "{"))
        for flaw in archive.flaws {
            json.string("\(flaw.object)")
            json.colon()
            json.string(flaw.text)
        }
        json.close(UInt8(ascii: "}"))
        json.key("allow")
        json.object { json in
            json.key("names")
            json.strings(archive.allowedNames)
            json.key("code")
            json.strings(archive.allowList)
        }
    }
}
