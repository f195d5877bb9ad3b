// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) public import PropertyList

/// An object of an archive whose class a registry does not allow.
public struct DisallowedObject: Sendable {
    /// The number of the object in `$objects`.
    public let object: PropertyListUID
    /// The class of the object; `NSString`, `NSNumber`, `NSData` or `NSDate` for a plain value.
    public let archivedClass: ArchivedClass
    /// A shortest path from the roots to the object, as in `root.friends[0].urls["home"]`; nil if
    /// the object is unreachable.
    ///
    /// If a reference is in nested containers within a field, which no archiver writes, the path
    /// ends with the field, or with the element of the field that contains the reference.
    ///
    /// The path is built on each access, because all paths together may be far longer than the
    /// archive.
    ///
    /// - Complexity: Linear in the length of the path.
    public var path: PropertyListPath? { paths.path(to: object.value) }

    /// The path as text, with the middle left out if it is long. Takes constant time, whatever the
    /// length of the path.
    package var pathDescription: String? { paths.pathDescription(to: object.value) }

    fileprivate let paths: PathFinder
}

extension ArchiveContents {
    /// Returns the objects whose classes `registry` does not allow, without decoding any object.
    /// Linear.
    ///
    /// - Parameters:
    ///   - registry: the allowed classes.
    ///   - limits: the limits for expanding the descriptions of the classes.
    /// - Returns: The objects, in the order of `$objects`.
    /// - Throws: `danglingReference`, `malformedObject`, `malformedClass`,
    ///   `expansionLimitExceeded`, `invalidPropertyList`.
    public func objects(
        notAllowedBy registry: ClassRegistry, limits: ParsingLimits = .default
    ) throws(KeyedArchiveError) -> [DisallowedObject] {
        let table = DocumentTable(document)
        let index = try ArchiveIndex(self, table, limits)
        let classes = ArchivedClass.leaves + index.classes
        let isAllowed = classes.map { registry.match(of: $0) != nil }
        var paths: PathFinder?
        var found: [DisallowedObject] = []
        for number in 0..<index.count {
            let object = UInt32(truncatingIfNeeded: number)
            let classNumber = index.classNumber(of: object)
            if !classNumber.isObject || isAllowed[Int(classNumber.value)] { continue }
            let finder = paths ?? PathFinder(self, index)
            paths = finder
            found.append(
                DisallowedObject(
                    object: PropertyListUID(object), archivedClass: classes[Int(classNumber.value)],
                    paths: finder))
        }
        return found
    }
}

/// The shortest paths from the roots of an archive to its objects, found by a breadth-first search.
private struct PathFinder: Sendable {
    private struct Step: Sendable {
        /// The object with the reference; `root` for the roots, `none` for an unreachable object.
        var parent: UInt32
        /// The node of the key of the field with the reference.
        var key: UInt32
        /// The index of the reference if the field is an array; otherwise -1.
        var index: Int32
        /// The number of objects on the path, including this one.
        var depth: UInt32 = 1
        /// The last object on the path whose depth is at most `longestEnd`.
        var anchor: UInt32 = 0
    }

    // The maximum number of objects at either end of a path that its description shows.
    private static let longestEnd = 64
    // The maximum number of scalars of a key in the description of a path.
    private static let longestKey = 200

    private static let root = UInt32.max
    private static let none = UInt32.max - 1

    private let document: PropertyListDocument
    private let objectsNumber: UInt32
    private var steps: [Step]
    private var queue: [UInt32] = []
    // By node: whether a container has been visited. Containers may be shared.
    private var isVisited: [Bool]

    /// Traverses the archive breadth first, following every reference once.
    init(_ contents: ArchiveContents, _ index: ArchiveIndex) {
        document = contents.document
        objectsNumber = contents.objectsNumber
        steps = [Step](
            repeating: Step(parent: Self.none, key: 0, index: -1), count: index.count)
        isVisited = [Bool](repeating: false, count: DocumentTable(document).count)
        enqueue(document.node(contents.topNumber), from: Self.root)
        var next = 0
        while next < queue.count {
            let object = queue[next]
            next += 1
            let number = index.classNumber(of: object)
            if number.isObject, !number.isLeaf {
                enqueue(document.node(index.node(of: object)), from: object)
            }
        }
    }

    private mutating func enqueue(_ fields: PropertyListNode, from parent: UInt32) {
        guard !isVisited[fields.number], let entries = fields.dictionary else { return }
        isVisited[fields.number] = true
        for entry in entries {
            var step = Step(
                parent: parent, key: UInt32(truncatingIfNeeded: entry.keyNode.number), index: -1)
            guard !isVisited[entry.value.number], let elements = entry.value.array else {
                enqueueAll(in: entry.value, step)
                continue
            }
            isVisited[entry.value.number] = true
            for (place, element) in elements.enumerated() {
                step.index = Int32(truncatingIfNeeded: place)
                enqueueAll(in: element, step)
            }
        }
    }

    /// Enqueues the object that a value refers to, or all objects that an inline container refers
    /// to, with the same step.
    private mutating func enqueueAll(in value: PropertyListNode, _ step: Step) {
        if let uid = value.uid { return enqueue(uid.value, step) }
        if !value.kind.isContainer { return }
        var pending = [value]
        while let container = pending.popLast() {
            if isVisited[container.number] { continue }
            isVisited[container.number] = true
            for child in container.childNodes {
                if let uid = child.uid {
                    enqueue(uid.value, step)
                } else if child.kind.isContainer {
                    pending.append(child)
                }
            }
        }
    }

    private mutating func enqueue(_ object: UInt32, _ step: Step) {
        guard steps[Int(object)].parent == Self.none else { return }
        var step = step
        step.anchor = object
        if step.parent != Self.root {
            let parent = steps[Int(step.parent)]
            step.depth = parent.depth &+ 1
            if step.depth > Self.longestEnd { step.anchor = parent.anchor }
        }
        steps[Int(object)] = step
        queue.append(object)
    }

    func path(to object: UInt32) -> PropertyListPath? {
        if steps[Int(object)].parent == Self.none { return nil }
        return PropertyListPath(
            components(to: object, atMost: .max) { document.node($0).string ?? "" })
    }

    func pathDescription(to object: UInt32) -> String? {
        let step = steps[Int(object)]
        if step.parent == Self.none { return nil }
        if step.depth <= 2 &* Self.longestEnd {
            return PropertyListPath(
                components(to: object, atMost: 2 &* Self.longestEnd, shortened)
            ).description
        }
        // The description of a path of this length leaves out the middle anyway.
        let head = components(to: step.anchor, atMost: Self.longestEnd, shortened)
        let tail = components(to: object, atMost: Self.longestEnd, shortened)
        return PropertyListPath(head + tail).description
    }

    private func shortened(_ key: UInt32) -> String {
        guard let head = document.node(key).beginning(Self.longestKey) else { return "" }
        return head.isWhole ? head.text : head.text + "…"
    }

    /// Returns the last components of the path to an object, for at most `count` objects.
    private func components(
        to object: UInt32, atMost count: Int, _ text: (UInt32) -> String
    ) -> [PropertyListPath.Component] {
        var components: [PropertyListPath.Component] = []
        var next = object
        var rest = count
        while next != Self.root, rest > 0 {
            let step = steps[Int(next)]
            if let element = element(step, text) {
                components.append(element)
            } else {
                if step.index >= 0 { components.append(.index(Int(step.index))) }
                components.append(.key(text(step.key)))
            }
            next = step.parent
            rest &-= 1
        }
        return components.reversed()
    }

    /// Returns the path component for an element of an array or set, or for a value of a
    /// dictionary. Returns nil for a root, for a field of any other object, and for a value whose
    /// key is not a string.
    private func element(
        _ step: Step, _ text: (UInt32) -> String
    ) -> PropertyListPath.Component? {
        guard step.index >= 0, step.parent != Self.root,
            document.node(step.key).isString(FoundationField.objects)
        else { return nil }
        let index = Int(step.index)
        guard let keys = object(step.parent)?[FoundationField.keys]?.array else {
            return .index(index)
        }
        guard index < keys.count, let key = keys[index].uid.flatMap({ object($0.value) }),
            key.kind == .string
        else { return nil }
        return .entry(text(UInt32(truncatingIfNeeded: key.number)))
    }

    /// Returns the entry of an object in the archive; nil for a number without one.
    private func object(_ number: UInt32) -> PropertyListNode? {
        guard let objects = document.node(objectsNumber).array, number < objects.count else {
            return nil
        }
        return objects[Int(number)]
    }
}

extension PropertyListNode {
    /// Returns whether the node is a string equal to this ASCII text. Linear in `text`.
    fileprivate func isString(_ text: String) -> Bool {
        guard let head = beginning(text.utf8.count) else { return false }
        return head.isWhole && head.text.isLiterally(text)
    }
}
