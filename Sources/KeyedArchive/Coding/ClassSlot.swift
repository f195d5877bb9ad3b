// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// What an entry of `$objects` is, in two bytes: the number of a class in the reader's table, or one
/// of a few constants.
struct ClassNumber: Hashable {
    var value: UInt32

    static let string = ClassNumber(value: 0)
    static let number = ClassNumber(value: 1)
    static let data = ClassNumber(value: 2)
    static let date = ClassNumber(value: 3)
    /// The first class that the archive describes itself.
    static let firstDescribed: UInt32 = 4
    /// The entry is nil.
    static let null = ClassNumber(value: .max)
    /// The entry describes a class.
    static let description = ClassNumber(value: .max - 1)

    /// Whether the entry is a string, a number, data or a date.
    var isLeaf: Bool { value < Self.firstDescribed }
    /// Whether the entry is an object, plain or not.
    var isObject: Bool { value < Self.description.value }
}

/// A class of an archive that is being read, and what it stands for.
final class ClassSlot {
    let archivedClass: ArchivedClass
    // What the registry says of it, once that has been asked.
    private var listing: ClassRegistry.Meaning??
    /// What the type says of it that was asked for at the root; nil where it does not consist of it.
    var askedFor: ClassRegistry.Meaning?
    /// The root of which ``askedFor`` is true, by its place among those that were read.
    var root = 0
    /// A type that has been found to be read from the class.
    var acceptedType: ObjectIdentifier?

    init(_ archivedClass: ArchivedClass) { self.archivedClass = archivedClass }

    /// What the registry, which is always the same, says of the class; nil where it is not allowed.
    func listed(in registry: ClassRegistry) -> ClassRegistry.Meaning? {
        if let listing { return listing }
        let meaning = registry.binding(of: archivedClass)
        listing = .some(meaning)
        return meaning
    }

    /// Whether the registry, which is always the same, allows the class.
    func isListed(in registry: ClassRegistry) -> Bool {
        switch listing {
        case .some(.some): true
        case .some(.none): false
        case .none: listed(in: registry) != nil
        }
    }

    /// The classes of plain values, in the order of their numbers.
    static let leaves = ["NSString", "NSNumber", "NSData", "NSDate"].map {
        ArchivedClass(name: $0, chain: [$0, "NSObject"])
    }
}
