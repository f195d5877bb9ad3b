// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveImport
import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList
import PropertyListCodable
import PropertyListTools
import TestSupport
import Testing

/// The examples of the README and of the pages in `Documentation`.
@Suite("Examples of the guide")
struct GuideExamples {
    private let save = Save(name: "Anna")

    @Test("read archives of strangers on a server")
    func server() throws {
        func names(in body: [UInt8]) throws -> [String] {
            let saves = try KeyedUnarchiver.unarchive(
                [Save].self, from: body, allowing: .commonClasses, limits: .untrusted)
            return saves.map(\.name)
        }

        func describe(_ body: [UInt8]) throws -> [String] {
            let graph = try ArchiveGraph(parsing: body, limits: .untrusted)
            return graph.roots.map { key, root in "\(key): \(root.kind)" }
        }

        let body = try KeyedArchiver.archive([save])
        #expect(try names(in: body) == ["Anna"])
        #expect(try describe(body) == ["root: uid"])
    }
}
