// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

// Decoding errors. Each is a `DecodingError` with the coding path. Its underlying error is a
// `PropertyListError` with the location in the file. The functions are kept out of line, so
// successful decoding does not pay for them.

extension DecodingSession {
    /// Returns the error for a value that cannot be decoded as `type`: it is null, of another kind,
    /// or a number out of range.
    @inline(never)
    func refusal(
        _ type: Any.Type, _ node: UInt32, _ path: CodingPath?, isNumber: Bool = false
    ) -> any Error {
        let kind = record(node).kind
        if isNull(node) {
            return DecodingError.valueNotFound(
                type, context(path, "Cannot get value of \(type) -- found null instead", node))
        }
        if isNumber, kind == .integer || kind == .real {
            let what = "\(Self.name(of: kind)) does not fit in \(type)"
            return DecodingError.dataCorrupted(
                context(path, "Property list number does not fit in \(type).", node, what))
        }
        let found = Self.name(of: kind)
        return DecodingError.typeMismatch(
            type, context(path, "Expected to decode \(type) but found \(found) instead.", node))
    }

    /// Returns the error for a value that is not a container of the requested kind.
    @inline(never)
    func containerRefusal(_ type: Any.Type, _ node: UInt32, _ path: CodingPath?) -> any Error {
        guard isNull(node) else { return refusal(type, node, path) }
        let name = type == [Any].self ? "unkeyed" : "keyed"
        let text = "Cannot get \(name) decoding container -- found null value instead"
        return DecodingError.valueNotFound(type, context(path, text, node))
    }

    /// Returns the error for a missing key.
    @inline(never)
    func keyNotFound(_ key: any CodingKey, in node: UInt32, _ path: CodingPath?) -> any Error {
        DecodingError.keyNotFound(
            key,
            context(
                path, "No value associated with key \"\(key.stringValue)\".", node,
                "the dictionary has no such key"))
    }

    /// Returns the error for an element beyond the last.
    @inline(never)
    func pastEnd(_ type: Any.Type, of node: UInt32, _ path: CodingPath?) -> any Error {
        DecodingError.valueNotFound(
            type,
            context(path, "Unkeyed container is at end.", node, "the array has no more elements"))
    }

    /// Returns the error for two keys of a dictionary that are distinct but equal as `String`.
    @inline(never)
    func equivalentKeys(
        _ first: String, _ second: String, in node: UInt32, _ path: CodingPath?
    ) -> any Error {
        let scalars = [first, second].map { key in
            key.unicodeScalars.prefix(16).map { String($0.value, radix: 16) }.joined(separator: " ")
        }
        let what = "the keys with the scalars \(scalars[0]) and \(scalars[1]) are equivalent"
        return DecodingError.dataCorrupted(
            context(path, "Two distinct keys are equal as strings.", node, what))
    }

    @inline(never)
    func expansionExceeded(_ path: CodingPath?) -> any Error {
        var budget = OperationBudget(limits: limits, extent: table.extent)
        do {
            try budget.visit(.max)
        } catch {
            return corrupted(CodingPath.keys(of: path), "More values than the limits allow.", error)
        }
        return corrupted(CodingPath.keys(of: path), "More values than the limits allow.", nil)
    }

    @inline(never)
    func depthExceeded(_ depth: Int, limit: Int, _ path: CodingPath?) -> any Error {
        corrupted(
            CodingPath.keys(of: path), "More nesting than the limits allow.",
            OperationBudget.depthExceeded(depth, limit: limit, format: table.format))
    }

    @inline(never)
    func stackExceeded(_ path: CodingPath?) -> any Error {
        corrupted(
            CodingPath.keys(of: path), "More nesting than the stack has room for.",
            OperationBudget.stackExceeded(path?.depth ?? 0, format: table.format))
    }

    func corrupted(
        _ path: [any CodingKey], _ text: String, _ error: PropertyListError?
    ) -> any Error {
        DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: path, debugDescription: text, underlyingError: error))
    }

    /// Returns the context of an error about a value.
    private func context(
        _ path: CodingPath?, _ text: String, _ node: UInt32, _ what: String? = nil
    ) -> DecodingError.Context {
        let keys = CodingPath.keys(of: path)
        return DecodingError.Context(
            codingPath: keys, debugDescription: text,
            underlyingError: node == Self.missing ? nil : placed(what, node))
    }

    private func placed(_ what: String?, _ node: UInt32) -> PropertyListError {
        PropertyListError(
            .wrongKind, format: table.format,
            what: what ?? "the value is \(Self.name(of: record(node).kind))",
            location: location(of: node))
    }

    private static func name(of kind: PropertyListKind) -> String {
        switch kind {
        case .unreadable: "an unreadable value"
        case .null: "null"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .real: "a real number"
        case .date: "a date"
        case .data: "data"
        case .string: "a string"
        case .uid: "a UID"
        case .array: "an array"
        case .set: "a set"
        case .dictionary: "a dictionary"
        }
    }
}
