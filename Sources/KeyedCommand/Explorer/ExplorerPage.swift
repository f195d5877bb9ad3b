// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList

/// A page that shows a file. The page is one HTML file that contains its code, style and data, so
/// it needs no network access.
///
/// The content security policy of the page allows only its own script and style, by their hashes,
/// and embedded images. The data is in a JSON element, which a browser does not execute.
struct ExplorerPage {
    /// The scripts in order. Each may use the ones before it.
    private static let scripts = [
        PackageResources.data_js, PackageResources.dom_js, PackageResources.shapes_js,
        PackageResources.rows_js, PackageResources.tree_js, PackageResources.inspector_js,
        PackageResources.hex_js, PackageResources.search_js, PackageResources.charts_js,
        PackageResources.graph_js, PackageResources.looks_js, PackageResources.report_js,
        PackageResources.app_js,
    ]

    let name: String
    let size: Int
    let hash: String
    let limits: LimitsName
    let isRedacted: Bool
    let collector: ExplorerCollector
    let bounds: ExplorerBounds

    /// Descriptions of contents omitted from the page.
    var omissions: [String] {
        // A redacted page contains no decoded bytes, whatever their number.
        let decodedSize = isRedacted ? 0 : collector.decoded.count
        let blocks = [("of the file", size), ("decoded from the file", decodedSize)]
        let truncated = blocks.filter { $0.1 > bounds.bytes }
        return collector.omissions
            + truncated.map { "the bytes \($0.0) after the first \(bounds.bytes) of \($0.1)" }
    }

    /// Returns the bytes of the page. Linear.
    func html() -> [UInt8] {
        let script = Array(Self.scripts.joined())
        let style = PackageResources.style_css
        var data = PageText()
        data.object { write(to: &$0) }
        return Self.filled(
            PackageResources.page_html,
            [
                ("POLICY", Array(Self.policy(script: script, style: style).utf8)),
                ("TITLE", Array(PageText.html(name).utf8)), ("STYLE", style),
                ("DATA", data.bytes), ("SCRIPT", script),
            ])
    }

    /// Returns the content security policy of a page with this script and style.
    static func policy(script: [UInt8]?, style: [UInt8]) -> String {
        let scripts = script.map { "script-src \(source($0)); " } ?? ""
        return "default-src 'none'; \(scripts)style-src \(source(style)); img-src data:; "
            + "base-uri 'none'; form-action 'none'"
    }

    /// Returns the source expression that allows an element with this text.
    private static func source(_ text: [UInt8]) -> String {
        var hash: [UInt8] = []
        Base64.append(SHA256.hash(of: text).span, to: &hash)
        return "'sha256-\(String(decoding: hash, as: UTF8.self))'"
    }

    /// Returns a template with its placeholders replaced. A placeholder is a name between two `@`.
    /// Templates have no other `@`.
    static func filled(_ template: [UInt8], _ parts: [(name: String, bytes: [UInt8])]) -> [UInt8] {
        var page: [UInt8] = []
        let pieces = template.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        for (index, piece) in pieces.enumerated() {
            let part = index % 2 == 0 ? nil : parts.first { $0.name.utf8.elementsEqual(piece) }
            page += part?.bytes ?? Array(piece)
        }
        return page
    }

    // MARK: Data

    private func write(to json: inout PageText) {
        json.key("version")
        json.number(1)
        json.key("command")
        json.string(Keyed.configuration.version)
        json.key("file")
        json.object { json in
            json.key("name")
            json.string(name)
            json.key("size")
            json.number(size)
            json.key("sha256")
            json.string(hash)
        }
        json.key("limits")
        json.string(limits.rawValue)
        json.key("redacted")
        if isRedacted { json.word("true") } else { json.word("false") }
        json.key("left")
        json.strings(omissions)
        json.key("spaces")
        json.open(UInt8(ascii: "["))
        writeSpace("the file", size, collector.shownBytes.bytes, &json)
        if !collector.decoded.isEmpty {
            let bytes = isRedacted ? nil : collector.decoded
            writeSpace("decoded from the file", collector.decoded.count, bytes, &json)
        }
        json.close(UInt8(ascii: "]"))
        collector.table.write(to: &json)
    }

    private func writeSpace(
        _ name: String, _ size: Int, _ bytes: [UInt8]?, _ json: inout PageText
    ) {
        json.object { json in
            json.key("name")
            json.string(name)
            json.key("size")
            json.number(size)
            json.key("base64")
            if let bytes {
                json.base64(Array(bytes.prefix(bounds.bytes)))
            } else {
                json.word("null")
            }
        }
    }
}
