// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Dates in the form of GNUstep's typed values: `2001-01-01 00:00:00 +0000`.
enum GNUstepDate {
    /// Parses a date with its offset from UTC. Returns the seconds since 2001, or nil. Linear.
    static func parse(_ text: Span<UInt8>) -> Double? {
        // The fields are located from the end, because a year may have any number of digits: the
        // last six characters are the zone, and the nine before them are the time.
        guard text.count >= 20 else { return nil }
        let zone = text.count - 6
        var civil = text.indices.prefix(zone).map { text[$0] }
        guard civil.count > 9, civil[zone - 9] == 0x20 else { return nil }
        civil[zone - 9] = UInt8(ascii: "T")
        civil.append(UInt8(ascii: "Z"))
        guard let seconds = CivilDate.parse(civil.span, lenient: false),
            let offset = offset(text.extracting(zone...))
        else { return nil }
        return seconds - offset
    }

    /// Parses ` +hhmm` or ` -hhmm`, and returns the offset in seconds.
    private static func offset(_ text: Span<UInt8>) -> Double? {
        guard text[0] == 0x20, text[1] == 0x2B || text[1] == 0x2D else { return nil }
        let digits = (2..<6).map { text[$0] &- 0x30 }
        guard digits.allSatisfy({ $0 < 10 }), digits[2] < 6 else { return nil }
        let minutes =
            (Int(digits[0]) * 10 + Int(digits[1])) * 60 + Int(digits[2]) * 10 + Int(digits[3])
        return Double(minutes * 60) * (text[1] == 0x2D ? -1 : 1)
    }

    /// Appends a date in UTC. Constant time.
    static func append(_ date: CivilDate, to output: inout [UInt8]) {
        let start = output.count
        date.append(to: &output)
        output.removeLast()
        if let place = output[start...].lastIndex(of: UInt8(ascii: "T")) { output[place] = 0x20 }
        output.append(contentsOf: " +0000" as StaticString)
    }
}
