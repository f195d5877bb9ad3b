// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Something to be measured: the same work, done by several implementations.
public struct Row: Sendable {
    /// What is done, to what, in which format: `parse-library-binary`.
    public let name: String
    /// What is done.
    public let job: Job
    /// The file it is done with: read, or to be written.
    public let input: Input
    /// Who can do it, and how.
    let implementations: [Implementation: @Sendable (Input, Double) throws -> Work]
}

/// What is done in a row.
public enum Job: String, Sendable {
    /// Bytes to values, each of which is visited.
    case parse
    /// Values in memory to bytes.
    case write
    /// Bytes to one value under a key.
    case touch
    /// Bytes to some values of a large dictionary, each by its key.
    case lookup
    /// Bytes of an archive to objects, each field of which is visited.
    case unarchive
    /// Objects to the bytes of an archive.
    case archive
    /// Bytes to structures, by a `Decodable` conformance.
    case decode
    /// Structures to bytes, by an `Encodable` conformance.
    case encode
    /// Archived dictionaries to one entry of each.
    case get
    /// Items to a store, on the disk in batches.
    case save
    /// A store to some items, each by its service and account.
    case find
    /// Streams of `NSArchiver` to the text of each.
    case text
    /// Bytes of another format to values, each of which is visited.
    case visit
    /// Bytes that are meant to do harm, to the error they cause or the values they hold.
    case withstand
}

/// Who does the work.
public enum Implementation: String, Sendable, CaseIterable {
    /// This library: the document for untyped work, its archivers and coders for typed work.
    case ours
    /// This library's tree of values, `PropertyListValue`, where that is another way than `ours`.
    case tree
    /// This library's subclasses of `NSCoder`, with the classes that Foundation's archivers are measured with.
    case coders
    /// Foundation: `PropertyListSerialization`, its coders, its archivers.
    case foundation
    /// libplist.
    case libplist
    /// Nobody: the bytes are read once, a word at a time; for archives the objects and texts are made, or
    /// copied, too; for `Codable`, its containers with nothing behind them. No implementation can be faster;
    /// the checksum is another one.
    case floor
}

/// Work that is set up and ready to be measured.
public struct Work {
    /// Bytes of the file that is read or written, for throughput.
    public let size: Int
    /// How many things are done in a run, where that is what counts: items that are written.
    public let count: Int
    /// What is measured.
    public let run: () throws -> Outcome

    init(size: Int, count: Int = 1, run: @escaping () throws -> Outcome) {
        self.size = size
        self.count = count
        self.run = run
    }
}

/// What measured work leaves behind, to be compared between implementations.
public enum Outcome {
    /// The checksum of all that was visited.
    case checksum(UInt64)
    /// A file, whose checksum is not part of the work.
    case file(() throws -> UInt64)

    /// The checksum of what was read or written.
    public func checksum() throws -> UInt64 {
        switch self {
        case .checksum(let sum): sum
        case .file(let sum): try sum()
        }
    }
}

extension Row {
    /// The implementations that can do the work, in the order of the tables.
    public var available: [Implementation] {
        Implementation.allCases.filter { implementations[$0] != nil }
    }

    /// Makes the files that the work needs, so that making them is not measured.
    public func prepare(scale: Double = 1) throws {
        try input.prepare(scale: scale)
        if job == .write {
            try input.inBinary.prepare(scale: scale)
            try input.inOtherFormat.prepare(scale: scale)
        }
    }

    /// The keys that the rows of `lookup` look up, in order.
    public static func lookupKeys(scale: Double = 1) -> [String] { Lookup.keys(scale) }

    /// Work by `implementation` with an input of `scale` times the usual size; nil if it cannot.
    public func work(by implementation: Implementation, scale: Double = 1) throws -> Work? {
        try implementations[implementation]?(input, scale)
    }
}
