// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A writer of JSON for scalars other than strings.
package struct JSONScalarWriter {
    let options: JSONPropertyList.Options

    /// Creates a writer with the given options.
    package init(options: JSONPropertyList.Options) { self.options = options }

    // Integers up to this value are exact in programs that treat all numbers as `Double`.
    private static let safeInteger: UInt64 = 1 << 53

    /// Appends the value of a node.
    ///
    /// - Throws: `unrepresentableValue`.
    package func append(
        _ node: PropertyListNode, to output: inout [UInt8]
    ) throws(PropertyListError) {
        try append(node.record, node.storage.store, to: &output)
    }

    /// Appends the value of a record.
    ///
    /// - Throws: `unrepresentableValue`.
    package func append(
        _ record: NodeRecord, of table: DocumentTable, to output: inout [UInt8]
    ) throws(PropertyListError) {
        try append(record, table.storage.store, to: &output)
    }

    private func append(
        _ record: NodeRecord, _ store: NodeStore, to output: inout [UInt8]
    ) throws(PropertyListError) {
        switch record.kind {
        case .integer: append(record.integer, to: &output)
        case .boolean:
            output.append(contentsOf: (record.payload != 0 ? "true" : "false") as StaticString)
        case .real: try append(record.real, to: &output)
        case .date: try append(record.date, to: &output)
        case .data: try append(store.content(of: record), to: &output)
        case .uid: try append(record.uid, to: &output)
        case .null: output.append(contentsOf: "null" as StaticString)
        case .string, .array, .set, .dictionary, .unreadable:
            throw Self.error(PropertyListKind.unreadableValue)
        }
    }

    /// Appends a scalar that is not a string. Other values become null.
    ///
    /// - Throws: `unrepresentableValue`.
    func append(_ value: PropertyListValue, to output: inout [UInt8]) throws(PropertyListError) {
        switch value {
        case .integer(let value): append(value, to: &output)
        case .boolean(let value):
            output.append(contentsOf: (value ? "true" : "false") as StaticString)
        case .real(let value): try append(value, to: &output)
        case .date(let value): try append(value, to: &output)
        case .data(let value): try append(value[...], to: &output)
        case .uid(let value): try append(value, to: &output)
        case .null, .string, .array, .set, .dictionary:
            output.append(contentsOf: "null" as StaticString)
        }
    }

    // MARK: Numbers

    private func append(_ value: PropertyListInteger, to output: inout [UInt8]) {
        let isSafe = options.mapping != .typed || value.magnitude <= Self.safeInteger
        wrap(isSafe ? nil : .integer, to: &output) {
            IntegerText.appendDecimal(value.magnitude, negative: value.isNegative, to: &$0)
        }
    }

    private func append(
        _ real: PropertyListReal, to output: inout [UInt8]
    ) throws(PropertyListError) {
        if options.mapping == .typed { return appendTyped(real, to: &output) }
        guard real.value.isFinite else {
            if options.mapping == .strict { throw Self.refusal("number that is not finite") }
            output.append(UInt8(ascii: "\""))
            RealText.append(real.value, style: .shortest, to: &output)
            return output.append(UInt8(ascii: "\""))
        }
        // The strict form keeps all bits of a 32-bit real. The coerced form has the digits that
        // people expect.
        let isShort = options.mapping == .coerce && real.width == .single
        let text = isShort ? real.description : real.value.description
        output.append(contentsOf: text.utf8)
    }

    private func appendTyped(_ real: PropertyListReal, to output: inout [UInt8]) {
        let isSingle = real.width == .single
        let bits =
            isSingle
            ? UInt64(PropertyListReal.narrowed(real.value.bitPattern)) : real.value.bitPattern
        let usual = isSingle ? UInt64(Float.nan.bitPattern) : Double.nan.bitPattern
        if real.value.isNaN, bits != usual {
            return wrap(isSingle ? .floatBits : .realBits, to: &output) {
                HexText.append(bits, digits: isSingle ? 8 : 16, to: &$0)
            }
        }
        if isSingle {
            return wrap(.float, to: &output) { $0 += Self.singleText(of: real) }
        }
        let hasFraction = real.value.isFinite && PropertyListDate.fraction(of: real.value) != 0
        wrap(hasFraction ? nil : .real, to: &output) {
            RealText.append(real.value, style: .shortest, to: &$0)
        }
    }

    /// Returns the shortest text of a 32-bit real if that text, parsed as a `Double` and rounded,
    /// gives the same number. Otherwise returns the shortest text of the `Double`.
    private static func singleText(of real: PropertyListReal) -> [UInt8] {
        let short = Array(real.description.utf8)
        if let back = RealText.parse(short.span), Float(back) == Float(real.value) { return short }
        var text: [UInt8] = []
        RealText.append(real.value, style: .shortest, to: &text)
        return text
    }

    private func append(
        _ uid: PropertyListUID, to output: inout [UInt8]
    ) throws(PropertyListError) {
        if options.mapping == .strict { throw Self.refusal("UID") }
        let text = "\(uid.value)"
        guard options.mapping == .typed else { return output.append(contentsOf: text.utf8) }
        output.append(contentsOf: "{\(Self.key(.uid, options))\(text)}".utf8)
    }

    // MARK: Dates and data

    private func append(
        _ date: PropertyListDate, to output: inout [UInt8]
    ) throws(PropertyListError) {
        switch options.mapping {
        case .strict: throw Self.refusal("date")
        case .coerce: output.append(contentsOf: "\"\(date.description)\"".utf8)
        case .typed:
            var text: [UInt8] = []
            let seconds = date.secondsSince2001
            if DateText.append(secondsSince2001: seconds, to: &text) {
                wrap(.date, to: &output) { $0 += text }
            } else {
                wrap(.dateBits, to: &output) {
                    HexText.append(seconds.bitPattern, digits: 16, to: &$0)
                }
            }
        }
    }

    private func append(
        _ data: ArraySlice<UInt8>, to output: inout [UInt8]
    ) throws(PropertyListError) {
        switch options.mapping {
        case .strict: throw Self.refusal("value of kind data")
        case .coerce:
            output.append(UInt8(ascii: "\""))
            Base64.append(data.span, to: &output)
            output.append(UInt8(ascii: "\""))
        case .typed: wrap(.data, to: &output) { Base64.append(data.span, to: &$0) }
        }
    }

    // MARK: Text

    /// Appends the output of `body`. If `form` is not nil, quotes the output and wraps it in a JSON
    /// object whose only key is that of the form.
    private func wrap(
        _ form: JSONForm?, to output: inout [UInt8], _ body: (inout [UInt8]) -> Void
    ) {
        guard let form else { return body(&output) }
        output.append(contentsOf: "{\(Self.key(form, options))\"".utf8)
        body(&output)
        output.append(contentsOf: "\"}" as StaticString)
    }

    /// Returns the key of a form, with the separator before its value.
    static func key(_ form: JSONForm, _ options: JSONPropertyList.Options) -> String {
        "\"\(form.rawValue)\":" + (options.layout == .indented ? " " : "")
    }

    /// Appends the text of a string, escaping quotes, backslashes and control characters. Linear.
    package static func appendEscaped(_ text: ArraySlice<UInt8>, to output: inout [UInt8]) {
        appendEscaped(text.span, to: &output)
    }

    /// Appends the escaped text of a string in a document. Linear.
    package static func appendEscaped(
        _ record: NodeRecord, of table: DocumentTable, to output: inout [UInt8]
    ) {
        appendEscaped(record, table.storage.store, to: &output)
    }

    static func appendEscaped(
        _ record: NodeRecord, _ store: NodeStore, to output: inout [UInt8]
    ) {
        if record.encoding == .utf16 {
            var text: [UInt8] = []
            store.appendText(of: record, to: &text)
            appendEscaped(text.span, to: &output)
        } else {
            store.withContent(of: record) { appendEscaped($0, to: &output) }
        }
    }

    private static func appendEscaped(_ text: Span<UInt8>, to output: inout [UInt8]) {
        var start = 0
        while let place = text.firstIndex(
            ofControlOr: UInt8(ascii: "\""), or: UInt8(ascii: "\\"), in: start..<text.count)
        {
            append(text.extracting(start..<place), to: &output)
            appendEscape(text[place], to: &output)
            start = place &+ 1
        }
        append(text.extracting(start...), to: &output)
    }

    private static func append(_ text: Span<UInt8>, to output: inout [UInt8]) {
        output.append(addingCapacity: text.count) { $0.append(contentsOf: text) }
    }

    private static func appendEscape(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
        default:
            output.append(UInt8(ascii: "u"))
            HexText.append(UInt64(byte), digits: 4, to: &output)
        }
    }

    // MARK: Errors

    static func refusal(_ what: String) -> PropertyListError {
        error(
            "JSON cannot represent a \(what)",
            .init(.chooseMapping, "choose coerce or typed as `JSONPropertyList.Options.mapping`"))
    }

    static func error(_ what: String, _ recovery: PropertyListError.Recovery? = nil)
        -> PropertyListError
    {
        PropertyListError(.unrepresentableValue, format: .json, what: what, recovery: recovery)
    }
}
