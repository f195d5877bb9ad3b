// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A unit of work on one input, which several implementations can do.
public struct Row: Sendable {
    /// The job, the family and the format: `parse-library-binary`.
    public let name: String
    /// The kind of work.
    public let job: Job
    /// The file that is read or written.
    public let input: Input
    /// The implementations that can do the work.
    let implementations: [Implementation: @Sendable (Input, Double) throws -> Work]
}

/// The kind of work in a row.
public enum Job: String, Sendable {
    /// Parses bytes to values, each of which is visited.
    case parse
    /// Serializes values in memory to bytes.
    case write
    /// Parses bytes and reads one value, by key or index.
    case touch
    /// Parses bytes and looks up some values of a large dictionary by key.
    case lookup
    /// Decodes an archive to objects, each field of which is visited.
    case unarchive
    /// Encodes objects to the bytes of an archive.
    case archive
    /// Decodes bytes to structures through `Decodable`.
    case decode
    /// Encodes structures to bytes through `Encodable`.
    case encode
    /// Reads one entry from each of many archived dictionaries.
    case get
    /// Writes items to a store, flushed to the disk in batches.
    case save
    /// Looks up some items in a store, by service and account.
    case find
    /// Extracts the text of each `NSArchiver` stream.
    case text
    /// Reads bytes of another format, and visits each value.
    case visit
    /// Parses hostile input to values or an error, or XML in rare forms to values.
    case withstand
}

/// An implementation that does the work.
public enum Implementation: String, Sendable, CaseIterable {
    /// This library: the document for untyped work, and its archivers and coders for typed work.
    case ours
    /// This library's value tree, `PropertyListValue`, in rows where `ours` does not use it.
    case tree
    /// This library's subclasses of `NSCoder`, with the same classes as for Foundation's archivers.
    case coders
    /// Foundation: `PropertyListSerialization`, its coders and its archivers.
    case foundation
    /// libplist.
    case libplist
    /// The minimal cost, which no implementation can beat; `Benchmarks/README.md` describes it for
    /// each job. Its checksum differs from that of the other implementations.
    case floor
}

/// Work that is prepared for measuring.
public struct Work {
    /// The size in bytes of the file that is read or written, for the throughput.
    public let size: Int
    /// The number of operations in a run, such as items written; 1 in rows that do not count them.
    public let count: Int
    /// The measured closure.
    public let run: () throws -> Outcome

    init(size: Int, count: Int = 1, run: @escaping () throws -> Outcome) {
        self.size = size
        self.count = count
        self.run = run
    }
}

/// The result of measured work, for comparison between implementations.
public enum Outcome {
    /// The checksum of everything that was visited.
    case checksum(UInt64)
    /// A file, whose checksum is computed outside the measured work.
    case file(() throws -> UInt64)

    /// Returns the checksum of the values that were read or written.
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

    /// Generates the files that the work needs, outside the measurement.
    public func prepare(scale: Double = 1) throws {
        try input.prepare(scale: scale)
        if job == .write {
            try input.inBinary.prepare(scale: scale)
            try input.inOtherFormat.prepare(scale: scale)
        }
    }

    /// Returns the keys that the rows of `lookup` look up, in order.
    public static func lookupKeys(scale: Double = 1) -> [String] { Lookup.keys(scale) }

    /// Returns the work of `implementation` on an input of `scale` times the usual size, or nil if
    /// it cannot do the work.
    public func work(by implementation: Implementation, scale: Double = 1) throws -> Work? {
        try implementations[implementation]?(input, scale)
    }
}
