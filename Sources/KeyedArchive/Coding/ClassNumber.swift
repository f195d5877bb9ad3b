// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary

/// The number of the class of an entry of `$objects`, or a constant for an entry that is not an
/// object.
struct ClassNumber: Hashable {
    var value: UInt32

    static let string = ClassNumber(value: 0)
    static let number = ClassNumber(value: 1)
    static let data = ClassNumber(value: 2)
    static let date = ClassNumber(value: 3)
    /// The number of the first class that the archive describes.
    static let firstDescribed: UInt32 = 4
    /// The constant for an entry that is nil.
    static let null = ClassNumber(value: .max)
    /// The constant for an entry that describes a class.
    static let description = ClassNumber(value: .max - 1)

    /// A Boolean value indicating whether the entry is a string, a number, data or a date.
    var isLeaf: Bool { value < Self.firstDescribed }
    /// A Boolean value indicating whether the entry is a plain value or an object with fields.
    var isObject: Bool { value < Self.description.value }
}

extension ArchivedClass {
    /// The classes of plain values, in the order of their numbers.
    static let leaves = [
        FoundationClass.string, FoundationClass.number, FoundationClass.data, FoundationClass.date,
    ].map {
        ArchivedClass(name: $0, chain: [$0, FoundationClass.object])
    }
}
