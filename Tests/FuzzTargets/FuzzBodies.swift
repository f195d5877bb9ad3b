// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import TestSupport

/// Reads the input as a binary property list.
public func fuzzBinary(_ bytes: [UInt8]) throws {
    let setup = FuzzSetup(bytes)
    try checkReading(setup, format: .binary)
    try checkPlainReader(setup.input)
}

/// Reads the input as an XML property list.
public func fuzzXML(_ bytes: [UInt8]) throws {
    let setup = FuzzSetup(bytes)
    try checkReading(setup, format: .xml)
}

/// Reads the input as OpenStep text.
public func fuzzOpenStep(_ bytes: [UInt8]) throws {
    let setup = FuzzSetup(bytes)
    try checkReading(setup, format: .openStep)
}

/// Reads the input as JSON, with the strict and the typed mapping.
public func fuzzJSON(_ bytes: [UInt8]) throws {
    let setup = FuzzSetup(bytes)
    try checkReading(setup, format: .json)
    let typed = try? JSONPropertyList.parse(
        setup.input, mapping: .typed, options: setup.options, limits: setup.limits)
    guard let typed, let value = try? typed.root.value(limits: setup.limits) else { return }
    try checkJSONRoundTrip(value)
}

/// Reads the input in its detected format, and writes its value in all formats.
public func fuzzValueRoundTrip(_ bytes: [UInt8]) throws {
    let setup = FuzzSetup(bytes)
    guard
        let value = try? PropertyListValue(
            parsing: setup.input, options: setup.options, limits: setup.limits)
    else { return }
    try BrokenProperty.check(value == value, "a value differs from itself")
    _ = value.description
    try checkBinaryRoundTrip(value)
    try checkXMLRoundTrip(value)
    try checkOpenStepRoundTrip(value)
    try checkJSONRoundTrip(value)
}

// MARK: - Reading

/// Checks that the input parses or throws, that lenient parsing agrees with strict parsing, and
/// that a parsed document can be inspected and written.
private func checkReading(_ setup: FuzzSetup, format: PropertyListFormat) throws {
    let lenient = try? document(setup.input, format, setup.options, setup.limits)
    if let strict = try? document(setup.input, format, .strict, setup.limits) {
        let other = try BrokenProperty.require("strict parses, lenient does not") {
            try document(setup.input, format, setup.options, setup.limits)
        }
        try BrokenProperty.check(
            strict.leniencies.isEmpty && strict.problems.isEmpty, "strict needed a leniency")
        // These options change the meaning of valid input.
        if setup.options.isDisjoint(with: [.uidDictionaries, .nextStepEscapes]) {
            try checkSame(strict, other, setup.limits)
        }
    }
    try checkLimits(setup, format)
    guard let lenient else { return }
    // SECURITY.md states that there are at most as many values as bytes, or twice as many if
    // `.salvage` breaks cycles. No input is known that has more values than bytes, except for the
    // root of an empty text or of a strings file.
    let roots = format == .openStep || lenient.byteCount == 0 ? 1 : 0
    try BrokenProperty.check(
        lenient.nodeCount <= lenient.byteCount + roots, "there are more values than bytes")
    try BrokenProperty.check(
        setup.options.isSuperset(of: lenient.leniencies), "a leniency was used that is not enabled")
    try checkNodes(lenient)
    try checkTree(lenient, setup.limits)
    try checkWriting(lenient, setup.limits)
}

/// Checks that an input refused only because of the limits is refused with the code of a limit.
private func checkLimits(_ setup: FuzzSetup, _ format: PropertyListFormat) throws {
    guard (try? document(setup.input, format, setup.options, .trusted)) != nil else { return }
    do {
        _ = try PropertyListDocument(
            parsing: setup.input, format: format, options: setup.options, limits: setup.limits)
    } catch {
        try BrokenProperty.check(error.isLimit, "expected the error of a limit, found: \(error)")
    }
}

/// Checks that the library and ``SlowBinaryReader``, a simple reference parser, agree on whether
/// the input is a property list, and on its value.
private func checkPlainReader(_ input: [UInt8]) throws {
    guard input.count <= 2048 else { return }
    var limits = ParsingLimits.default
    limits.expansion = .init(factor: 0, base: 10_000)
    let ours = try? PropertyListValue(parsing: input, format: .binary, limits: limits)
    let theirs = try? SlowBinaryReader.value(of: input, expansion: 10_000)
    try BrokenProperty.check(ours == theirs, "the library and the reference parser disagree")
}

private func document(
    _ input: [UInt8], _ format: PropertyListFormat, _ options: ParsingOptions,
    _ limits: ParsingLimits
) throws -> PropertyListDocument {
    try PropertyListDocument(parsing: input, format: format, options: options, limits: limits)
}

private func checkSame(
    _ left: PropertyListDocument, _ right: PropertyListDocument, _ limits: ParsingLimits
) throws {
    let first = try? left.root.value(limits: limits)
    let second = try? right.root.value(limits: limits)
    try BrokenProperty.check(first == second, "strict and lenient read different values")
}

/// Checks that nodes, events and the value tree agree.
private func checkTree(_ document: PropertyListDocument, _ limits: ParsingLimits) throws {
    guard let value = try? document.root.value(limits: limits) else { return }
    let told = try EventTree.value(of: PropertyListEventReader(document.root, limits: limits))
    try BrokenProperty.check(told == value, "the events yield a different tree")
    var pending = [(document.root, value)]
    var budget = 10_000
    while let (node, value) = pending.popLast(), budget > 0 {
        budget -= 1
        switch value {
        case .array(let elements):
            try pair(node.array, elements, &pending)
        case .set(let elements):
            try pair(node.set, elements, &pending)
        case .dictionary(let entries):
            try pair(node.dictionary?.lazy.map(\.value), entries.values, &pending)
            try BrokenProperty.check(
                node.dictionary?.map(\.key) == entries.keys, "the keys of a tree differ")
        default:
            try BrokenProperty.check(scalar(node) == value, "a value in the tree differs")
        }
    }
}

private func pair<N: Collection<PropertyListNode>, V: Collection<PropertyListValue>>(
    _ nodes: N?, _ values: V, _ pending: inout [(PropertyListNode, PropertyListValue)]
) throws {
    try BrokenProperty.check(nodes?.count == values.count, "a container in the tree differs")
    if let nodes { pending.append(contentsOf: zip(nodes, values)) }
}

private func scalar(_ node: PropertyListNode) -> PropertyListValue? {
    if let value = node.string { return .string(value) }
    if let value = node.integer { return .integer(value) }
    if let value = node.real { return .real(value) }
    if let value = node.boolean { return .boolean(value) }
    if let value = node.date { return .date(value) }
    if let value = node.data { return .data(Array(value)) }
    if let value = node.uid { return .uid(value) }
    return node.isNull ? .null : nil
}

/// Uses every accessor of every value in the document.
private func checkNodes(_ document: PropertyListDocument) throws {
    for node in document.allNodes.prefix(10_000) {
        _ = (node.string, node.integer?.description, node.real?.description, node.boolean)
        _ = (node.date?.description, node.data, node.uid, node.sourceOffset, node.isString("a"))
        for element in node.childNodes { _ = element.kind }
        guard let entries = node.dictionary else { continue }
        for entry in entries.prefix(100) where entry.keyNode.kind == .string {
            try BrokenProperty.check(
                entries[entry.key] != nil || !document.usedNodes[node.number],
                "a key of a dictionary is not found")
        }
    }
}

// MARK: - Writing

/// Checks that the binary form of a parsed or built document parses as the same value.
func checkWriting(_ document: PropertyListDocument, _ limits: ParsingLimits) throws {
    _ = document.coreFoundationLayout(limits: limits)
    _ = try? XMLPropertyList.serialize(document, limits: limits)
    guard let bytes = try? BinaryPropertyList.serialize(document, limits: limits) else { return }
    // Keys that are not strings or occur twice are written unchanged.
    let isStrict = document.leniencies.isDisjoint(with: [
        .nonStringKeys, .allDuplicateKeys, .salvage,
    ])
    var options = ParsingOptions([.nonStringKeys, .allDuplicateKeys, .salvage])
    if isStrict { options = .strict }
    let back = try BrokenProperty.require("what was written does not parse") {
        try PropertyListDocument(parsing: bytes, options: options)
    }
    let again = try BrokenProperty.require("what was written cannot be written") {
        try BinaryPropertyList.serialize(back)
    }
    try BrokenProperty.check(
        bytes == again, "serializing the parsed document again produces different bytes")
    guard let value = try? document.root.value(limits: limits) else { return }
    let other = try BrokenProperty.require("no value") { try back.root.value() }
    try BrokenProperty.check(value == other, "what was written parses as a different value")
}

private func checkBinaryRoundTrip(_ value: PropertyListValue) throws {
    let bytes = try BrokenProperty.require("a value that was read cannot be written") {
        try BinaryPropertyList.serialize(PropertyListDocument(value))
    }
    let back = try BrokenProperty.require("what was written does not parse") {
        try PropertyListValue(parsing: bytes)
    }
    try BrokenProperty.check(value == back, "what was written parses as a different value")
}

private func checkXMLRoundTrip(_ value: PropertyListValue) throws {
    guard let source = try? PropertyListDocument(value),
        let text = try? XMLPropertyList.serialize(source).bytes
    else { return }
    let back = try BrokenProperty.require("what was written as XML does not parse") {
        try PropertyListDocument(parsing: text)
    }
    let again = try BrokenProperty.require("what was written as XML cannot be written") {
        try XMLPropertyList.serialize(back).bytes
    }
    // NaN has many bit patterns but one form in text, so the texts are compared.
    try BrokenProperty.check(text == again, "what was written as XML parses as a different value")
}

/// Checks that strings, data, arrays and dictionaries round-trip through every layout.
private func checkOpenStepRoundTrip(_ value: PropertyListValue) throws {
    guard let source = try? PropertyListDocument(value) else { return }
    for layout in [.compact, .indented, .projectFile(projectName: nil)]
        as [OpenStepPropertyList.Layout]
    {
        var options = OpenStepPropertyList.Options()
        options.layout = layout
        guard let text = try? OpenStepPropertyList.serialize(source, options: options) else {
            return
        }
        let back = try BrokenProperty.require("what was written as OpenStep does not parse") {
            try PropertyListValue(parsing: text, format: .openStep)
        }
        try BrokenProperty.check(value == back, "what was written as OpenStep reads differently")
    }
}

/// Checks that every value round-trips through typed JSON.
private func checkJSONRoundTrip(_ value: PropertyListValue) throws {
    guard let source = try? PropertyListDocument(value) else { return }
    var options = JSONPropertyList.Options()
    options.mapping = .typed
    guard let text = try? JSONPropertyList.serialize(source, options: options) else { return }
    let back = try BrokenProperty.require("what was written as JSON does not parse") {
        try JSONPropertyList.parse(text, mapping: .typed).root.value()
    }
    try BrokenProperty.check(value == back, "what was written as JSON reads differently")
}
