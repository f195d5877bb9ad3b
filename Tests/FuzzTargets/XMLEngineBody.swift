// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) public import PropertyList

/// Checks that all engines read the input as the same tables, or refuse it with the same error.
public func fuzzXMLEngines(_ bytes: [UInt8]) throws {
    let setup = FuzzSetup(bytes)
    try checkXMLEngines(setup.input, options: setup.options, limits: setup.limits)
}

/// Throws unless all engines of this build agree on `bytes`: the scanner, the tokenizer and, with
/// the trait `LibXML2`, libxml2. Messages may differ, but codes, locations, paths and recovery
/// suggestions may not.
public func checkXMLEngines(
    _ bytes: [UInt8], options: ParsingOptions, limits: ParsingLimits
) throws {
    guard bytes.count <= limits.inputSize else { return }
    let first = outcome {
        () throws(PropertyListError) in
        try PropertyListDocument(parsing: bytes, format: .xml, options: options, limits: limits)
    }
    for engine in XMLEngine.allCases where engine != .fastest && engine.isAvailable {
        let second = outcome {
            () throws(PropertyListError) in
            try PropertyListDocument(
                parsingXML: bytes, engine: engine, options: options, limits: limits)
        }
        if engine == .libxml2, isMistaken(first, second, bytes) { continue }
        try check(first, second, engine)
    }
}

/// Returns whether libxml2 deviated in a known way, which the table of ``XMLTokenizer`` lists.
private func isMistaken(_ first: Outcome, _ second: Outcome, _ bytes: [UInt8]) -> Bool {
    if hasLongReference(bytes), !errors(of: second).isEmpty { return true }
    // Two declarations of the same namespace.
    return errors(of: first).contains { error in
        error.code == .malformedXML
            && error.description.split(separator: "`").contains { $0.hasPrefix("xmlns") }
    }
}

/// Returns the error, or the problems of a salvaged document.
private func errors(of outcome: Outcome) -> [PropertyListError] {
    switch outcome {
    case .success(let document): document.problems
    case .failure(let error): [error]
    }
}

/// Returns whether a character reference has more than 10 hexadecimal digits, in an encoding of any
/// width.
private func hasLongReference(_ bytes: [UInt8]) -> Bool {
    let mark = Array("&#x".utf8)
    var matched = 0
    var digits = 0
    for byte in bytes where byte != 0 {
        if matched == mark.count, Character(Unicode.Scalar(byte)).isHexDigit {
            digits += 1
            if digits > 10 { return true }
        } else {
            matched =
                byte == mark[0]
                ? 1 : matched < mark.count && byte == mark[matched] ? matched + 1 : 0
            digits = 0
        }
    }
    return false
}

private typealias Outcome = Result<PropertyListDocument, PropertyListError>

private func outcome(
    _ body: () throws(PropertyListError) -> PropertyListDocument
) -> Outcome {
    do { return .success(try body()) } catch { return .failure(error) }
}

private func check(_ first: Outcome, _ second: Outcome, _ engine: XMLEngine) throws {
    switch (first, second) {
    case (.success(let left), .success(let right)): try checkSame(left, right)
    case (.failure(let left), .failure(let right)):
        try BrokenProperty.check(
            isSame(left, right), "the errors differ: \(left), but \(right) from \(engine)")
    case (.success, .failure(let error)):
        throw BrokenProperty(
            description: "\(engine) refuses an input that the default engine accepts: \(error)")
    case (.failure(let error), .success):
        throw BrokenProperty(
            description: "\(engine) accepts an input that the default engine refuses: \(error)")
    }
}

private func isSame(_ left: PropertyListError, _ right: PropertyListError) -> Bool {
    left.code == right.code && left.location?.byte == right.location?.byte
        && left.location?.line == right.location?.line
        && left.location?.column == right.location?.column
        && left.path?.description == right.path?.description && left.recovery == right.recovery
}

private func checkSame(_ left: PropertyListDocument, _ right: PropertyListDocument) throws {
    try BrokenProperty.check(left.leniencies == right.leniencies, "the leniencies differ")
    try BrokenProperty.check(left.xmlHeader == right.xmlHeader, "the headers differ")
    try BrokenProperty.check(
        left.problems.count == right.problems.count
            && zip(left.problems, right.problems).allSatisfy { isSame($0, $1) },
        "the problems differ: \(left.problems) and \(right.problems)")
    let first = DocumentTable(left)
    let second = DocumentTable(right)
    try BrokenProperty.check(first.count == second.count, "the numbers of values differ")
    for (number, pair) in zip(first.records, second.records).enumerated() {
        try BrokenProperty.check(
            isSame(pair.0, pair.1, first, second),
            "value \(number) differs: \(pair.0) and \(pair.1)")
    }
}

/// Returns whether two records are equal, apart from their key numbers.
private func isSame(
    _ left: NodeRecord, _ right: NodeRecord, _ first: DocumentTable, _ second: DocumentTable
) -> Bool {
    guard left.kind == right.kind, left.flags == right.flags, left.header == right.header,
        left.offset == right.offset
    else { return false }
    switch left.kind {
    case .string, .data: return first.content(of: left) == second.content(of: right)
    case .array, .dictionary:
        return left.payload == right.payload
            && left.childRange.allSatisfy { first.child($0) == second.child($0) }
    default: return left.payload == right.payload
    }
}
