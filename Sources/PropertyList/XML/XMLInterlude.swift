// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The text allowed between the tags of containers: white space, comments and processing
/// instructions. A document type declaration is also allowed before the root.
///
/// Three kinds of well-formed comments are refused, because parsers disagree about their end:
/// `<!---->`, and comments whose text begins with `>` or `->`.
enum XMLInterlude {
    /// The reason for an error, and its offset.
    struct Failure: Error {
        let code: PropertyListError.Code
        let what: String
        let offset: Int
    }

    /// Checks the text in `range`. Linear.
    static func check(
        _ text: Span<UInt8>, _ range: Range<Int>, isProlog: Bool = false
    ) throws(Failure) {
        var index = range.lowerBound
        if isProlog, text.has("\u{FEFF}", at: index) { index &+= 3 }
        while index < range.upperBound {
            if isXMLWhitespace(text[index]) {
                index &+= 1
            } else {
                index = try skipMarkup(text, at: index, isProlog)
            }
        }
    }

    private static func skipMarkup(
        _ text: Span<UInt8>, at index: Int, _ isProlog: Bool
    ) throws(Failure) -> Int {
        if text.has("<!--", at: index) {
            try checkComment(text, at: index)
        } else if !text.has("<?", at: index), !(isProlog && text.has("<!DOCTYPE", at: index)) {
            throw Failure(
                code: .unexpectedElement, what: "expected an element, found text", offset: index)
        }
        return XMLStructure.end(ofMarkupAt: index, text)
    }

    private static func checkComment(_ text: Span<UInt8>, at index: Int) throws(Failure) {
        if text.has(">", at: index &+ 4) || text.has("->", at: index &+ 4)
            || text.has("-->", at: index &+ 4)
        {
            throw Failure(
                code: .malformedXML, what: "a comment is ambiguous: parsers disagree about its end",
                offset: index)
        }
    }
}
