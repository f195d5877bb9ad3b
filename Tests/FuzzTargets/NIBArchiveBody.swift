// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import NIBArchive

/// Reads the input as a NIBArchive.
///
/// The first two bytes are skipped. An input that can be read must serialize to the same bytes, and
/// a builder must be able to rebuild its values.
public func fuzzNIBArchive(_ bytes: [UInt8]) throws {
    try checkNIBArchive(Array(bytes.dropFirst(2)))
}

/// Checks the properties that hold for any input.
public func checkNIBArchive(_ input: [UInt8]) throws {
    try checkImport(input)
    for allowingTrailingBytes in [false, true] {
        let document: NIBArchiveDocument
        do {
            document = try NIBArchiveDocument(
                parsing: input, allowingTrailingBytes: allowingTrailingBytes, limits: .untrusted)
        } catch {
            let place = error.byteOffset ?? -1
            try BrokenProperty.check(
                place >= 0 && place <= input.count && !error.description.isEmpty,
                "an error is at byte \(place) of \(input.count)")
            continue
        }
        try checkPlaces(document)
        try BrokenProperty.check(
            try document.serialized() == input, "serialized as different bytes")
        let built = try NIBArchiveDocument(
            parsing: NIBArchiveBuilder(document).finish(), allowingTrailingBytes: true)
        try BrokenProperty.check(
            NIBArchiveDump.lines(built) == NIBArchiveDump.lines(document), "building changes values"
        )
    }
}

/// Checks that the values follow each other without gaps, and that the first value of an
/// object is found by its key.
private func checkPlaces(_ document: NIBArchiveDocument) throws {
    var place: Int?
    for value in document.objects.flatMap({ Array($0.values) }) {
        try BrokenProperty.check(
            place == nil || place == value.byteRange.lowerBound, "a gap between values")
        place = value.byteRange.upperBound
    }
    for object in document.objects.prefix(1000) {
        if let first = object.values.first {
            try BrokenProperty.check(
                object[first.key]?.index == first.index, "a value is not found")
        }
    }
    _ = document.classes.flatMap(\.fallbacks).map(\.byteRange)
}

/// Lists the contents of a NIBArchive as lines of text, to compare two readers.
public enum NIBArchiveDump {
    /// Returns a line for each object, for each of its values, and for each class.
    public static func lines(_ document: NIBArchiveDocument) -> [String] {
        document.objects.flatMap { object in
            ["OBJECT \(hex(object.class.name))"] + object.values.map(line)
        } + document.classes.map { "CLASS \(hex($0.name)) \($0.fallbacks.map(\.index))" }
    }

    private static func hex(_ text: String) -> String { TypedStreamDump.hex(text.utf8) }

    private static func line(_ value: NIBArchiveValue) -> String {
        let content =
            switch value.content {
            case .integer(let number): "INTEGER \(number)"
            case .boolean(let flag): "BOOLEAN \(flag)"
            case .float(let number): "FLOAT \(number.bitPattern)"
            case .double(let number): "DOUBLE \(number.bitPattern)"
            case .data(let data): "DATA \(TypedStreamDump.hex(data))"
            case .null: "NULL"
            case .object(let object): "REFERENCE \(object.index)"
            }
        return "\(hex(value.key)) \(content)"
    }
}
