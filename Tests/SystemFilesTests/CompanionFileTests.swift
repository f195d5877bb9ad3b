// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite("Files beside a main file")
struct CompanionFileTests {
    private let folder: TemporaryFolder
    private var main: FileMode { get throws { try FileMode(of: folder("main")) } }

    init() throws {
        folder = try TemporaryFolder()
        try FileAccess.replace(folder("main"), with: [1], newFileMode: 0o640)
    }

    private func companion(
        _ access: CompanionFile.Access = .reading
    ) throws -> CompanionFile? {
        try CompanionFile(folder("companion"), of: main, for: access)
    }

    private func refusal(_ access: CompanionFile.Access = .reading) -> CompanionFile.Refusal? {
        do { try companion(access)?.file.close() } catch {
            if case .refused(let refusal) = error as? CompanionFile.Failure { return refusal }
            Issue.record("\(error)")
        }
        return nil
    }

    @Test("a missing companion is nil; a created one gets the mode of the main file")
    func missing() throws {
        #expect(try companion() == nil && companion(.writing) == nil)
        let file = try #require(try companion(.creating)).file
        defer { file.close() }
        #expect(try FileMode(of: file).mode == main.mode)
        #expect(folder.names == ["companion", "main"])
    }

    @Test("creating a companion replaces an old one with an empty file")
    func creating() throws {
        try FileAccess.replace(folder("companion"), with: [1, 2, 3], newFileMode: 0o600)
        let file = try #require(try companion(.creating)).file
        defer { file.close() }
        let found = try FileMode(of: file)
        #expect(found.size == 0 && found.mode == 0o640)
    }

    @Test("reading at a position returns fewer bytes at the end of the file")
    func positions() throws {
        try FileAccess.replace(folder("companion"), with: [1, 2, 3, 4], newFileMode: 0o600)
        let file = try #require(try companion()).file
        defer { file.close() }
        #expect(try file.bytes(at: 1, count: 2) == [2, 3])
        #expect(try file.bytes(at: 3, count: 9) == [4])
        #expect(try file.bytes(at: 100, count: 9) == [])
    }

    @Test(
        "a companion that others could have created is refused, but not removed",
        arguments: [
            CompanionFile.Access.reading, .writing, .creating,
        ])
    func refusals(_ access: CompanionFile.Access) throws {
        let path = folder("companion")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "main")
        #expect(refusal(access) == .symbolicLink)
        try removeFile(path)
        try FileManager.default.linkItem(atPath: folder("main"), toPath: path)
        #expect(refusal(access) == .severalNames)
        try removeFile(path)
        try createFolders(path)
        #expect(refusal(access) == .notRegular)
        try FileManager.default.removeItem(atPath: path)
        try FileAccess.replace(path, with: [1], newFileMode: 0o600)
        try #require(unsafe chmod(path, 0o662) == 0)
        #expect(refusal(access) == .writableByOthers)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([1]))
    }

    @Test(
        "a companion that belongs to another user is refused, but not removed",
        .enabled(if: geteuid() == 0, "only the superuser can change the owner of a file"),
        arguments: [CompanionFile.Access.reading, .writing, .creating])
    func otherOwner(_ access: CompanionFile.Access) throws {
        let path = folder("companion")
        try FileAccess.replace(path, with: [1], newFileMode: 0o600)
        try #require(unsafe chown(path, 1234, 1234) == 0)
        // The main file belongs to root. Only its owner and root may have made a companion.
        #expect(refusal(access) == .otherOwner)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([1]))
    }
}
