// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Programs that share stores.
@Suite("Programs that share stores", .serialized)
struct ProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    #if Stores
    @Test("two programs share an identifier through a group, and nothing else")
    func group() throws {
        let first = try Program.run("GroupKeeper", [folder.path])
        #expect(first.status == 0, "\(first.output)")
        let visitor = try Program.run("GroupVisitor", [folder.path])
        #expect(visitor.status == 0, "\(visitor.output)")
        #expect(visitor.output == first.output + "services: example.device\n")
        #expect(try Program.run("GroupKeeper", [folder.path]).output == first.output)
    }

    @Test("a visitor without the group's key gets an error, not an empty group")
    func visitorFirst() throws {
        let visitor = try Program.run("GroupVisitor", [folder.path])
        #expect(visitor.status == 1)
        #expect(visitor.output.hasPrefix("GroupVisitor: store: No such file"), "\(visitor.output)")
        #expect(folder.names == [])
    }

    @Test("a foreign file in the place of the group's, or no folder, is said in one line")
    func foreignFile() throws {
        let first = try Program.run("GroupKeeper", [folder.path])
        #expect(first.status == 0, "\(first.output)")
        try Data("junk".utf8).write(to: URL(filePath: folder("group.items")))
        for program in ["GroupKeeper", "GroupVisitor"] {
            let (status, output) = try Program.run(program, [folder.path])
            #expect(status == 1)
            #expect(output.hasPrefix("\(program): store: SQLite: file is not a database"))
            #expect(output.filter { $0 == "\n" }.count == 1, "\(output)")
            #expect(try Program.run(program, []).status == 2)
        }
        #expect(try Data(contentsOf: URL(filePath: folder("group.items"))) == Data("junk".utf8))
    }

    @Test("programs that are killed lose nothing, nor do those that meet a full disk")
    func faults() throws {
        let (status, output) = try Program.runScript("faults", ["4"])
        #expect(status == 0, "\(output)")
        #expect(output.contains("nothing was lost"))
        #expect(output.contains("items before the disk was full"))
    }
    #else
    @Test("the encrypted stores are tested with the package trait Stores", .disabled())
    func withoutStores() {}
    #endif
}
