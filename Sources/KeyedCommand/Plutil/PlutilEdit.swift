// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools

/// A conversion of `-insert`, `-replace` and `-remove` to edits of a document. Its errors are those
/// that `plutil` reports.
struct PlutilEdit {
    private let arguments: PlutilArguments
    private let document: PropertyListDocument
    private let limits: ParsingLimits

    init(
        _ arguments: PlutilArguments, _ document: PropertyListDocument, _ limits: ParsingLimits
    ) {
        self.arguments = arguments
        self.document = document
        self.limits = limits
    }

    /// Returns the edit of the verb.
    ///
    /// - Throws: A failure with the message of `plutil`.
    func edit() throws(Failure) -> PropertyListEdit {
        switch arguments.verb {
        case .insert(let keyPath, let value) where arguments.appends:
            return try append(value, keyPath)
        case .insert(let keyPath, let value): return try insert(value, keyPath)
        case .replace(let keyPath, let value): return try replace(value, keyPath)
        case .remove(let keyPath):
            let path = PlutilRun.path(keyPath)
            if node(path) == nil { throw failure("No value to remove at key path", keyPath) }
            return PropertyListEdit(path, .remove)
        default: throw Failure(.invalid, "nothing to edit")
        }
    }

    private func failure(_ what: String, _ keyPath: String) -> Failure {
        Failure(.invalid, "\(what) \(TerminalText.escaped(keyPath))")
    }

    private func node(_ path: PropertyListKeyPath) -> PropertyListNode? {
        try? document.value(at: path, limits: limits)
    }

    private func append(
        _ value: PropertyListValue, _ keyPath: String
    ) throws(Failure) -> PropertyListEdit {
        let path = PlutilRun.path(keyPath)
        guard let node = node(path) else { throw failure("Key path not found", keyPath) }
        guard node.kind == .array else {
            throw failure("Appending to a non-array at key path", keyPath)
        }
        return PropertyListEdit(path, .append(value))
    }

    private func insert(
        _ value: PropertyListValue, _ keyPath: String
    ) throws(Failure) -> PropertyListEdit {
        let path = PlutilRun.path(keyPath)
        let parent = try parent(of: path, keyPath)
        if parent.kind == .dictionary {
            if node(path) != nil { throw failure("Value already exists at key path", keyPath) }
        } else {
            try checkIndex(path, keyPath, upTo: parent.childNodes.count)
        }
        return PropertyListEdit(path, .insert(value))
    }

    private func replace(
        _ value: PropertyListValue, _ keyPath: String
    ) throws(Failure) -> PropertyListEdit {
        let path = PlutilRun.path(keyPath)
        let parent = try parent(of: path, keyPath)
        if parent.kind != .dictionary {
            try checkIndex(path, keyPath, upTo: parent.childNodes.count - 1)
        }
        return PropertyListEdit(path, .set(value))
    }

    private func parent(
        of path: PropertyListKeyPath, _ keyPath: String
    ) throws(Failure) -> PropertyListNode {
        guard let parent = node(PropertyListKeyPath(path.steps.dropLast())) else {
            throw failure("Key path not found", keyPath)
        }
        guard parent.kind.isContainer else {
            throw failure("Unable to insert value at key path", keyPath)
        }
        return parent
    }

    private func checkIndex(
        _ path: PropertyListKeyPath, _ keyPath: String, upTo last: Int
    ) throws(Failure) {
        guard case .name(let name) = path.steps.last, let index = Int(name), String(index) == name
        else {
            throw failure("Unable to index into array with key path", keyPath)
        }
        guard index >= 0, index <= last else {
            throw failure("Index \(index) out of bounds in array at key path", keyPath)
        }
    }
}
