// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A writer of scalars other than strings, in the forms that the options select.
///
/// ``OpenStepAngle`` describes the forms of GNUstep.
package struct OpenStepScalarWriter {
    package let options: OpenStepPropertyList.Options

    package init(options: OpenStepPropertyList.Options) { self.options = options }

    /// Appends a scalar that is not a string.
    ///
    /// - Throws: `unrepresentableValue`.
    package func append(_ node: PropertyListNode, to output: inout [UInt8])
        throws(PropertyListError)
    {
        if let data = node.data { return append(data, to: &output) }
        if node.isNull { throw Self.error("OpenStep cannot represent null") }
        if node.kind == .unreadable { throw Self.error(PropertyListKind.unreadableValue) }
        switch options.scalars {
        case .refused: throw Self.refusal(of: node.kind)
        case .typed: try appendTyped(node, to: &output)
        case .text: try appendText(node, to: &output)
        }
    }

    // MARK: Data

    /// Appends data. Hexadecimal bytes are in groups of four, as in Apple's and GNUstep's writers.
    private func append(_ data: ArraySlice<UInt8>, to output: inout [UInt8]) {
        if options.dataForm == .base64 {
            output.append(contentsOf: "<[" as StaticString)
            Base64.append(data.span, to: &output)
            return output.append(contentsOf: "]>" as StaticString)
        }
        output.append(UInt8(ascii: "<"))
        for (place, byte) in data.enumerated() {
            if place > 0, place % 4 == 0 { output.append(0x20) }
            HexText.append(UInt64(byte), digits: 2, to: &output)
        }
        output.append(UInt8(ascii: ">"))
    }

    // MARK: Forms

    private func appendTyped(
        _ node: PropertyListNode, to output: inout [UInt8]
    ) throws(PropertyListError) {
        output.append(contentsOf: "<*" as StaticString)
        if let value = node.integer {
            output.append(UInt8(ascii: "I"))
            IntegerText.appendDecimal(value.magnitude, negative: value.isNegative, to: &output)
        } else if let value = node.real {
            guard value.width == .double else {
                throw Self.error("a typed value cannot represent a 32-bit real")
            }
            guard !value.value.isUnusualNaN else {
                throw Self.error("a typed value cannot represent the bits of this NaN")
            }
            output.append(UInt8(ascii: "R"))
            RealText.append(value.value, style: .shortest, to: &output)
        } else if let value = node.boolean {
            output.append(contentsOf: (value ? "BY" : "BN") as StaticString)
        } else if let value = node.date {
            output.append(UInt8(ascii: "D"))
            GNUstepDate.append(try civil(value), to: &output)
        } else {
            throw Self.refusal(of: node.kind)
        }
        output.append(UInt8(ascii: ">"))
    }

    private func civil(_ date: PropertyListDate) throws(PropertyListError) -> CivilDate {
        let seconds = date.secondsSince2001
        guard let civil = CivilDate(secondsSince2001: seconds) else {
            throw Self.error("a date is NaN or outside the range of the calendar")
        }
        if PropertyListDate.fraction(of: seconds) != 0 {
            throw Self.error("a typed value cannot represent fractions of a second")
        }
        if seconds.bitPattern == 1 << 63 {
            throw Self.error("a typed value cannot represent the sign of a date of −0.0")
        }
        return civil
    }

    private func appendText(
        _ node: PropertyListNode, to output: inout [UInt8]
    ) throws(PropertyListError) {
        if let value = node.uid {
            output.append(contentsOf: "{\(UIDDictionary.key) = \(value.value);}".utf8)
        } else {
            guard let text = text(of: node) else { throw Self.refusal(of: node.kind) }
            let writer = OpenStepStringWriter(escapesNonASCII: options.escapesNonASCII)
            writer.append(Array(text.utf8)[...], to: &output)
        }
    }

    private func text(of node: PropertyListNode) -> String? {
        if let value = node.integer { return value.description }
        if let value = node.boolean { return value ? "YES" : "NO" }
        if let value = node.date { return value.description }
        return node.real?.description
    }

    // MARK: Errors

    package static func refusal(of kind: PropertyListKind) -> PropertyListError {
        error(
            "OpenStep cannot represent a value of kind \(kind)",
            .init(.chooseScalars, "choose another form in `OpenStepPropertyList.Options.scalars`"))
    }

    package static func error(_ what: String, _ recovery: PropertyListError.Recovery? = nil)
        -> PropertyListError
    {
        PropertyListError(.unrepresentableValue, format: .openStep, what: what, recovery: recovery)
    }
}
