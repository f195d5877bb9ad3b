// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A write-ahead log: `NAME-wal` beside the database `NAME`.
///
/// SQLite appends changed pages to this file and copies them to the database later. The file begins
/// with a header of 32 bytes:
///
/// | offset | bytes | content |
/// |---|---|---|
/// | 0 | 4 | 377F0682, or 377F0683 if checksums are computed over big-endian words |
/// | 4 | 4 | format version: 3007000 |
/// | 8 | 4 | page size |
/// | 12 | 4 | number of checkpoints |
/// | 16 | 8 | two salts |
/// | 24 | 8 | checksum of the 24 bytes before |
///
/// Frames follow, each a header of 24 bytes and a page:
///
/// | offset | bytes | content |
/// |---|---|---|
/// | 0 | 4 | page number |
/// | 4 | 4 | number of pages of the database, if this frame ends a transaction; else 0 |
/// | 8 | 8 | the two salts of the file |
/// | 16 | 8 | checksum of bytes 0–7 and the page, continued from the header or frame before |
///
/// The log ends at the first frame with other salts or a wrong checksum. Frames after the last
/// commit are ignored. After the end of the log, there may be more frames with its salts. Either
/// they are left over from a transaction that was rolled back, or the log is damaged.
package struct WriteAheadLog: Sendable, Equatable {
    package static let suffix = "-wal"
    private static let headerSize = 32
    private static let frameHeaderSize = 24
    private static let magic: UInt32 = 0x377F_0682
    private static let version: UInt32 = 3_007_000

    package let pageSize: Int
    /// The number of pages of the database after the last transaction. It is 0 if the log contains no
    /// committed transaction.
    package private(set) var pageCount = 0
    /// The frames after the end of the log that have its salts, or nil if there are none.
    package private(set) var leftFrames: LeftFrames?
    /// The offset of the latest committed contents of each page.
    private(set) var offsets: [UInt32: Int] = [:]

    /// Frames that are not part of the log.
    package struct LeftFrames: Sendable, Equatable {
        /// The number of the first frame. The first frame of a log has the number 1.
        package let first: Int
        package fileprivate(set) var count = 0
        /// The number of frames that end a transaction.
        package fileprivate(set) var commitCount = 0
    }

    /// Reads the committed frames of a log.
    ///
    /// - Throws: An error if the log cannot be read, or if its header is malformed.
    /// - Complexity: Linear in the size of the log.
    package init(_ source: some ByteSource) throws(DatabaseFileError) {
        let head = try source.read(at: 0, count: Self.headerSize)
        guard head.count == Self.headerSize, let magic = head.word(at: 0), magic & ~1 == Self.magic,
            head.word(at: 4) == Self.version, let size = head.word(at: 8)
        else {
            throw DatabaseFileError("expected the header of a write-ahead log, found other bytes")
        }
        pageSize = Int(clamping: size)
        var checksum = Checksum(isBigEndian: magic & 1 == 1)
        checksum.add(head[..<24])
        guard DatabaseHeader.isPageSize(pageSize), checksum.matches(head, at: 24) else {
            throw DatabaseFileError("the header has a wrong checksum or page size")
        }
        try readFrames(source, salts: head[16..<24], checksum)
    }

    private mutating func readFrames(
        _ source: some ByteSource, salts: ArraySlice<UInt8>, _ start: Checksum
    ) throws(DatabaseFileError) {
        var checksum = start
        // An array, because clearing a dictionary takes time proportional to its capacity.
        var pending: [(page: UInt32, offset: Int)] = []
        var offset = Self.headerSize
        let frameSize = Self.frameHeaderSize + pageSize
        while offset <= source.size - frameSize {
            let frame = try source.read(at: offset, count: frameSize)
            guard frame.count == frameSize, let page = frame.word(at: 0), page > 0,
                let count = frame.word(at: 4), frame[8..<16].elementsEqual(salts)
            else { break }
            checksum.add(frame[..<8])
            checksum.add(frame[Self.frameHeaderSize...])
            guard checksum.matches(frame, at: 16) else { break }
            pending.append((page, offset + Self.frameHeaderSize))
            offset += frameSize
            guard count > 0 else { continue }
            pageCount = Int(clamping: count)
            for frame in pending { offsets[frame.page] = frame.offset }
            pending.removeAll(keepingCapacity: true)
        }
        try countLeftFrames(source, salts: salts, from: offset)
    }

    /// Counts the frames from `start` on that have the salts of the log. The last one may be
    /// incomplete.
    private mutating func countLeftFrames(
        _ source: some ByteSource, salts: ArraySlice<UInt8>, from start: Int
    ) throws(DatabaseFileError) {
        let frameSize = Self.frameHeaderSize + pageSize
        var left = LeftFrames(first: (start - Self.headerSize) / frameSize + 1)
        var offset = start
        while offset < source.size {
            let head = try source.read(at: offset, count: Self.frameHeaderSize)
            guard head.count == Self.frameHeaderSize, head[8..<16].elementsEqual(salts) else {
                break
            }
            left.count += 1
            if let size = head.word(at: 4), size > 0 { left.commitCount += 1 }
            offset += frameSize
        }
        if left.count > 0 { leftFrames = left }
    }

    /// The running checksum. It consists of two sums of 32-bit words, each of which is added to the
    /// other.
    struct Checksum {
        let isBigEndian: Bool
        private(set) var first: UInt32 = 0
        private(set) var second: UInt32 = 0

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        /// Adds bytes. Their number must be a multiple of eight.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            var index = bytes.startIndex
            while index <= bytes.endIndex - 8 {
                first &+= word(bytes, index) &+ second
                second &+= word(bytes, index + 4) &+ first
                index += 8
            }
        }

        private func word(_ bytes: ArraySlice<UInt8>, _ index: Int) -> UInt32 {
            let word =
                UInt32(bytes[index]) << 24 | UInt32(bytes[index + 1]) << 16
                | UInt32(bytes[index + 2]) << 8 | UInt32(bytes[index + 3])
            return isBigEndian ? word : word.byteSwapped
        }

        func matches(_ bytes: [UInt8], at offset: Int) -> Bool {
            bytes.word(at: offset) == first && bytes.word(at: offset + 4) == second
        }
    }
}
