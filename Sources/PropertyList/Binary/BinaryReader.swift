// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The parser that turns a binary property list, `bplist00`, into the tables of a document.
///
///     ┌──────────┬─────────┬──────────────┬─────────┐
///     │ bplist00 │ objects │ offset table │ trailer │
///     └──────────┴─────────┴──────────────┴─────────┘
///
/// The reader checks the trailer first. One pass over the offset table then makes a record for each
/// object: record *n* is object *n*, even if nothing refers to it. Data and nearly all strings stay
/// in place in the file. The size of the file bounds every allocation. Finally ``ReferencePass``
/// checks for cycles and depth, and ``DictionaryPass`` checks the keys.
///
/// Objects may overlap, so the reader counts the bytes of each object separately. The total may
/// exceed the size of the file by at most 64 KiB. Without this limit, a 1 MB file could make the
/// reader process hundreds of gigabytes.
struct BinaryReader {
    let options: ParsingOptions
    let trailer: Trailer
    var store: NodeStore
    var used: ParsingOptions
    private var coverage: Coverage
    private var problems: [PropertyListError] = []
    private var unreadable: [Int] = []

    /// Parses a whole file.
    static func parse(
        _ bytes: [UInt8], options: ParsingOptions, limits: ParsingLimits
    ) throws(PropertyListError) -> PropertyListDocument {
        var reader = try BinaryReader(bytes, options: options)
        try reader.readObjects(bytes.span)
        let root = UInt32(truncatingIfNeeded: reader.trailer.topObject)
        var references = ReferencePass(options: options, limits: limits, root: root)
        try references.run(&reader.store)
        let usedNodes = try reader.checkUnreadable(root, bytes.span)
        var dictionaries = DictionaryPass(options: options, format: .binary, root: root)
        try dictionaries.run(&reader.store, only: usedNodes)
        return PropertyListDocument(
            .init(
                store: reader.store, root: root, keys: dictionaries.keys,
                format: .binary,
                leniencies: reader.used.union(references.used).union(dictionaries.used),
                problems: reader.problems + references.problems + dictionaries.problems))
    }

    private init(_ bytes: [UInt8], options: ParsingOptions) throws(PropertyListError) {
        used = try Self.checkVersion(bytes, options)
        store = NodeStore(bytes: bytes)
        coverage = Coverage(fileSize: bytes.count)
        self.options = options
        guard options.contains(.salvage) else {
            trailer = try Trailer(of: bytes.span)
            return
        }
        let salvaged = try Trailer.salvaged(from: bytes.span)
        trailer = salvaged.0
        if let problem = salvaged.1 {
            problems.append(problem)
            used.insert(.salvage)
        }
    }

    /// Checks the version of the file, and returns the leniency that it needs.
    private static func checkVersion(
        _ bytes: [UInt8], _ options: ParsingOptions
    ) throws(PropertyListError) -> ParsingOptions {
        if bytes.starts(with: "bplist00".utf8) { return .strict }
        if bytes.starts(with: "bplist0".utf8), options.contains(.anyMinorVersion) {
            return .anyMinorVersion
        }
        guard bytes.starts(with: "bplist".utf8) else {
            throw PropertyListError(
                .unrecognizedFormat, format: .binary,
                what: "expected `bplist00`, found other bytes",
                location: .byte(0))
        }
        let version = String(decoding: bytes.dropFirst(6).prefix(2), as: UTF8.self)
        throw PropertyListError(
            bytes.count < 8 ? .truncated : .unrecognizedFormat, format: .binary,
            what: "expected version `00`, found `\(TerminalText.escaped(version))`",
            location: .byte(6),
            recovery: bytes.starts(with: "bplist0".utf8)
                ? ParsingOptions.anyMinorVersion.advice : nil)
    }

    // MARK: The pass over the offset table

    private mutating func readObjects(_ file: Span<UInt8>) throws(PropertyListError) {
        // The table is known to be within the file, so the file's size bounds this allocation.
        var records: [NodeRecord] = []
        records.reserveLargeCapacity(trailer.objectCount)
        // Three references per object suffice for nearly all files. The array then never grows and
        // copies them. Objects that do not overlap have room for at most `most` references.
        let most = (trailer.tableOffset &- Trailer.headerSize) / trailer.referenceWidth
        store.children.reserveLargeCapacity(min(trailer.objectCount &* 3, most))
        let plain = PlainObjectReader(trailer)
        try records.append(addingCapacity: trailer.objectCount) {
            output throws(PropertyListError) in
            while output.count < trailer.objectCount {
                try Self.readPlainObjects(
                    plain, trailer, file, &output, &store.children, &coverage)
                if output.count < trailer.objectCount {
                    output.append(try readObject(output.count, file))
                }
            }
        }
        store.records = records
    }

    /// Parses objects up to the first that needs the complete parser or more room in `children`.
    ///
    /// The function is static and takes each table as a parameter, so that the loop keeps the
    /// addresses of the tables in registers.
    private static func readPlainObjects(
        _ plain: PlainObjectReader, _ trailer: Trailer, _ file: Span<UInt8>,
        _ records: inout OutputSpan<NodeRecord>, _ children: inout [UInt32],
        _ coverage: inout Coverage
    ) throws(PropertyListError) {
        let width = trailer.offsetWidth
        let base = children.count
        try children.append(addingCapacity: children.capacity &- base) {
            children throws(PropertyListError) in
            var place = trailer.tableOffset &+ records.count &* width
            while records.freeCapacity > 0 {
                place &+= width
                guard let offset = file.bigEndian(before: place, width: width),
                    offset >= Trailer.headerSize, offset < plain.end,
                    let object = plain.read(
                        at: Int(truncatingIfNeeded: offset), file, &children, base: base)
                else { return }
                records.append(object.record)
                do throws(PropertyListError) {
                    try coverage.add(object.size, at: Int(truncatingIfNeeded: offset))
                } catch { throw flaw(of: records.count &- 1, error, error.location) }
            }
        }
    }

    /// Parses an object of any form, or returns a placeholder if the options accept its flaw.
    private mutating func readObject(
        _ number: Int, _ file: Span<UInt8>
    ) throws(PropertyListError) -> NodeRecord {
        let end = trailer.tableOffset &+ (number &+ 1) &* trailer.offsetWidth
        let offset = file.bigEndian(before: end, width: trailer.offsetWidth) ?? .max
        do throws(PropertyListError) {
            return try readObject(at: offset, file)
        } catch {
            return try keepUnreadable(number, offset, error, file)
        }
    }

    private mutating func readObject(
        at offset: UInt64, _ file: Span<UInt8>
    ) throws(PropertyListError) -> NodeRecord {
        guard offset >= Trailer.headerSize, offset < trailer.tableOffset else {
            throw PropertyListError(
                .invalidOffset, format: .binary,
                what: "expected an object offset of at least \(Trailer.headerSize) and below "
                    + "\(trailer.tableOffset), found \(offset)")
        }
        var object = ObjectReader(
            offset: Int(truncatingIfNeeded: offset), end: trailer.tableOffset, options: options)
        let record: NodeRecord
        do {
            record = try object.read(file, trailer, &store)
        } catch {
            // A malformed object also takes time to read, so it counts too.
            try coverage.add(object.size, at: object.offset)
            throw error
        }
        used.formUnion(object.used)
        try coverage.add(object.size, at: object.offset)
        return record
    }

    /// Returns a placeholder record for an object that cannot be read. Throws if the options do not
    /// accept such objects.
    @inline(never)
    private mutating func keepUnreadable(
        _ number: Int, _ offset: UInt64, _ error: PropertyListError, _ file: Span<UInt8>
    ) throws(PropertyListError) -> NodeRecord {
        let location = error.location ?? .byte(trailer.tableOffset + number * trailer.offsetWidth)
        let error = Self.flaw(of: number, error, location)
        if error.isLimit { throw error }
        guard !options.isDisjoint(with: [.salvage, .unusedGarbage]) else {
            throw error.at(path: path(to: number, file))
        }
        unreadable.append(number)
        if problems.count < PropertyListDocument.problemLimit { problems.append(error) }
        let place = min(offset, UInt64(trailer.tableOffset))
        return NodeRecord(kind: .unreadable, offset: UInt32(truncatingIfNeeded: place))
    }

    /// Returns an error whose message begins with the number of the malformed object.
    private static func flaw(
        of number: Int, _ error: PropertyListError, _ location: PropertyListError.Location?
    ) -> PropertyListError {
        PropertyListError(
            error.code, format: .binary, what: "object \(number): \(error.what)",
            location: location, recovery: error.wholeRecovery)
    }

    /// Returns the error for a malformed object whose details were not recorded, because
    /// ``PropertyListDocument/problemLimit`` problems had been recorded before.
    private static func unreadable(_ number: Int) -> PropertyListError {
        PropertyListError(
            .invalidMarker, format: .binary,
            what: "object \(number) is malformed; only the first "
                + "\(PropertyListDocument.problemLimit) problems have details")
    }

    /// Checks the objects that could not be read. With `salvage` they are kept. Otherwise they must
    /// be unused.
    ///
    /// - Returns: for each record, whether it is used; nil if that is not needed.
    private mutating func checkUnreadable(
        _ root: UInt32, _ file: Span<UInt8>
    ) throws(PropertyListError) -> [Bool]? {
        if unreadable.isEmpty { return nil }
        if options.contains(.salvage) {
            used.insert(.salvage)
            return nil
        }
        let usedNodes = ReferencePass.reachable(from: root, in: store)
        for (place, number) in unreadable.enumerated() where usedNodes[number] {
            let path = PathSearch.path(
                to: UInt32(truncatingIfNeeded: number), from: root, in: store)
            let error = place < problems.count ? problems[place] : Self.unreadable(number)
            throw error.at(path: path ?? PropertyListPath())
        }
        used.insert(.unusedGarbage)
        problems = []
        return usedNodes
    }

    /// Returns the path to an object, or an empty path if there is none. Parses the whole file
    /// again, with all leniencies.
    private func path(to number: Int, _ file: Span<UInt8>) -> PropertyListPath {
        guard let whole = try? Self.parse(store.bytes, options: .forensic, limits: .trusted) else {
            return PropertyListPath()
        }
        let root = UInt32(truncatingIfNeeded: trailer.topObject)
        let target = UInt32(truncatingIfNeeded: number)
        return PathSearch.path(to: target, from: root, in: whole.storage.store)
            ?? PropertyListPath()
    }
}

/// The number of bytes that the objects read so far cover, each object counted separately.
private struct Coverage {
    private static let base = 1 << 16

    private var covered = 0
    private let limit: Int

    /// Creates the count for a file. The size of the file includes the offset table, so the limit
    /// has room for many entries that share one small object.
    init(fileSize: Int) { limit = fileSize &+ Self.base }

    /// Adds the bytes of an object.
    @inline(__always)
    mutating func add(_ size: Int, at offset: Int) throws(PropertyListError) {
        covered &+= size
        if covered > limit { throw exceeded(at: offset) }
    }

    @inline(never)
    private func exceeded(at offset: Int) -> PropertyListError {
        PropertyListError(
            .expansionLimitExceeded, format: .binary,
            what:
                "expected the objects to cover at most \(limit) bytes in total, found \(covered): "
                + "objects overlap",
            location: .byte(offset))
    }
}
