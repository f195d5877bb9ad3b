// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

// MARK: - Finding

extension EditTree: KeyPathWalk {
    var rootPlace: Slot { .root }
    var isArchive: Bool { document.looksLikeKeyedArchive }

    func kind(at slot: Slot) -> PropertyListKind { kind(of: self[slot]) }

    func uid(at slot: Slot) -> UInt32? {
        switch self[slot] {
        case .source(let node): document.node(node).uid?.value
        case .value(let number): values[Int(number)].uid?.value
        case .opened, .nested: nil
        }
    }

    mutating func container(at slot: Slot) throws(PropertyListError) -> Int? { try open(slot) }

    /// Rejects a step into data or a string. `PropertyListEditor` follows such steps itself, so
    /// this function is never called.
    mutating func content(
        at slot: Slot, _ path: PropertyListKeyPath, _ position: Int
    ) throws(PropertyListError) -> Slot {
        try child(of: slot, path, position)
    }

    func kind(of container: Int) -> PropertyListKind { containers[container].kind }

    func place(ofKey key: String, in container: Int) -> Slot? {
        position(of: key, in: container).map { .child(container: container, position: $0) }
    }

    func elementCount(of container: Int) -> Int { containers[container].elements.count }

    func place(ofElement index: Int, in container: Int) -> Slot {
        .child(container: container, position: containers[container].elements[index])
    }

    /// Returns the value of the scalar at a slot. For a container, returns a placeholder that is
    /// not a string or data.
    func scalar(
        at slot: Slot, _ path: PropertyListKeyPath, _ position: Int
    ) throws(PropertyListError) -> PropertyListValue {
        switch self[slot] {
        case .source(let node):
            let node = document.node(node)
            return node.kind.isContainer ? [] : try node.value(limits: limits)
        case .value(let number): return values[Int(number)]
        case .opened(let number): return containers[Int(number)].kind == .dictionary ? [:] : []
        case .nested: return .null
        }
    }
}

// MARK: - Changing

extension EditTree {
    /// Applies an edit whose path does not lead into a nested property list.
    mutating func apply(_ edit: PropertyListEdit) throws(PropertyListError) {
        let path = edit.path
        if let value = edit.operation.value { try admit(value) }
        switch edit.operation {
        case .append(let value):
            let container = try openTarget(path)
            guard containers[container].kind != .dictionary else {
                throw Self.wrongKind(path, "cannot append to a dictionary; set a key instead")
            }
            containers[container].append(add(value))
        case .merge(let value): try merge(value, into: try openTarget(path), path)
        default:
            guard let last = path.steps.indices.last, !path.endsWithObject else {
                return try applyToWhole(edit)
            }
            let parent = try place(of: path, upTo: last)
            let container = try container(at: parent, path, last)
            switch try selector(path, last, in: container) {
            case .key(let key): try apply(edit.operation, to: key, in: container, path)
            case .index(let index): try apply(edit.operation, at: index, in: container, path)
            case .end:
                let end = containers[container].elements.count
                try apply(edit.operation, at: end, in: container, path)
            }
        }
    }

    /// Opens the container at the end of a path.
    private mutating func openTarget(
        _ path: PropertyListKeyPath
    ) throws(PropertyListError) -> Int {
        let slot = try place(of: path, upTo: path.steps.count)
        return try container(at: slot, path, path.steps.count)
    }

    /// Sets the root or an object of an archive. Removing, inserting and renaming are errors: the
    /// root has no container, an object has no key, and the later objects of an archive would get
    /// other numbers.
    private mutating func applyToWhole(_ edit: PropertyListEdit) throws(PropertyListError) {
        let path = edit.path
        guard case .set(let value) = edit.operation else {
            throw Self.wrongKind(
                path,
                path.steps.isEmpty
                    ? "the root cannot be removed, inserted or renamed: it has no key or index"
                    : "an object of an archive cannot be removed, inserted or renamed: it has no key, "
                        + "and all later objects would be renumbered")
        }
        try set(value, at: try place(of: path, upTo: path.steps.count))
    }

    private mutating func apply(
        _ operation: PropertyListEdit.Operation, to key: String, in container: Int,
        _ path: PropertyListKeyPath
    ) throws(PropertyListError) {
        let known = position(of: key, in: container)
        let last = path.steps.count - 1
        switch operation {
        case .set(let value): try set(value, forKey: key, in: container)
        case .insert(let value, let other):
            if known != nil { throw Self.duplicateKey(path, key) }
            let place = other.flatMap { position(of: $0, in: container) }
            if let other, place == nil { throw noPreviousKey(other, in: container) }
            add(key, value, to: container, after: place)
        case .remove:
            guard let known else { throw path.noKey(last, key, among: keys(in: container)) }
            containers[container].removeEntry(known, key: key)
        case .rename(let name):
            guard let known else { throw path.noKey(last, key, among: keys(in: container)) }
            try rename(known, from: key, to: name, in: container, path)
        case .append, .merge: break
        }
    }

    private mutating func rename(
        _ position: Int, from key: String, to name: String, in container: Int,
        _ path: PropertyListKeyPath
    ) throws(PropertyListError) {
        if key.isLiterally(name) { return }
        if self.position(of: name, in: container) != nil { throw Self.duplicateKey(path, name) }
        containers[container].rename(position, from: key, to: name, add(key: name))
    }

    private mutating func apply(
        _ operation: PropertyListEdit.Operation, at index: Int, in container: Int,
        _ path: PropertyListKeyPath
    ) throws(PropertyListError) {
        let last = path.steps.count - 1
        let count = containers[container].elements.count
        switch operation {
        case .set(let value) where index < count:
            let position = containers[container].elements[index]
            try set(value, at: .child(container: container, position: position))
        case .set(let value) where path.steps.last == .name("-"):
            containers[container].insert(add(value), at: index)
        case .insert(_, .some):
            throw Self.wrongKind(path, "an array element cannot be inserted after a key")
        case .insert(let value, nil) where index <= count:
            containers[container].insert(add(value), at: index)
        case .insert: throw path.noInsertion(last, count: count)
        case .remove where index < count: containers[container].removeElement(at: index)
        case .rename:
            throw Self.wrongKind(path, "an element of an array has no key to rename")
        default: throw path.noIndex(last, count: count)
        }
    }

    private mutating func set(
        _ value: PropertyListValue, forKey key: String, in container: Int
    ) throws(PropertyListError) {
        if let known = position(of: key, in: container) {
            try set(value, at: .child(container: container, position: known))
        } else {
            add(key, value, to: container)
        }
    }

    private mutating func add(
        _ key: String, _ value: PropertyListValue, to container: Int, after position: Int? = nil
    ) {
        let content = add(value)
        containers[container].add(add(key: key), key, content, after: position)
    }

    /// Stores a value in a slot. If the slot holds an equal value of the source, keeps that value
    /// and its formatting.
    private mutating func set(
        _ value: PropertyListValue, at slot: Slot
    ) throws(PropertyListError) {
        if case .source(let number) = self[slot] {
            if try isSame(document.node(number), as: value) { return }
        }
        self[slot] = add(value)
    }

    /// Merges dictionary entries into a dictionary, or appends the elements of an array. Uses an
    /// explicit stack instead of recursion.
    private mutating func merge(
        _ value: PropertyListValue, into container: Int, _ path: PropertyListKeyPath
    ) throws(PropertyListError) {
        let kind = containers[container].kind
        if kind != .dictionary, value.array != nil, let elements = value.storage?.values {
            let first = append(elements)
            let end = Self.number(values.count)
            return containers[container].append(values: first..<end)
        }
        guard kind == .dictionary, let entries = value.dictionary else {
            throw Self.wrongKind(
                path,
                "cannot merge a value of kind \(value.kind) into one of kind \(kind)")
        }
        var pending = [(container, entries)]
        while let (container, entries) = pending.popLast() {
            for (key, value) in entries {
                try charge(key: key)
                if let inner = value.dictionary, let known = position(of: key, in: container),
                    self.kind(of: content(known, container)) == .dictionary,
                    let opened = try open(.child(container: container, position: known))
                {
                    pending.append((opened, inner))
                } else {
                    try set(value, forKey: key, in: container)
                }
            }
        }
    }

    private func content(_ position: Int, _ container: Int) -> Content {
        containers[container].children[position].content
    }

    private static func wrongKind(
        _ path: PropertyListKeyPath, _ what: String
    ) -> PropertyListError {
        path.error(.wrongKind, at: max(path.steps.count - 1, 0), what)
    }

    private func noPreviousKey(_ key: String, in container: Int) -> PropertyListError {
        let neighbor = PropertyListKeyPath.neighbor(of: key, among: keys(in: container))
        return PropertyListError(
            .noSuchValue, what: "missing key `\(TerminalText.escaped(key))` to insert after",
            recovery: neighbor.map { "there is `\($0)`" })
    }

    private static func duplicateKey(
        _ path: PropertyListKeyPath, _ key: String
    ) -> PropertyListError {
        path.error(
            .duplicateKey, at: path.steps.count - 1,
            "the key `\(TerminalText.escaped(key))` already exists", recovery: "set its value")
    }
}

extension PropertyListKeyPath {
    fileprivate var endsWithObject: Bool {
        if case .object = steps.last { true } else { false }
    }
}
