// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools

extension Family {
    private static func openStep(
        _ name: String, _ size: Int = 200, limits: ParsingLimits = .default,
        _ text: @escaping @Sendable (Int) -> String
    ) -> Family {
        Family(.openStep, "OpenStep, " + name, size, limits: limits, text)
    }

    /// Repeats a piece of text between a prefix and a suffix.
    private static func openStep(
        _ name: String, _ start: String, _ piece: String, _ end: String, size: Int = 500
    ) -> Family {
        openStep(name, size) { start + String(repeating: piece, count: $0) + end }
    }

    static let openStep =
        [
            openStep("deep", limits: .trusted) { n in
                String(repeating: "(", count: n) + String(repeating: ")", count: n)
            },
            openStep("deep and not closed", limits: .trusted) { n in
                String(repeating: "{k = ", count: n)
            },
            openStep("arrays not closed", limits: .trusted) { n in
                String(repeating: "(", count: n)
            },
            openStep("wide", "(", "a,", ")"),
            openStep("many keys") { n in "{" + (0..<n).map { "key\($0) = b;" }.joined() + "}" },
            openStep("one key, no braces", "", "a = b;", ""),
            openStep("one key in quotes", "{", "\"a\\n\" = b;", "}"),
            openStep("comments", "(", "/* */", ")"),
            openStep("line comments", "(", "//\n", ")"),
            openStep("long comment", "/*", "*", "/"),
            openStep("quotes", "(", "\"", ")"),
            openStep("long string", "\"", "text\n", "\"", size: 5000),
            openStep("long string of quotes", "\"", "\\\"", "\"", size: 5000),
            openStep("long string of code units", "\"", "\\U0041", "\"", size: 5000),
            openStep("long data", "<", "00", ">", size: 5000),
            openStep("data of white space", "<", " ", ">", size: 5000),
            openStep("long integer", "<*I", "5", ">", size: 5000),
            openStep("unterminated typed values", "(", "<*", ")"),
            openStep("unterminated base 64", "(", "<[", ")"),
            openStep("separators of another container", "{a = (", "{};", ")"),
            Family("OpenStep, UTF-16", 1000) { n in
                let text = "(" + String(repeating: "\"漢a\",", count: n) + ")"
                return Input(
                    bytes: [0xFE, 0xFF]
                        + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] },
                    format: .openStep)
            },
        ] + projects

    private static let projects = [
        openStep("project") { n in
            let files = (0..<n).map {
                "F\($0) = {isa = PBXBuildFile; fileRef = R\($0);};"
                    + "R\($0) = {isa = PBXFileReference; path = a.m;};"
            }
            return "// !$*UTF8*$!\n{objects = {" + files.joined() + "};}"
        },
        Family("OpenStep, project with new classes", 100) { n in
            let objects = (0..<n).map { "A\($0) = {isa = C\($0);};" }.joined(separator: "\n")
            let text = "// !$*UTF8*$!\n{objects = {\n/* Begin C0 section */\n\(objects)\n};}\n"
            let edits = (0..<n).map { number in
                PropertyListEdit(
                    PropertyListKeyPath([.key("objects"), .key("B\(number)")]),
                    .set(["isa": .string("D\(number)")]))
            }
            return Input(bytes: Array(text.utf8), options: .strict, edits: edits)
        },
    ]
}
