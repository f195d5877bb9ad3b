// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@_spi(Tables) @testable import PropertyList

/// The fast parser of objects must agree with the complete one, which refuses malformed objects and
/// handles leniencies.
@Suite("The fast parser of binary objects")
struct PlainObjectReaderTests {
    /// Returns a file of random bytes, in which most bytes are markers of objects.
    private static func file(_ random: inout SplitMix64) -> [UInt8] {
        let objectCount = 1 + random.below(300)
        let body = (0..<300).map { _ -> UInt8 in
            switch random.below(4) {
            case 0: UInt8(random.below(256))
            case 1: UInt8(random.below(8))
            default:
                UInt8(
                    [0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x80, 0xA0, 0xC0, 0xD0][
                        random.below(11)] + random.below(16))
            }
        }
        var file = Array("bplist00".utf8) + body
        let tableOffset = file.count
        file += zeros(2 * objectCount + 6)
        file += [2, UInt8([1, 2, 3, 4, 8][random.below(5)])]
        for number in [objectCount, 0, tableOffset] {
            file += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        }
        return file
    }

    @Test(
        "reads each object like the complete parser, or leaves it to that parser", arguments: 0..<20
    )
    func agreement(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var plainCount = 0
        for _ in 0..<40 {
            let file = Self.file(&random)
            let trailer = try Trailer(of: file.span)
            for offset in Trailer.headerSize..<trailer.tableOffset {
                if try isPlain(offset, file, trailer) { plainCount += 1 }
            }
        }
        #expect(plainCount > 1000, "seed \(seed)")
    }

    /// Parses one object with both parsers. Returns false if the fast one returns nil.
    private func isPlain(_ offset: Int, _ file: [UInt8], _ trailer: Trailer) throws -> Bool {
        var children: [UInt32] = [7, 8]
        var object: (record: NodeRecord, size: Int)?
        children.append(addingCapacity: 1000) {
            object = PlainObjectReader(trailer).read(at: offset, file.span, &$0, base: 2)
        }
        guard let object else {
            #expect(children == [7, 8], "offset \(offset)")
            return false
        }
        var store = NodeStore(bytes: file)
        store.children = [7, 8]
        var complete = ObjectReader(offset: offset, end: trailer.tableOffset, options: .strict)
        let record = try complete.read(file.span, trailer, &store)
        #expect(Self.fields(object.record) == Self.fields(record), "offset \(offset)")
        #expect(object.size == complete.size, "offset \(offset)")
        #expect(children == store.children, "offset \(offset)")
        #expect(store.decoded.isEmpty && complete.used.isEmpty, "offset \(offset)")
        return true
    }

    private static func fields(_ record: NodeRecord) -> [UInt64] {
        [
            UInt64(record.kind.rawValue), UInt64(record.flags), UInt64(record.header),
            UInt64(record.offset), record.payload,
        ]
    }

    @Test("returns nil for a container with more references than the output has room for")
    func noRoom() throws {
        let file = BinaryAssembler([.dictionary([1], [2]), .ascii("key"), .array([1, 1])]).bytes
        let trailer = try Trailer(of: file.span)
        for (offset, size) in [(8, 2), (15, 2)] {
            for room in [size - 1, size] {
                var children: [UInt32] = []
                children.append(addingCapacity: room) { output in
                    let object = PlainObjectReader(trailer).read(
                        at: offset, file.span, &output, base: 0)
                    #expect((object != nil) == (room == size), "\(room) at \(offset)")
                }
                #expect(children.count == (room == size ? size : 0), "\(room) at \(offset)")
            }
        }
    }
}
