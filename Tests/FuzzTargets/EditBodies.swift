// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools

/// Applies edits chosen by the input twice: with the editor, and with a simple model of editing.
/// Both must refuse the same edits and give the same result.
func fuzzEdits(_ bytes: [UInt8]) throws {
    let setup = FuzzSetup(bytes)
    guard
        let document = try? PropertyListDocument(
            parsing: setup.input, options: setup.options, limits: setup.limits),
        var model = try? document.root.value(limits: setup.limits),
        var editor = try? PropertyListEditor(
            document, options: setup.options, limits: setup.limits)
    else { return }
    var choice = Choices(bytes)
    for _ in 0..<(1 + choice.below(4)) {
        let edit = choice.edit(of: model)
        var failure: PropertyListError?
        do { try editor.apply(edit) } catch { failure = error }
        if failure?.isLimit == true { return }
        let changed = PlainEdit.apply(edit, to: model)
        try BrokenProperty.check(
            (changed == nil) == (failure != nil),
            "the editor and the model disagree about \(edit): "
                + (failure.map { "the editor refuses it: \($0)" } ?? "the model refuses it"))
        // A failed edit may have been applied in part.
        guard let changed else { return }
        model = changed
    }
    try check(editor, against: model, setup)
}

private func check(
    _ editor: PropertyListEditor, against model: PropertyListValue, _ setup: FuzzSetup
) throws {
    let edited: EditedPropertyList
    do { edited = try editor.finish() } catch {
        // The editor's final check of the text is a last resort, and must not refuse a valid edit.
        let isExpected =
            error.isLimit || error.code == .invalidEncoding
            || error.code == .unrepresentableValue && !"\(error)".contains("parse as other values")
        return try BrokenProperty.check(isExpected, "edits cannot be written: \(error)")
    }
    // Shared containers may expand further than the budget of the result allows.
    guard let value = try? edited.document.root.value(limits: setup.limits) else { return }
    try BrokenProperty.check(value == model, "the edited value differs from the model's")
    guard let changes = edited.changes, let last = changes.last else { return }
    var end = 0
    for change in changes {
        try BrokenProperty.check(change.range.lowerBound >= end, "changes overlap")
        end = change.range.upperBound
    }
    try BrokenProperty.check(
        last.range.upperBound <= editor.document.source.count,
        "a change extends beyond the source")
}

/// A pseudorandom sequence of choices whose seed is a hash of the input.
private struct Choices {
    private var state: UInt64

    init(_ bytes: [UInt8]) {
        state = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(max(limit, 1)))
    }

    mutating func edit(of value: PropertyListValue) -> PropertyListEdit {
        let (steps, target) = path(in: value)
        let isReference = target.kind == .uid
        return PropertyListEdit(
            PropertyListKeyPath(steps), isReference ? .set(self.value()) : operation())
    }

    /// Returns a path that usually leads to an existing value.
    private mutating func path(
        in value: PropertyListValue
    ) -> ([PropertyListKeyPath.Step], PropertyListValue) {
        var steps: [PropertyListKeyPath.Step] = []
        var value = value
        while below(5) > 0 {
            switch value {
            case .dictionary(let entries) where below(6) > 0 && !entries.isEmpty:
                let (key, inner) = entries[below(entries.count)]
                steps.append(.key(key))
                value = inner
            case .array(let elements), .set(let elements):
                let index = below(elements.count + 1)
                steps.append(.index(index))
                guard index < elements.count else { return (steps, .null) }
                value = elements[index]
            // In an archive, a step beyond a UID would lead into another object.
            case .uid: return (steps, value)
            default: return (steps + [.key(["new", "a.b", "", "é"][below(4)])], .null)
            }
        }
        return (steps, value)
    }

    private mutating func operation() -> PropertyListEdit.Operation {
        switch below(7) {
        case 0: .remove
        case 1: .rename(["new", "other", "a<b"][below(3)])
        case 2: .append(value())
        case 3: .merge(value())
        case 4: .insert(value())
        default: .set(value())
        }
    }

    private mutating func value() -> PropertyListValue {
        let values: [PropertyListValue] = [
            "text", "a\nb <&>", 1, true, .data([0, 1, 2]), [], [:], ["x", [1]], ["new": ["k": "v"]],
            ["a": 1, "new": ["z": 2.5]], .date(PropertyListDate(secondsSince2001: 1)), "é",
        ]
        return values[below(values.count)]
    }
}

/// A simple model of edits, which copies the value recursively.
private enum PlainEdit {
    static func apply(
        _ edit: PropertyListEdit, to value: PropertyListValue
    ) -> PropertyListValue? {
        apply(edit.operation, edit.path.steps[...], to: value)
    }

    private static func apply(
        _ operation: PropertyListEdit.Operation,
        _ steps: ArraySlice<PropertyListKeyPath.Step>, to value: PropertyListValue
    ) -> PropertyListValue? {
        if case .append(let new) = operation, steps.isEmpty { return append(new, to: value) }
        if case .merge(let new) = operation, steps.isEmpty { return merge(new, into: value) }
        guard let step = steps.first else {
            if case .set(let new) = operation { return new }
            return nil
        }
        var isDirect = steps.count == 1
        switch operation {
        case .append, .merge: isDirect = false
        default: break
        }
        switch (value, step) {
        case (.dictionary(var entries), .key(let key)):
            if isDirect { return change(entries, key, operation).map(PropertyListValue.dictionary) }
            guard let inner = entries[key],
                let changed = apply(operation, steps.dropFirst(), to: inner)
            else { return nil }
            entries[key] = changed
            return .dictionary(entries)
        case (.array(let elements), .index(let index)), (.set(let elements), .index(let index)):
            var elements = Array(elements)
            if isDirect {
                guard change(&elements, index, operation) else { return nil }
            } else {
                guard elements.indices.contains(index),
                    let changed = apply(operation, steps.dropFirst(), to: elements[index])
                else { return nil }
                elements[index] = changed
            }
            let array = PropertyListArray(elements)
            return value.kind == .set ? .set(array) : .array(array)
        default: return nil
        }
    }

    private static func change(
        _ entries: PropertyListDictionary, _ key: String, _ operation: PropertyListEdit.Operation
    ) -> PropertyListDictionary? {
        var entries = entries
        switch operation {
        case .set(let new): entries[key] = new
        case .insert(let new, _):
            if entries[key] != nil { return nil }
            entries[key] = new
        case .remove:
            if entries.removeValue(forKey: key) == nil { return nil }
        case .rename(let name):
            guard entries[key] != nil else { return nil }
            if key.utf8.elementsEqual(name.utf8) { return entries }
            if entries[name] != nil { return nil }
            return PropertyListDictionary(
                entries.map { ($0.key.utf8.elementsEqual(key.utf8) ? name : $0.key, $0.value) })
        case .append, .merge: return nil
        }
        return entries
    }

    private static func change(
        _ elements: inout [PropertyListValue], _ index: Int,
        _ operation: PropertyListEdit.Operation
    ) -> Bool {
        switch operation {
        case .set(let new) where index < elements.count: elements[index] = new
        case .insert(let new, _) where index <= elements.count: elements.insert(new, at: index)
        case .remove where index < elements.count: elements.remove(at: index)
        default: return false
        }
        return true
    }

    private static func append(
        _ new: PropertyListValue, to value: PropertyListValue
    ) -> PropertyListValue? {
        switch value {
        case .array(let elements): .array(PropertyListArray(Array(elements) + [new]))
        case .set(let elements): .set(PropertyListArray(Array(elements) + [new]))
        default: nil
        }
    }

    private static func merge(
        _ new: PropertyListValue, into value: PropertyListValue
    ) -> PropertyListValue? {
        switch (value, new) {
        case (.array(let elements), .array(let others)):
            return .array(PropertyListArray(Array(elements) + Array(others)))
        case (.set(let elements), .array(let others)):
            return .set(PropertyListArray(Array(elements) + Array(others)))
        case (.dictionary(var entries), .dictionary(let others)):
            for (key, other) in others {
                let both = entries[key].flatMap {
                    $0.dictionary != nil && other.dictionary != nil
                        ? merge(other, into: $0) : nil
                }
                entries[key] = both ?? other
            }
            return .dictionary(entries)
        default: return nil
        }
    }
}
