// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite("Names of files")
struct FileNamesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("a path is divided at its last slash, and its name at the last dot")
    func parts() {
        #expect(parentFolder(of: "a/b/c") == "a/b" && parentFolder(of: "/c") == "")
        #expect(parentFolder(of: "c") == nil)
        #expect(lastName(of: "a/b/c.plist") == "c.plist" && lastName(of: "c") == "c")
        #expect(lastName(of: "a/") == "")
        #expect(withoutExtension("a.b/c.d.plist") == "a.b/c.d")
        #expect(withoutExtension("a.b/c") == "a.b/c")
        // A combining mark after a dot or slash does not hide it.
        #expect(withoutExtension("c.\u{301}plist") == "c" && lastName(of: "a/\u{301}") == "\u{301}")
    }

    @Test("a path becomes absolute, whether or not it exists")
    func absolute() {
        let working = FileManager.default.currentDirectoryPath
        #expect(absolutePath("/a/../b") == "/a/../b" && absolutePath("") == "")
        #expect(absolutePath("a/b") == (working == "/" ? "" : working) + "/a/b")
    }

    @Test("a path is resolved through links, and a missing file is an error")
    func resolving() throws {
        try FileManager.default.createDirectory(
            atPath: folder("real"), withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: folder("real/file")))
        try FileManager.default.createSymbolicLink(
            atPath: folder("link"), withDestinationPath: "real")
        #expect(try resolved(folder("link/file")) == resolved(folder.path) + "/real/file")
        let error = #expect(throws: SystemError.self) { try resolved(folder("link/none")) }
        #expect(error?.isMissing == true)
    }

    @Test("a name with a NUL is an error before any system call")
    func nul() throws {
        try Data("kept".utf8).write(to: URL(filePath: folder("a")))
        let name = folder("a\0b")
        for error in [
            #expect(throws: SystemError.self) { try removeFile(name) },
            #expect(throws: SystemError.self) { try FileMode(of: name) },
            #expect(throws: SystemError.self) { try FileAccess.replace(name, with: [1]) },
            #expect(throws: SystemError.self) { try createFolders(name) },
            #expect(throws: SystemError.self) { try resolved(name) },
        ] { #expect(error?.isInvalidName == true) }
        #expect(folder.names == ["a"])
    }

    @Test("removing reports whether there was a file, and removes a link instead of its target")
    func removing() throws {
        try Data("kept".utf8).write(to: URL(filePath: folder("a")))
        try FileManager.default.createSymbolicLink(
            atPath: folder("link"), withDestinationPath: "a")
        #expect(try removeFile(folder("link")))
        #expect(try !removeFile(folder("link")))
        #expect(folder.names == ["a"])
    }

    @Test("folders are created with their parents, and a file in their place is an error")
    func creatingFolders() throws {
        for _ in 0..<2 { try createFolders(folder("a/b//c/")) }
        #expect(try FileMode(of: folder("a/b/c")).isDirectory)
        try Data().write(to: URL(filePath: folder("a/file")))
        let error = #expect(throws: SystemError.self) { try createFolders(folder("a/file/d")) }
        #expect(error?.isNotFolder == true)
    }

    @Test("an open folder stays the same after a link has replaced it")
    func openFolder() throws {
        try createFolders(folder("a"))
        try createFolders(folder("elsewhere"))
        let open = try OpenFolder(FilePlace(folder("a")))
        defer { open.close() }
        try FileManager.default.moveItem(atPath: folder("a"), toPath: folder("moved"))
        try FileManager.default.createSymbolicLink(
            atPath: folder("a"), withDestinationPath: "elsewhere")
        try FileAccess.replace(FilePlace("file", in: open), with: [1])
        try open.createFolder("inner")
        try Data().write(to: URL(filePath: folder("moved/.hidden")))
        #expect(try open.names() == ["file", "inner"])
        #expect(open.removeEmptyFolder("inner") && !open.removeEmptyFolder("inner"))
        #expect(try Data(contentsOf: URL(filePath: folder("moved/file"))) == Data([1]))
        let error = #expect(throws: SystemError.self) {
            try OpenFolder(FilePlace(folder("a"), followingLinks: false))
        }
        #expect(error?.isNotFolder == true)
    }
}
