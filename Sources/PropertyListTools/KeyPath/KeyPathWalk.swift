// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import PropertyList

/// A property list in which key paths are resolved: a document, or a document with edits.
///
/// This protocol decides the meaning of steps and their errors. A conforming type describes the
/// content of its places.
protocol KeyPathWalk {
    /// A place for a value.
    associatedtype Place
    /// A container, ready for the next step.
    associatedtype Branch
    associatedtype Keys: Sequence<String>

    var rootPlace: Place { get }
    /// A Boolean value that says whether the property list is a keyed archive, in which steps
    /// follow references.
    var isArchive: Bool { get }

    func kind(at place: Place) -> PropertyListKind
    /// Returns the number of the object to which the UID at a place refers, or nil if the value is
    /// not a UID.
    func uid(at place: Place) -> UInt32?
    /// Returns the container at a place, or nil for a scalar.
    mutating func container(at place: Place) throws(PropertyListError) -> Branch?
    /// Returns the root of the property list inside data or a string.
    mutating func content(
        at place: Place, _ path: PropertyListKeyPath, _ position: Int
    ) throws(PropertyListError) -> Place

    func kind(of container: Branch) -> PropertyListKind
    func place(ofKey key: String, in container: Branch) -> Place?
    func keys(in container: Branch) -> Keys
    /// Returns the number of elements of an array or a set.
    func elementCount(of container: Branch) -> Int
    /// Returns the place of an element.
    ///
    /// - Precondition: `index` is at least 0 and below the number of elements.
    func place(ofElement index: Int, in container: Branch) -> Place
}

extension KeyPathWalk {
    /// Returns the place to which the first `count` steps of a path lead.
    ///
    /// - Throws: `noSuchValue`, and the errors of ``container(at:)`` and ``content(at:_:_:)``.
    mutating func place(
        of path: PropertyListKeyPath, upTo count: Int
    ) throws(PropertyListError) -> Place {
        var place = rootPlace
        for position in 0..<count {
            switch path.steps[position] {
            case .object(let number): place = try object(number, path, position)
            case .content: place = try content(at: place, path, position)
            default: place = try child(of: place, path, position)
            }
        }
        return place
    }

    /// Returns the place to which the step at `position` leads.
    mutating func child(
        of place: Place, _ path: PropertyListKeyPath, _ position: Int
    ) throws(PropertyListError) -> Place {
        let container = try container(at: place, path, position)
        switch try selector(path, position, in: container) {
        case .key(let key):
            guard let child = self.place(ofKey: key, in: container) else {
                throw path.noKey(position, key, among: keys(in: container))
            }
            return child
        case .index(let index):
            try checkIndex(index, in: container, path, position)
            return self.place(ofElement: index, in: container)
        case .end: throw path.noIndex(position, count: elementCount(of: container))
        }
    }

    /// Returns the container to which the step at `position` applies: the container at a place, or
    /// the object to which the UID at that place refers.
    mutating func container(
        at place: Place, _ path: PropertyListKeyPath, _ position: Int
    ) throws(PropertyListError) -> Branch {
        if let container = try container(at: place) { return container }
        guard isArchive, let number = uid(at: place) else {
            throw path.misstep(position, in: kind(at: place))
        }
        let object = try object(number, path, position)
        if let container = try container(at: object) { return container }
        throw path.misstep(position, in: kind(at: object))
    }

    /// Returns the meaning of the step at `position` in a container.
    func selector(
        _ path: PropertyListKeyPath, _ position: Int, in container: Branch
    ) throws(PropertyListError) -> PropertyListKeyPath.Step.Selector {
        let kind = kind(of: container)
        guard let selector = path.steps[position].selector(in: kind) else {
            throw path.misstep(position, in: kind)
        }
        if case .index(let index) = selector, index < 0 {
            throw path.noIndex(position, count: elementCount(of: container))
        }
        return selector
    }

    private mutating func object(
        _ number: UInt32, _ path: PropertyListKeyPath, _ position: Int
    ) throws(PropertyListError) -> Place {
        guard isArchive, let root = try container(at: rootPlace),
            let place = place(ofKey: ArchiveFormat.objectsKey, in: root),
            let objects = try container(at: place), kind(of: objects) == .array
        else { throw path.notAnArchive(position) }
        // `Int` has 32 bits on some platforms, and object numbers are unsigned.
        let index = Int(clamping: number)
        try checkIndex(index, in: objects, path, position)
        return self.place(ofElement: index, in: objects)
    }

    private func checkIndex(
        _ index: Int, in container: Branch, _ path: PropertyListKeyPath, _ position: Int
    ) throws(PropertyListError) {
        let count = elementCount(of: container)
        if index >= count { throw path.noIndex(position, count: count) }
    }
}
