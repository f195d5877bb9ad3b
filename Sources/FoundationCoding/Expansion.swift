// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
internal import PropertyList

/// The size of an object as a tree of values, in which a shared object counts once per reference.
///
/// The numbers are floating-point, because a hundred nested arrays may have more values than an
/// `Int` can hold.
struct Expansion {
    /// The number of values.
    private(set) var values: Float
    /// The work of comparing the object with another. Foundation on Linux converts a whole
    /// collection at each level of a comparison, so this is the sum of the sizes of all subtrees.
    /// Each KiB of a text counts as a value.
    private(set) var work: Float
    /// A Boolean value indicating whether the object is hashable after Foundation on Linux has
    /// bridged it to Swift. Arrays and dictionaries are not.
    private let isHashable: Bool
    /// A Boolean value indicating whether the object can be compared. Foundation on Linux crashes
    /// when it compares a set or a dictionary whose elements or keys are not hashable in Swift.
    private(set) var isComparable = true

    /// An empty array or dictionary.
    static let list = Expansion(values: 1, work: 1, isHashable: false)

    private init(values: Float, work: Float, isHashable: Bool) {
        self.values = values
        self.work = work
        self.isHashable = isHashable
    }

    /// Creates the expansion of an object that is not a collection, with `size` bytes of contents.
    init(leafOf size: Int) {
        self.init(values: 1, work: Float(size >> 10), isHashable: true)
    }

    /// Returns the expansion of a set.
    static func set(of elements: some Sequence<ObjectElement>) -> Expansion {
        var expansion = Expansion(values: 1, work: 1, isHashable: true)
        for element in elements { expansion.add(element.expansion, isHashed: true) }
        return expansion
    }

    /// Returns the expansion of a dictionary.
    static func dictionary(of pairs: [(key: ObjectElement, value: ObjectElement)]) -> Expansion {
        var expansion = list
        for (key, value) in pairs {
            expansion.add(key.expansion, isHashed: true)
            expansion.add(value.expansion)
        }
        return expansion
    }

    /// Adds an element. `isHashed` is true for elements of sets, and for keys.
    mutating func add(_ element: Expansion, isHashed: Bool = false) {
        values += element.values
        work += element.values + element.work
        #if !canImport(Darwin)
        if !element.isComparable || isHashed && !element.isHashable { isComparable = false }
        #endif
    }

    /// The number of values, for a charge.
    var size: Int { Self.charge(values) }

    /// Returns the charge for comparing the object with `count` others that have the same hash.
    ///
    /// For a collection, one more comparison is charged, because objects with different hashes may
    /// share a bucket of a hash table. Foundation takes several microseconds for each value, which
    /// is as long as the coder takes for several values.
    func charge(forComparisons count: Int) -> Int {
        Self.charge(values > 1 ? work * Float(count &+ 1) * 4 : (work + 1) * Float(count))
    }

    private static func charge(_ count: Float) -> Int {
        Int(exactly: min(count, 0x1p50).rounded()) ?? .max
    }
}

extension KeyedUnarchiverCoder {
    /// Returns the expansion of an object that the coder has read. If none is stored, the object
    /// counts as a leaf. If `object` is nil, a leaf that is archived with fields, such as an
    /// `NSURL`, counts as empty.
    func expansion(of reference: KeyedReference, _ object: AnyObject? = nil) -> Expansion {
        let number = reference.object.map { Int($0.value) }
        if let number, let known = expansions[number] { return known }
        let stored = reference.contentSize
        guard stored == 0, let number else { return Expansion(leafOf: stored) }
        let size = Self.contentSize(object)
        let expansion = Expansion(leafOf: size)
        if size > 0 { expansions[number] = expansion }
        return expansion
    }

    /// Returns the size of an object with fields: the contents that a comparison reads, in bytes,
    /// or in UTF-16 code units for a string.
    private static func contentSize(_ object: AnyObject?) -> Int {
        switch object {
        case let text as NSString: text.length
        case let data as NSData: data.length
        case let url as NSURL: (url as URL).absoluteString.utf8.count
        case let path as NSIndexPath: (path as IndexPath).count &* MemoryLayout<Int>.size
        case let set as NSIndexSet:
            BuiltInClass.ranges(of: set).count &* MemoryLayout<Range<Int>>.size
        default: 0
        }
    }

    /// Stores the expansion of the object that `coder` reads.
    func setExpansion(_ expansion: Expansion, of coder: KeyedDecoder) {
        if let uid = coder.uid { expansions[Int(uid.value)] = expansion }
    }

    /// Returns an element of a collection with its expansion.
    ///
    /// - Throws: the errors of ``element(_:)``.
    func objectElement(_ reference: KeyedReference) throws -> ObjectElement {
        let object = try element(reference)
        return ObjectElement(object: object, expansion: expansion(of: reference, object))
    }
}

// MARK: - Hashes

extension BuiltInClass {
    /// Checks that Foundation does not crash when it hashes or compares an element.
    private static func requireHash(
        of element: ObjectElement, _ role: String, _ coder: KeyedDecoder
    ) throws {
        #if !canImport(Darwin)
        guard let object = element.object else { return }
        let type: AnyClass = Swift.type(of: object)
        if type == NSError.self || type == NSDecimalNumber.self || type == NSMeasurement.self {
            throw refused(
                "expected \(role) that have a hash, found one of class \(type)", "hashes", coder)
        }
        if !element.expansion.isComparable {
            throw refused(
                "expected \(role) that Foundation can compare, found one with a set of collections "
                    + "or with keys that are collections", "compares", coder)
        }
        #endif
    }

    #if !canImport(Darwin)
    private static func refused(
        _ what: String, _ verb: String, _ coder: KeyedDecoder
    ) -> KeyedArchiveError {
        KeyedArchiveError(
            .wrongType, what: what, object: coder.uid,
            recovery: "use another class: Foundation would crash when it \(verb) the object")
    }
    #endif

    /// The maximum number of elements of one collection that may have the same hash.
    private static let mostCollisions = 1024

    /// The maximum number of short elements that need no charge. Comparing so few takes less time
    /// than reading them, even if all have the same hash.
    private static let fewElements = 16

    /// Checks that each element of a set, or each key of a dictionary, has a hash, and that not too
    /// many hashes collide. Charges the comparisons of elements with the same hash.
    ///
    /// The hashes of Foundation's classes have no seed, so an attacker can craft elements that
    /// collide. The hash of a collection is its count. The time to build a set of such elements
    /// grows with the square of their number, and with the size of each.
    static func requireHashes(
        of elements: some Collection<ObjectElement>, _ role: String, _ coder: KeyedDecoder
    ) throws {
        var work: Float = 0
        for element in elements {
            try requireHash(of: element, role, coder)
            work += element.expansion.work
        }
        let count = elements.count
        if count < 2 || work == 0 && count <= fewElements { return }
        var counts: [Int: Int] = [:]
        for element in elements {
            guard let hash = (element.object as? NSObject)?.hash else { continue }
            let collisions = counts[hash, default: 0]
            if collisions >= mostCollisions {
                throw KeyedArchiveError(
                    .expansionLimitExceeded,
                    what: "expected at most \(mostCollisions) \(role) with the same hash, "
                        + "found more",
                    object: coder.uid)
            }
            counts[hash] = collisions &+ 1
            try coder.charge(element.expansion.charge(forComparisons: collisions))
        }
    }
}
