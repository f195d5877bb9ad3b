// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing

/// Compares this library with bpylist2, a Python library for keyed archives, if it is installed.
@Suite("Agreement of KeyedArchive with bpylist2")
struct PythonAgreementTests {
    static let isInstalled =
        (try? Python.run(
            "import bpylist2.archiver", in: FileManager.default.temporaryDirectory)) == 0

    @Test(
        "bpylist2 reads archives written by this library, and this library those by bpylist2",
        .enabled(if: isInstalled, "bpylist2 is not installed here"))
    func bothWays() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        let tree: PropertyListValue = [
            "text": "Ångström", "number": -5, "real": 0.5, "yes": true, "list": [1, "a", [2]],
            "data": .data([1, 2, 255]),
        ]
        let ours = folder.appending(path: "ours")
        try Data(KeyedArchiver.archive(tree)).write(to: ours)
        let script = """
            from bpylist2 import archiver
            with open('ours', 'rb') as file: value = archiver.unarchive(file.read())
            assert value == {'text': 'Ångström', 'number': -5, 'real': 0.5, 'yes': True,
                             'list': [1, 'a', [2]], 'data': b'\\x01\\x02\\xff'}, value
            with open('theirs', 'wb') as file: file.write(archiver.archive(value))
            """
        #expect(try Python.run(script, in: folder) == 0)
        let theirs = try Data(contentsOf: folder.appending(path: "theirs"))
        #expect(try KeyedUnarchiver.unarchive(PropertyListValue.self, from: theirs) == tree)
    }
}
