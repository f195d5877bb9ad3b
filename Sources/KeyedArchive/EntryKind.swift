// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// The kind of an entry of `$objects`.
///
/// Three types classify entries by these rules. ``ArchiveContents`` classifies single entries and
/// returns views of them. ``NumberedEntries`` classifies single entries without creating views.
/// ``ArchiveIndex`` classifies all entries at once.
enum EntryKind {
    /// Nil, stored as the string `$null`.
    case null
    /// A plain value, with the constant number of its class.
    case leaf(ClassNumber)
    /// An object, with the entry that describes its class.
    case object(class: UInt32)
    /// The description of a class: a dictionary with a `$classname`.
    case classDescription
    case malformed(EntryFlaw)

    /// Returns the kind of a value that is not a dictionary.
    @inline(__always)
    static func plain(_ kind: PropertyListKind, isNull: () -> Bool) -> EntryKind {
        switch kind {
        case .string: isNull() ? .null : .leaf(.string)
        case .integer, .real, .boolean: .leaf(.number)
        case .data: .leaf(.data)
        case .date: .leaf(.date)
        case .unreadable: .malformed(.unreadable)
        case .null, .uid, .array, .set, .dictionary: .malformed(.kind(kind))
        }
    }

    /// Returns the kind of a dictionary without a `$classname`.
    ///
    /// - Parameters:
    ///   - classValue: The value of the dictionary's `$class`; nil if it has none.
    ///   - count: The number of entries of `$objects`.
    ///   - describesClass: Returns whether an entry describes a class.
    /// - Returns: The kind.
    @inline(__always)
    static func object(
        classValue: NodeRecord?, count: Int, describesClass: (UInt32) -> Bool
    ) -> EntryKind {
        guard let classValue else { return .malformed(.noClass) }
        guard classValue.kind == .uid else { return .malformed(.classKind(classValue.kind)) }
        let number = UInt32(truncatingIfNeeded: classValue.payload)
        guard UInt64(number) < UInt64(count) else { return .malformed(.danglingClass(number)) }
        return describesClass(number)
            ? .object(class: number) : .malformed(.undescribedClass(number))
    }
}

/// The reason why an entry of `$objects` is malformed.
enum EntryFlaw {
    case unreadable
    /// A value of a kind that `$objects` cannot contain.
    case kind(PropertyListKind)
    case noClass
    case classKind(PropertyListKind)
    case danglingClass(UInt32)
    case undescribedClass(UInt32)

    /// Returns the error for an entry with this flaw.
    ///
    /// `count` is the number of entries.
    @inline(never)
    func error(of entry: PropertyListUID, count: Int) -> KeyedArchiveError {
        switch self {
        case .unreadable: ArchiveContents.malformed("it could not be read", entry)
        case .kind(let kind):
            ArchiveContents.malformed(
                "expected an object, found a value of kind \(kind)", entry)
        case .noClass: ArchiveContents.malformed("it has no `$class`", entry)
        case .classKind(let kind):
            ArchiveContents.malformed("its `$class` is of kind \(kind), not a UID", entry)
        case .danglingClass(let number):
            ArchiveContents.malformed(
                "its `$class` is object \(number), but there are only \(count) objects", entry,
                .danglingReference)
        case .undescribedClass(let number):
            ArchiveContents.malformed(
                "its `$class` is object \(number), which is not a class description", entry,
                .malformedClass)
        }
    }
}
