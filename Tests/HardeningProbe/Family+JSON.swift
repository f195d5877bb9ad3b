// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

extension Family {
    private static func json(
        _ name: String, _ size: Int = 200, limits: ParsingLimits = .default,
        _ text: @escaping @Sendable (Int) -> String
    ) -> Family {
        Family(.json, "JSON, " + name, size, limits: limits, text)
    }

    /// Repeats a piece of text between a prefix and a suffix.
    private static func json(
        _ name: String, _ start: String, _ piece: String, _ end: String, size: Int = 500
    ) -> Family {
        json(name, size) { start + String(repeating: piece, count: $0) + end }
    }

    static let json = [
        json("deep", limits: .trusted) { n in
            String(repeating: "[", count: n) + String(repeating: "]", count: n)
        },
        json("deep and not closed", limits: .trusted) { n in
            String(repeating: "{\"k\":", count: n)
        },
        json("arrays not closed", limits: .trusted) { n in String(repeating: "[", count: n) },
        json("wide", "[0", ",1", "]"),
        json("reals", "[1", ".5,1", "]"),
        json("many keys") { n in
            "{" + (0..<n).map { "\"key \($0)\":1" }.joined(separator: ",") + "}"
        },
        json("one key", "{\"a\":1", ",\"a\":1", "}"),
        json("white space", "[", " ", "]"),
        json("forms", "[{}", ",{\"$dictionary\":{\"$set\":[]}}", "]"),
        json("dates", "[0", ",{\"$date\":\"2001-01-01T00:00:00Z\"}", "]"),
        json("long string", "[\"", "text ", "\"]", size: 5000),
        json("long string of escapes", "[\"", "\\n", "\"]", size: 5000),
        json("long string of surrogates", "[\"", "\\uD83D\\uDE00", "\"]", size: 5000),
        json("long unterminated string", "[\"", "a", "", size: 5000),
        json("long data", "{\"$data\":\"", "AQID", "\"}", size: 5000),
        json("long number", "1", "0", ".5", size: 5000),
    ]
}
