// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@Suite("Whole archives written by Apple's software", .enabled(if: Corpus.hasExternal))
struct WholeArchiveTests {
    @Test("whole archives have the same object table, entry by entry, after decoding and encoding")
    func tables() throws {
        var (same, other) = (0, [String]())
        let own: Set = [
            "NSColor", "NSFont", "NSAttributedString", "NSMutableAttributedString", "NSTextStorage",
        ]
        for (file, graph) in Specimens.archives {
            guard let root = graph.roots["root"]?.uid, graph.roots.count == 1,
                let name = graph.archivedClass(of: root)?.name, own.contains(name)
            else { continue }
            let unarchiver = try KeyedUnarchiver(
                parsing: graph.serialized(), allowing: .everything)
            let value = try unarchiver.unarchive(AnyArchived.self)
            let again = try KeyedArchiver.archive(value, allowing: .everything)
            if try Specimens.table(again) == Specimens.table(file.bytes) {
                same += 1
            } else {
                other.append(file.name)
            }
        }
        #expect(other.isEmpty)
        #expect(same >= 16)
    }
}
