// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList
import PropertyListCodable

/// A file, and how it is read.
struct Input {
    var bytes: [UInt8]
    var options = ParsingOptions.forensic
    var limits = ParsingLimits.default

    var document: PropertyListDocument? {
        try? PropertyListDocument(parsing: bytes, options: options, limits: limits)
    }

    var contents: ArchiveContents? { document.flatMap { try? ArchiveContents($0) } }

    var archive: KeyedUnarchiver? {
        contents.flatMap { try? KeyedUnarchiver($0, allowing: Self.registry, limits: limits) }
    }

    static let registry = ClassRegistry.foundation.keepingUnknownClasses()
}

/// Something that the library does with a file.
struct Operation: Sendable {
    let name: String
    /// What is to be done, when everything before it is done; nil where it is not possible.
    let prepare: @Sendable (Input) -> (() -> Void)?

    static let all: [Operation] = [
        Operation(name: "parse") { input in { _ = input.document } },
        Operation(name: "tree") { input in
            input.document.map { document in { _ = try? document.root.value(limits: input.limits) }
            }
        },
        Operation(name: "print, compare, hash") { input in
            guard let value = try? input.document?.root.value(limits: input.limits),
                let other = try? input.document?.root.value(limits: input.limits)
            else { return nil }
            return { _ = (value.description, value == other, value.hashValue) }
        },
        Operation(name: "look up") { input in
            input.document.map { document in { lookUp(document) } }
        },
        Operation(name: "write binary") { input in
            input.document.map { document in
                { _ = try? BinaryPropertyList.serialize(document, limits: input.limits) }
            }
        },
        Operation(name: "find layout") { input in
            input.document.map { document in
                { _ = document.coreFoundationLayout(limits: input.limits) }
            }
        },
        Operation(name: "write XML") { input in
            // Each line is indented by its depth: the output itself grows with the square of that.
            guard input.limits.depth <= ParsingLimits.default.depth else { return nil }
            var options = XMLPropertyList.Options()
            options.allowedLosses = .appleCompatible
            return input.document.map { document in
                {
                    _ = try? XMLPropertyList.serialize(
                        document, options: options, limits: input.limits)
                }
            }
        },
        Operation(name: "decode") { input in
            // An error of `Codable` holds its whole coding path, as long as the nesting is deep: a
            // type that tries one thing after the other pays for it at every level.
            guard input.limits.depth <= ParsingLimits.default.depth else { return nil }
            return input.document.map { document in
                {
                    _ = try? PlistDecoder(limits: input.limits).decode(
                        Anything.self, from: document)
                }
            }
        },
        Operation(name: "decode arrays") { input in
            input.document.map { document in
                { _ = try? PlistDecoder(limits: input.limits).decode(Arrays.self, from: document) }
            }
        },
        Operation(name: "encode") { input in
            guard let value = try? input.document?.root.value(limits: input.limits) else {
                return nil
            }
            var encoder = PlistEncoder()
            encoder.limits = input.limits
            return { [encoder] in _ = try? encoder.encodeBytes(value) }
        },
        Operation(name: "graph") { input in
            input.contents.map { contents in
                {
                    let graph = try? ArchiveGraph(
                        contents, keepingMalformed: true, limits: input.limits)
                    _ = try? graph?.serialized(limits: input.limits)
                }
            }
        },
        Operation(name: "audit") { input in
            input.contents.map { contents in
                { _ = try? contents.objects(notAllowedBy: .propertyList) }
            }
        },
        Operation(name: "unarchive") { input in
            input.contents.map { contents in
                {
                    let archive = try? KeyedUnarchiver(
                        contents, allowing: Input.registry, limits: input.limits)
                    _ = try? archive?.unarchive(AnyArchived.self)
                }
            }
        },
        Operation(name: "archive") { input in
            guard let value = try? input.archive?.unarchive(AnyArchived.self) else { return nil }
            return {
                _ = try? KeyedArchiver.archive(
                    value, allowing: Input.registry, limits: input.limits)
            }
        },
    ]

    /// Every value, and every key in its dictionary.
    private static func lookUp(_ document: PropertyListDocument) {
        for node in document.allNodes {
            _ = (node.string, node.data?.count, node.integer, node.childNodes.first)
            guard let entries = node.dictionary else { continue }
            for entry in entries { _ = entries[entry.key] }
        }
    }
}

/// A tree of whatever there is.
private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if (try? container.decode([Anything].self)) != nil { return }
        if (try? container.decode(String.self)) != nil { return }
        _ = try? container.decode([String: Anything].self)
    }
}

/// Arrays and nothing else.
private struct Arrays: Decodable {
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { _ = try container.decode(Arrays.self) }
    }
}
