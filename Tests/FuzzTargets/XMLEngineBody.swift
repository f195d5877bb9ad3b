// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) public import PropertyList

/// Reads the input by the scanner and by libxml2 alone: the same tables, or the same error.
public func fuzzXMLEngines(_ bytes: [UInt8]) throws {
    let setup = FuzzSetup(bytes)
    try checkXMLEngines(setup.input, options: setup.options, limits: setup.limits)
}

/// Throws unless both ways of reading XML agree.
public func checkXMLEngines(
    _ bytes: [UInt8], options: ParsingOptions, limits: ParsingLimits
) throws {
    guard bytes.count <= limits.inputSize else { return }
    let fast = outcome {
        () throws(PropertyListError) in
        try PropertyListDocument(parsing: bytes, format: .xml, options: options, limits: limits)
    }
    let slow = outcome {
        () throws(PropertyListError) in
        try PropertyListDocument(parsingByLibXML2: bytes, options: options, limits: limits)
    }
    switch (fast, slow) {
    case (.success(let left), .success(let right)): try checkSame(left, right)
    case (.failure(let left), .failure(let right)):
        try BrokenProperty.check(
            left.description == right.description, "two errors: \(left) and \(right)")
    case (.success, .failure(let error)):
        throw BrokenProperty(description: "the scanner reads what libxml2 refuses: \(error)")
    case (.failure(let error), .success):
        throw BrokenProperty(description: "the scanner refuses what libxml2 reads: \(error)")
    }
}

private func outcome(
    _ body: () throws(PropertyListError) -> PropertyListDocument
) -> Result<PropertyListDocument, PropertyListError> {
    do { return .success(try body()) } catch { return .failure(error) }
}

private func checkSame(_ left: PropertyListDocument, _ right: PropertyListDocument) throws {
    try BrokenProperty.check(left.leniencies == right.leniencies, "other leniencies")
    try BrokenProperty.check(left.xmlHeader == right.xmlHeader, "another header")
    let first = DocumentTable(left)
    let second = DocumentTable(right)
    try BrokenProperty.check(first.count == second.count, "another number of values")
    for (number, pair) in zip(first.records, second.records).enumerated() {
        try BrokenProperty.check(
            isSame(pair.0, pair.1, first, second),
            "value \(number) differs: \(pair.0) and \(pair.1)")
    }
}

/// Whether two records of the same number are the same, but for the number of a key.
private func isSame(
    _ left: NodeRecord, _ right: NodeRecord, _ first: DocumentTable, _ second: DocumentTable
) -> Bool {
    guard left.kind == right.kind, left.flags == right.flags, left.header == right.header,
        left.offset == right.offset
    else { return false }
    switch left.kind {
    case .string: return first.content(of: left) == second.content(of: right)
    case .array, .dictionary:
        let places = Int(left.low)..<(Int(left.low) + Int(left.high))
        return left.payload == right.payload
            && places.allSatisfy { first.child($0) == second.child($0) }
    default: return left.payload == right.payload
    }
}
