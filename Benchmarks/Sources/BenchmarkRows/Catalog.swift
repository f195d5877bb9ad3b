// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

extension Row {
    /// All rows, in the order of the tables.
    public static let all: [Row] =
        parsing + writing + touching + archiving + coding + small + extremes + storing + streams
        + hostile + rareForms

    /// The row with a name.
    public static func named(_ name: String) -> Row? { all.first { $0.name == name } }

    fileprivate typealias Preparation = @Sendable (Input, Double) throws -> Work

    fileprivate init(
        _ job: Job, _ family: Family, _ format: PropertyListFormat,
        _ implementations: [Implementation: Preparation]
    ) {
        let input = Input(family: family, format: format)
        name = "\(job.rawValue)-\(family.name)-\(input.formatName)"
        self.job = job
        self.input = input
        self.implementations = implementations
    }

    /// Returns a row for each family in each format, binary first.
    fileprivate static func both(
        _ job: Job, _ families: [Family], _ implementations: [Implementation: Preparation]
    ) -> [Row] {
        [PropertyListFormat.binary, .xml].flatMap { format in
            families.map { Row(job, $0, format, implementations) }
        }
    }
}

// MARK: - The tables

extension Row {
    private static let families: [Family] = [.library, .numbers, .strings, .data, .archive]

    private static let parsing = both(.parse, families, parsers)
    private static let writing = both(.write, families, writers)
    private static let touching = both(.touch, [.library, .numbers, .archive], touchers)

    private static let archiving =
        both(
            .unarchive, [.archive],
            [
                .ours: Ours.unarchiveSaves, .coders: Coders.unarchiveSaves,
                .foundation: FoundationPeer.unarchiveSaves,
                .floor: Floor.unarchiveSaves,
            ])
        + both(
            .archive, [.archive],
            [
                .ours: Ours.archiveSaves, .coders: Coders.archiveSaves,
                .foundation: FoundationPeer.archiveSaves,
                .floor: Floor.archiveSaves,
            ])

    private static let coding =
        both(
            .decode, [.library],
            [
                .ours: Ours.decodeLibrary, .foundation: FoundationPeer.decodeLibrary,
                .floor: Floor.decodeLibrary,
            ])
        + both(
            .encode, [.library],
            [
                .ours: Ours.encodeLibrary, .foundation: FoundationPeer.encodeLibrary,
                .floor: Floor.encodeLibrary,
            ])

    private static let small = [
        Row(
            .unarchive, .small, .binary,
            [
                .ours: Ours.unarchiveSmall, .coders: Coders.unarchiveSmall,
                .foundation: FoundationPeer.unarchiveSmall,
                .floor: Floor.unarchiveSmall,
            ]),
        Row(
            .archive, .small, .binary,
            [
                .ours: Ours.archiveSmall, .coders: Coders.archiveSmall,
                .foundation: FoundationPeer.archiveSmall,
                .floor: Floor.archiveSmall,
            ]),
    ]

    private static let extremes =
        [
            Row(.parse, .large, .binary, parsers),
            Row(
                .unarchive, .classes, .binary,
                [
                    .ours: Ours.unarchiveClasses, .coders: Coders.unarchiveClasses,
                    .foundation: FoundationPeer.unarchiveClasses,
                    .floor: Floor.unarchiveClasses,
                ]),
            Row(
                .archive, .classes, .binary,
                [
                    .ours: Ours.archiveClasses, .coders: Coders.archiveClasses,
                    .foundation: FoundationPeer.archiveClasses,
                    .floor: Floor.archiveClasses,
                ]),
        ] + both(.parse, [.wide, .deep], parsers) + [Row(.lookup, .wide, .binary, lookers)]

    private static let storing = [
        Row(
            .get, .dictionaries, .binary,
            [.ours: Ours.getEntries, .foundation: FoundationPeer.getEntries]),
        Row(
            .save, .items, .binary,
            [.ours: Ours.saveItems, .foundation: FoundationPeer.saveItems]),
        Row(
            .find, .items, .binary,
            [.ours: Ours.findItems, .foundation: FoundationPeer.findItems]),
    ]

    private static let streams = [
        Row(.text, .messages, .binary, [.ours: Ours.messageTexts]),
        Row(.visit, .drawing, .binary, [.ours: Ours.streamValues]),
        Row(.visit, .interface, .binary, [.ours: Ours.interfaceValues]),
    ]

    private static let hostile = Family.hostile.map { family, format in
        Row(.withstand, family, format, [.ours: Ours.withstand])
    }

    private static let rareForms = Family.rareForms.map { family in
        Row(.withstand, family, .xml, [.ours: Ours.parseTree])
    }
}

// MARK: - Implementations

extension Row {
    private static let parsers = adding(
        LibPlist.parse,
        to: [.ours: Ours.parse, .tree: Ours.parseTree, .foundation: FoundationPeer.parse])
    private static let writers = adding(
        LibPlist.write,
        to: [.ours: Ours.write, .tree: Ours.writeTree, .foundation: FoundationPeer.write])
    private static let touchers = adding(
        LibPlist.touch,
        to: [.ours: Ours.touch, .foundation: FoundationPeer.touch, .floor: Floor.read])
    private static let lookers = adding(
        LibPlist.lookUp, to: [.ours: Ours.lookUp, .foundation: FoundationPeer.lookUp])

    private static func adding(
        _ libPlist: Preparation?, to others: [Implementation: Preparation]
    ) -> [Implementation: Preparation] {
        var implementations = others
        implementations[.libplist] = libPlist
        return implementations
    }
}

#if !LIBPLIST
/// A stand-in for the implementation by libplist, if libplist is not installed.
private enum LibPlist {
    static let parse: Row.Preparation? = nil
    static let write: Row.Preparation? = nil
    static let touch: Row.Preparation? = nil
    static let lookUp: Row.Preparation? = nil
}
#endif
