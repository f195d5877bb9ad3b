// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import PropertyListTools

/// A CI step that sets the versions in an `Info.plist` and keeps all other bytes.
///
///     bump-version FILE BUILD [VERSION]
@main
enum BumpVersion {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard (2...3).contains(arguments.count) else {
            fail("usage: bump-version FILE BUILD [VERSION]", status: 2)
        }
        do {
            try bump(arguments[0], build: arguments[1], version: arguments.dropFirst(2).first)
        } catch {
            fail("\(arguments[0]): \(error)", status: 1)
        }
    }

    private static func bump(_ path: String, build: String, version: String?) throws {
        let file = URL(filePath: path)
        let document = try PropertyListDocument(parsing: Data(contentsOf: file))
        var edits = [PropertyListEdit([.key("CFBundleVersion")], .set(.string(build)))]
        if let version {
            let key = PropertyListKeyPath([.key("CFBundleShortVersionString")])
            edits.append(PropertyListEdit(key, .set(.string(version))))
        }
        let edited = try document.applying(edits)
        let comparison = try PropertyListComparison(from: document, to: edited.document)
        for difference in comparison.differences {
            print("\(difference.path): \(text(difference.old)) → \(text(difference.new))")
        }
        try Data(edited.bytes).write(to: file, options: .atomic)
    }

    private static func text(_ node: PropertyListNode?) -> String {
        guard let node else { return "none" }
        return node.string ?? node.integer?.description ?? "a value of kind \(node.kind)"
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(status)
    }
}
