// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// The index page, which lists the pages of many files.
struct ExplorerIndex {
    /// A file and its page.
    struct Entry {
        let file: String
        /// The name of the page; nil if the file could not be read.
        var page: String?
        var kind = ""
        var size = 0
        var objects = 0
        var classes = 0
        var hash = ""
        var remark = ""
    }

    private(set) var entries: [Entry] = []

    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Returns the name of the page of a file: the number of the file, and at most 80 bytes of its
    /// name, with `-` for all bytes except ASCII letters, digits, `.` and `_`.
    static func pageName(of file: String, _ number: Int) -> String {
        let digits = String(number)
        let letters = file.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"):
                byte
            default: UInt8(ascii: "-")
            }
        }
        return String(repeating: "0", count: max(4 - digits.count, 0)) + digits + "-"
            + String(decoding: letters.prefix(80), as: UTF8.self) + ".html"
    }

    /// Returns the bytes of the page. Linear.
    func html() -> [UInt8] {
        let style = PackageResources.index_css
        let rows = entries.map(row).joined(separator: "\n")
        return ExplorerPage.filled(
            PackageResources.index_html,
            [
                ("POLICY", Array(ExplorerPage.policy(script: nil, style: style).utf8)),
                ("STYLE", style), ("COUNT", Array("\(entries.count)".utf8)),
                ("ROWS", Array(rows.utf8)),
            ])
    }

    private func row(_ entry: Entry) -> String {
        let name = PageText.html(entry.file)
        let shown = "<bdi>\(name)</bdi>"
        let link = entry.page.map { "<a href=\"\($0)\">\(shown)</a>" } ?? shown
        let cells = [
            PageText.html(entry.kind), "\(entry.size)", "\(entry.objects)", "\(entry.classes)",
            PageText.html(entry.remark), "<code>\(entry.hash)</code>",
        ]
        return "<tr><th scope=\"row\">\(link)</th>"
            + cells.map { "<td>\($0)</td>" }.joined() + "</tr>"
    }
}
