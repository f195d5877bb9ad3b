// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import TypedStream

/// Reads the input as a typedstream.
///
/// The first byte is skipped, and the second selects the limits. The input follows. An input that
/// can be read must serialize to the same bytes, both directly and after a conversion to the other
/// byte order and back. A builder must be able to rebuild its values.
public func fuzzTypedStream(_ bytes: [UInt8]) throws {
    let input = Array(bytes.dropFirst(2))
    let depth = [128, 512, 3][Int(bytes.dropFirst().first ?? 0) % 3]
    try checkTypedStream(input, limits: TypedStreamLimits(depth: depth, inputSize: 1 << 20))
}

/// Checks the properties that hold for any input.
public func checkTypedStream(_ input: [UInt8], limits: TypedStreamLimits = .default) throws {
    try checkImport(input)
    let document: TypedStreamDocument?
    do {
        document = try TypedStreamDocument(parsing: input, limits: limits)
    } catch {
        document = nil
        try checkTypedStreamError(error, input)
    }
    if let document {
        try checkValues(document)
        try checkWriting(document, input)
    }
    try checkSalvaging(input, limits, whole: document)
}

private func checkTypedStreamError(_ error: TypedStreamError, _ input: [UInt8]) throws {
    try BrokenProperty.check(!error.description.isEmpty, "an error has no description")
    guard let place = error.byteOffset else {
        return try BrokenProperty.check(
            error.code == .sizeLimitExceeded, "an error has no location")
    }
    try BrokenProperty.check(
        place >= 0 && place <= input.count, "an error is at byte \(place) of \(input.count)")
}

/// Uses every accessor of each value, and checks that counts and byte ranges are within the bounds
/// that the input sets.
private func checkValues(_ document: TypedStreamDocument) throws {
    let lines = TypedStreamDump.lines(document)
    // A value is within at most 16 structures, each of which has an end line.
    try BrokenProperty.check(
        lines.count <= 40 * document.byteCount,
        "\(lines.count) items in \(document.byteCount) bytes")
    for object in document.objects {
        var place = object.byteRange.lowerBound
        for group in object.groups {
            try BrokenProperty.check(
                place < group.byteRange.lowerBound
                    && group.byteRange.upperBound <= object.byteRange.upperBound,
                "the places of groups are not in order")
            place = group.byteRange.lowerBound
        }
    }
    for `class` in document.classes {
        try BrokenProperty.check(`class`.chain.count <= 64, "a chain of classes is too long")
    }
    _ = document.root?.class.name
    readMeanings(document)
}

/// Converts the objects to text and contents. Errors are expected; only a crash is a failure.
private func readMeanings(_ document: TypedStreamDocument) {
    _ = try? document.firstText()
    var texts = SharedTexts()
    for object in document.objects { _ = try? object.content(sharing: &texts) }
    guard let text = try? AttributedText(document) else { return }
    for run in text.runs { _ = (text.text(of: run), text.attributes(of: run).names) }
}

private func checkWriting(_ document: TypedStreamDocument, _ input: [UInt8]) throws {
    let other: TypedStreamByteOrder =
        document.byteOrder == .bigEndian ? .littleEndian : .bigEndian
    let turned = try BrokenProperty.require("cannot be written in the other order") {
        try TypedStreamDocument(parsing: document.serialized(byteOrder: other), limits: .trusted)
    }
    try BrokenProperty.check(try document.serialized() == input, "serialized as different bytes")
    try BrokenProperty.check(
        try turned.serialized(byteOrder: document.byteOrder) == input,
        "a conversion to the other byte order and back changes bytes")
    let built = try BrokenProperty.require("cannot be built") {
        var builder = TypedStreamBuilder(systemVersion: document.systemVersion)
        try builder.append(contentsOf: document)
        return try TypedStreamDocument(parsing: builder.finish(), limits: .trusted)
    }
    try BrokenProperty.check(
        TypedStreamDump.lines(built, numbering: .objects)
            == TypedStreamDump.lines(document, numbering: .objects),
        "building changes values")
    // The builder shares names that the input wrote twice.
    try BrokenProperty.check(
        document.streamerVersion == 3 || built.byteCount <= document.byteCount,
        "building makes a stream longer")
}

/// Checks that salvaged contents can be traversed, and that salvaging a valid stream loses nothing.
private func checkSalvaging(
    _ input: [UInt8], _ limits: TypedStreamLimits, whole: TypedStreamDocument?
) throws {
    guard let salvaged = try? TypedStreamDocument(salvaging: input, limits: limits) else {
        return try BrokenProperty.check(whole == nil, "a valid stream cannot be salvaged")
    }
    try BrokenProperty.check(
        (salvaged.problem == nil) == (whole != nil),
        "salvaging and parsing disagree on whether the stream is valid")
    let lines = TypedStreamDump.lines(salvaged)
    try BrokenProperty.check(
        lines.count <= 40 * input.count, "\(lines.count) items in \(input.count) bytes")
    if let whole {
        try BrokenProperty.check(
            lines == TypedStreamDump.lines(whole), "salvaging yields different values")
    }
    readMeanings(salvaged)
}
