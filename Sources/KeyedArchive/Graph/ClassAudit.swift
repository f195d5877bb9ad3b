// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) public import PropertyList

/// An object of an archive whose class a registry does not allow.
public struct DisallowedObject: Sendable {
    /// Its number in `$objects`.
    public let object: PropertyListUID
    /// Its class; `NSString`, `NSNumber`, `NSData` for plain values.
    public let archivedClass: ArchivedClass
    /// A shortest path to it from the roots, as in `root.friends[0].urls["home"]`; nil where no root leads
    /// to it. Linear in its length.
    ///
    /// It is put together when it is asked for: all paths together may be far longer than the archive.
    public var path: PropertyListPath? { ways.path(to: object.value) }

    /// The path as text, cut in the middle where it is long. Takes constant time for a path of any
    /// length, but the first time.
    package var pathDescription: String? { ways.pathDescription(to: object.value) }

    fileprivate let ways: WayFinder
}

extension ArchiveContents {
    /// The objects whose classes `registry` does not allow: nothing is made of any object. Linear.
    ///
    /// - Parameters:
    ///   - registry: the classes that are allowed.
    ///   - limits: how much the descriptions of the classes may expand to.
    /// - Returns: The objects, in their order.
    /// - Throws: `danglingReference`, `malformedObject`, `malformedClass`, `expansionLimitExceeded`.
    public func objects(
        notAllowedBy registry: ClassRegistry, limits: ParsingLimits = .default
    ) throws(KeyedArchiveError) -> [DisallowedObject] {
        let table = DocumentTable(document)
        let index = try ArchiveIndex(self, table, limits)
        let classes = ArchivedClass.leaves + index.classes
        let isAllowed = classes.map { registry.match(of: $0) != nil }
        var ways: WayFinder?
        var found: [DisallowedObject] = []
        for number in 0..<index.count {
            let object = UInt32(truncatingIfNeeded: number)
            let classNumber = index.classNumber(of: object)
            if !classNumber.isObject || isAllowed[Int(classNumber.value)] { continue }
            let finder = ways ?? WayFinder(self, index)
            ways = finder
            found.append(
                DisallowedObject(
                    object: PropertyListUID(object), archivedClass: classes[Int(classNumber.value)],
                    ways: finder))
        }
        return found
    }
}

/// Shortest ways from the roots of an archive to its objects.
private struct WayFinder: Sendable {
    private struct Step: Sendable {
        /// The object that refers to this one; `root` for the roots, `none` where nothing does.
        var parent: UInt32
        /// The node of the key under which it does.
        var key: UInt32
        /// The place in the list that stands there; -1 where it is no list.
        var index: Int32
        /// The number of objects on the path, with this one.
        var depth: UInt32 = 1
        /// The last object on the path whose depth is at most `longestEnd`.
        var anchor: UInt32 = 0
    }

    // Texts of paths show no more objects at either end.
    private static let longestEnd = 64
    // Longer keys are cut in the text of a path.
    private static let longestKey = 200

    private static let root = UInt32.max
    private static let none = UInt32.max - 1

    private let document: PropertyListDocument
    private let objectsNumber: UInt32
    private var steps: [Step]
    private var queue: [UInt32] = []
    // Containers that have been gone through: they may be shared.
    private var isKnown: [Bool]

    /// Follows every reference once, the nearest to the roots first.
    init(_ contents: ArchiveContents, _ index: ArchiveIndex) {
        document = contents.document
        objectsNumber = contents.objectsNumber
        steps = [Step](
            repeating: Step(parent: Self.none, key: 0, index: -1), count: index.count)
        isKnown = [Bool](repeating: false, count: DocumentTable(document).count)
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
        guard !isKnown[fields.number], let entries = fields.dictionary else { return }
        isKnown[fields.number] = true
        for entry in entries {
            let key = UInt32(truncatingIfNeeded: entry.keyNode.number)
            if let uid = entry.value.uid {
                enqueue(uid.value, Step(parent: parent, key: key, index: -1))
            }
            guard !isKnown[entry.value.number], let elements = entry.value.array else { continue }
            isKnown[entry.value.number] = true
            for (place, element) in elements.enumerated() {
                guard let uid = element.uid else { continue }
                let index = Int32(truncatingIfNeeded: place)
                enqueue(uid.value, Step(parent: parent, key: key, index: index))
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
        // The text of a path leaves out the middle in any case.
        let head = components(to: step.anchor, atMost: Self.longestEnd, shortened)
        let tail = components(to: object, atMost: Self.longestEnd, shortened)
        return PropertyListPath(head + tail).description
    }

    private func shortened(_ key: UInt32) -> String {
        guard let head = document.node(key).beginning(Self.longestKey) else { return "" }
        return head.isWhole ? head.text : head.text + "…"
    }

    /// The last components of the path to an object, for `count` objects at most.
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

    /// The step to an element of an array or a set, or to the value of a key of a dictionary; nil for a field of
    /// another object.
    private func element(
        _ step: Step, _ text: (UInt32) -> String
    ) -> PropertyListPath.Component? {
        guard step.index >= 0, document.node(step.key).isString(FoundationField.objects) else {
            return nil
        }
        let index = Int(step.index)
        guard let keys = object(step.parent)?[FoundationField.keys]?.array else {
            return .index(index)
        }
        guard index < keys.count, let key = keys[index].uid.flatMap({ object($0.value) }),
            key.kind == .string
        else { return nil }
        return .entry(text(UInt32(truncatingIfNeeded: key.number)))
    }

    /// The entry of an object in the archive; nil for the roots.
    private func object(_ number: UInt32) -> PropertyListNode? {
        guard let objects = document.node(objectsNumber).array, number < objects.count else {
            return nil
        }
        return objects[Int(number)]
    }
}

extension PropertyListNode {
    /// Returns whether the node is a string of this text in ASCII. Takes time in proportion to `text`.
    fileprivate func isString(_ text: String) -> Bool {
        guard let head = beginning(text.utf8.count) else { return false }
        return head.isWhole && head.text.isLiterally(text)
    }
}
