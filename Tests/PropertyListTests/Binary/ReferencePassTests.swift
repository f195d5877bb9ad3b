// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import PropertyList

@Suite("References of binary property lists")
struct ReferencePassTests {
    @Test(
        "refuses containers that contain themselves, directly or indirectly",
        arguments: [
            Refusal(
                "an array in itself", BinaryAssembler([.array([0])]), .referenceCycle, byte: 8,
                path: ""),
            Refusal(
                "two", BinaryAssembler([.array([1]), .array([0])]), .referenceCycle, byte: 8,
                path: "[0]"),
            Refusal(
                "three",
                BinaryAssembler([
                    .dictionary([3], [1]), .set([2]), .array([4, 0]), .ascii("k"), .null,
                ]), .referenceCycle, byte: 8, path: "k[0]"),
            Refusal(
                "below the root", BinaryAssembler([.array([1]), .array([2]), .array([1])]),
                .referenceCycle, byte: 10, path: "[0][0]"),
            Refusal(
                "a dictionary that is its own key",
                BinaryAssembler([.dictionary([0], [1]), .null]),
                .invalidKey, byte: 8),
            Refusal(
                "unused", BinaryAssembler([.null, .array([2]), .array([1])]), .referenceCycle,
                byte: 9),
            Refusal(
                "top object last", BinaryAssembler([.array([1]), .array([0])], topObject: 1),
                .referenceCycle, byte: 10, path: "[0]"),
        ])
    func cycles(_ refusal: Refusal) { refusal.check() }

    @Test("a cycle through a dictionary key is found even if an option tolerates malformed objects")
    func cyclicKey() throws {
        let file = BinaryAssembler([.dictionary([0], [1]), .null])
        #expect(failure(file.bytes, options: .unusedGarbage)?.code == .referenceCycle)
        let document = try parsed(file, options: .salvage)
        #expect(document.problems.map(\.code) == [.referenceCycle, .invalidKey])
        #expect(document.root.dictionary?.first?.keyNode.kind == .unreadable)
    }

    @Test("accepts backward references without a cycle")
    func backwards() throws {
        let file = BinaryAssembler(
            [.null, .array([0]), .array([1, 1]), .array([2, 0])], topObject: 3)
        #expect(try parsed(file).root.value() == [[[.null], [.null]], .null])
    }

    @Test("nesting up to the limit is accepted", arguments: [1, 511, 512])
    func deep(_ depth: Int) throws {
        let document = try parsed(nest(depth))
        let back = try BinaryPropertyList.serialize(document)
        #expect(try PropertyListDocument(parsing: back).root.value() == document.root.value())
    }

    @Test("nesting beyond the limit is refused", arguments: [513, 20_000])
    func tooDeep(_ depth: Int) {
        Refusal("deep", nest(depth), .depthLimitExceeded, byte: 8).check()
    }

    @Test("the limit on nesting is the same for backward references", arguments: [3, 4])
    func deepBackwards(_ depth: Int) {
        let arrays = (0..<depth).map { BinaryAssembler.Object.array([UInt64($0)]) }
        let file = BinaryAssembler([.null] + arrays, topObject: UInt64(depth))
        var limits = ParsingLimits.default
        limits.depth = 3
        #expect(
            failure(file.bytes, limits: limits)?.code == (depth > 3 ? .depthLimitExceeded : nil))
    }

    @Test("nesting a million deep is refused by default, and accepted under the trusted limits")
    func million() throws {
        let depth = Exhaustive.size(1_000_000, inDebug: 100_000)
        let bytes = nest(depth).bytes
        #expect(failure(bytes)?.code == .depthLimitExceeded)
        let document = try PropertyListDocument(parsing: bytes, limits: .trusted)
        #expect(document.nodeCount == depth + 1)
    }

    @Test("salvage cuts cycles and lists them")
    func salvage() throws {
        let file = BinaryAssembler([.array([1, 2]), .null, .array([0])])
        let document = try parsed(file, options: .salvage)
        #expect(document.leniencies == .salvage)
        #expect(document.problems.map(\.code) == [.referenceCycle])
        #expect(document.root[0]?.isNull == true)
        #expect(document.root[1]?[0]?.kind == .unreadable)
        #expect(failure { _ = try document.root.value() }?.code == .unrepresentableValue)
    }

    @Test("many cycles are cut, and only the first thousand problems are kept")
    func manyCycles() throws {
        let count = 20_000
        let chain = (0..<count).map { BinaryAssembler.Object.array([UInt64($0 + 1), 0]) }
        let file = BinaryAssembler(chain + [.array([])], offsetWidth: 4, referenceWidth: 4)
        let document = try parsed(file, options: .salvage, limits: .trusted)
        // The search finds the longest cycle first. The last array of the chain closes it.
        let lengths = (0..<1000).map { count - $0 }
        #expect(
            document.problems.map(\.what)
                == lengths.map { "object 0 contains itself, in a cycle of length \($0)" })
        // The chain, the empty array at its end, and one record for all unreadable references.
        #expect(document.nodeCount == count + 2)
        var cuts = 0
        var array = document.root
        while let inner = array[0], let reference = array[1] {
            if reference.kind == .unreadable { cuts += 1 }
            array = inner
        }
        #expect(cuts == count)
    }
}

@Suite("Objects that overlap or expand")
struct SharingTests {
    @Test("stops if overlapping objects cover much more than the size of the file")
    func overlap() {
        let objects: [BinaryAssembler.Object] = [.array([]), .data(zeros(100_000))]
        let entries = [BinaryAssembler.Entry](repeating: .object(1), count: 10_000)
        let file = BinaryAssembler(objects, offsetWidth: 4, entries: [.object(0)] + entries)
        #expect(failure(file.bytes, options: .forensic)?.code == .expansionLimitExceeded)
    }

    @Test("counts overlapping bytes for each object, and accepts many entries for a small object")
    func coverage() throws {
        let references = [UInt64](repeating: 2, count: 200_000)
        let objects: [BinaryAssembler.Object] = [.array([1]), .array(references), .raw([0x09])]
        func file(_ entries: [BinaryAssembler.Entry]) -> [UInt8] {
            BinaryAssembler(
                objects, offsetWidth: 4, referenceWidth: 4,
                entries: [.object(0), .object(1), .object(2)] + entries
            ).bytes
        }
        #expect(failure(file([]), options: .strict) == nil)
        #expect(failure(file([.object(1)]), options: .strict)?.code == .expansionLimitExceeded)
        let many = [BinaryAssembler.Entry](repeating: .object(2), count: 100_000)
        #expect(failure(file(many), options: .strict) == nil)
    }

    @Test(
        "objects that are malformed only at their end also count toward the limit on overlap",
        arguments: [ParsingOptions.strict, .unusedGarbage, .forensic])
    func malformedOverlap(_ options: ParsingOptions) {
        let references = [UInt64](repeating: 0, count: 20_000) + [0xFFFF_FFFF]
        let entries = [BinaryAssembler.Entry](repeating: .object(1), count: 20_000)
        let file = BinaryAssembler(
            [.array([]), .array(references)], offsetWidth: 4, referenceWidth: 4,
            entries: [.object(0)] + entries)
        let code =
            options == .strict ? PropertyListError.Code.invalidReference : .expansionLimitExceeded
        #expect(failure(file.bytes, options: options)?.code == code)
    }

    @Test("a path through many dictionaries with one large key copies the key once")
    func sharedKeyInPath() {
        let count = 20_000
        let key = String(repeating: "k", count: 1 << 20)
        let chain = (0..<count).map {
            BinaryAssembler.Object.dictionary([UInt64(count + 1)], [UInt64($0 + 1)])
        }
        let file = BinaryAssembler(
            chain + [.raw([0xFF]), .ascii(key)], offsetWidth: 4, referenceWidth: 4)
        let error = failure(file.bytes)
        #expect(error?.code == .invalidMarker)
        #expect(error?.path?.components.count == count)
        #expect((error?.description.count ?? .max) < 400)
    }

    @Test("a file of 200 bytes that would expand to 10¹² values is parsed, but never expanded")
    func bombs() throws {
        let file = bomb(levels: 12)
        #expect(file.bytes.count < 250)
        let document = try parsed(file)
        #expect(document.root[0]?[9]?.array?.count == 10)

        let expanded = [
            failure { _ = try document.root.value() },
            failure { _ = try XMLPropertyList.serialize(document) },
            failure { _ = try BinaryPropertyList.serialize(document, layout: .coreFoundation) },
        ]
        #expect(expanded.allSatisfy { $0?.code == .expansionLimitExceeded })
        let compact = try BinaryPropertyList.serialize(document)
        #expect(compact.count == file.bytes.count)
        #expect(document.coreFoundationLayout() == .coreFoundationUniqued)
    }
}
