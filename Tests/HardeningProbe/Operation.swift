// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import ArchiveImport
import KeyedArchive
import PropertyList
import PropertyListCodable
import PropertyListTools
import TypedStream

/// A file and the options for reading it.
struct Input {
    var bytes: [UInt8]
    /// The format; nil to detect it.
    var format: PropertyListFormat?
    var options = ParsingOptions.forensic
    var limits = ParsingLimits.default
    /// The edits to apply. If there are none, every child of the root is changed.
    var edits: [PropertyListEdit] = []

    var document: PropertyListDocument? { try? parsed() }

    func parsed() throws(PropertyListError) -> PropertyListDocument {
        if format == .json {
            return try JSONPropertyList.parse(
                bytes, mapping: .typed, options: options, limits: limits)
        }
        if format == nil, ImportedArchive.Format.detect(bytes) != nil {
            return try ImportedArchive(parsing: bytes, limits: limits).document
        }
        return try PropertyListDocument(
            parsing: bytes, format: format, options: options, limits: limits)
    }

    /// Whether the nesting grows with the input. Text formats indent lines by their depth, so their
    /// size then grows with the square of the depth.
    var nests: Bool { limits.depth > ParsingLimits.default.depth }

    var contents: ArchiveContents? { document.flatMap { try? ArchiveContents($0) } }

    var archive: KeyedUnarchiver? {
        contents.flatMap { try? KeyedUnarchiver($0, allowing: Self.registry, limits: limits) }
    }

    static let registry = ClassRegistry.foundation.merging(.appKit).merging(.uiKit)
        .keepingUnknownClasses()
}

/// An operation of the library on a file.
struct Operation: Sendable {
    let name: String
    /// Returns the measured part of the operation, after the preparation that is not measured; nil
    /// if the operation does not apply.
    let prepare: @Sendable (Input) -> (() -> Void)?

    static let all = [reading, writing, changing, codable, archives].flatMap(\.self)
}

// MARK: - Documents

extension Operation {
    private static let reading = [
        Operation(name: "parse") { input in { _ = input.document } },
        Operation(name: "salvage an import") { input in
            guard ImportedArchive.Format.detect(input.bytes) != nil else { return nil }
            return { _ = try? ImportedArchive(salvaging: input.bytes, limits: input.limits) }
        },
        Operation(name: "text of a typedstream") { input in
            guard TypedStreamDocument.isTypedStream(input.bytes) else { return nil }
            return {
                guard let text = try? AttributedText(typedstream: input.bytes) else { return }
                for run in text.runs { _ = text.attributes(of: run).names }
            }
        },
        Operation(name: "write again") { input in
            guard TypedStreamDocument.isTypedStream(input.bytes) else { return nil }
            let limits = TypedStreamLimits(depth: input.limits.depth, inputSize: 1 << 30)
            return {
                let document = try? TypedStreamDocument(parsing: input.bytes, limits: limits)
                _ = try? document?.serialized(byteOrder: .bigEndian)
                var builder = TypedStreamBuilder()
                if let document { try? builder.append(contentsOf: document) }
            }
        },
        Operation(name: "tree") { input in
            input.document.map { document in { _ = try? document.root.value(limits: input.limits) }
            }
        },
        Operation(name: "events") { input in
            input.document.map { document in { readEvents(document.root, input.limits) } }
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
        Operation(name: "messages") { input in { _ = messages(input) } },
        Operation(name: "carve") { input in
            {
                let carver = PropertyListCarver(
                    input.bytes, options: input.options, limits: input.limits, findsNested: true)
                for _ in carver {}
            }
        },
    ]

    /// Looks up every value, and every key in its dictionary.
    private static func lookUp(_ document: PropertyListDocument) {
        for node in document.allNodes {
            _ = (node.string, node.data?.count, node.integer, node.childNodes.first)
            guard let entries = node.dictionary else { continue }
            for entry in entries { _ = entries[entry.key] }
        }
    }

    /// Reads every event, with its key and its content.
    private static func readEvents(_ root: PropertyListNode, _ limits: ParsingLimits) {
        var reader = PropertyListEventReader(root, limits: limits)
        while (try? reader.next()) != nil {
            _ = (reader.withKey { $0.count }, reader.withContent { $0.count })
        }
    }

    /// Returns the messages about a file.
    private static func messages(_ input: Input) -> [String] {
        do throws(PropertyListError) {
            return try input.parsed().problems.map(\.description)
        } catch {
            return [error.description]
        }
    }

    private static let writing = [
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
            var options = XMLPropertyList.Options()
            options.allowedLosses = .appleCompatible
            return write(input) { [options] document in
                _ = try XMLPropertyList.serialize(
                    document, options: options, limits: input.limits)
            }
        },
        Operation(name: "write OpenStep") { input in write(input, layout: .indented) },
        Operation(name: "write as a project") { input in
            write(input, layout: .projectFile(projectName: nil))
        },
        Operation(name: "write JSON") { input in
            var options = JSONPropertyList.Options()
            options.mapping = .typed
            return write(input) { [options] document in
                _ = try JSONPropertyList.serialize(
                    document, options: options, limits: input.limits)
            }
        },
    ]

    private static func write(
        _ input: Input, layout: OpenStepPropertyList.Layout
    ) -> (() -> Void)? {
        var options = OpenStepPropertyList.Options()
        options.layout = layout
        options.scalars = .text
        return write(input) { [options] document in
            _ = try OpenStepPropertyList.serialize(
                document, options: options, limits: input.limits)
        }
    }

    /// Returns the call that writes the input as text; nil for nesting inputs, whose indented text
    /// would grow with the square of the depth.
    private static func write(
        _ input: Input, _ serialize: @escaping (PropertyListDocument) throws -> Void
    ) -> (() -> Void)? {
        guard !input.nests else { return nil }
        return input.document.map { document in { try? serialize(document) } }
    }
}

// MARK: - Changes

extension Operation {
    private static let changing = [
        Operation(name: "edit") { input in
            guard let document = input.document else { return nil }
            let edits = input.edits.isEmpty ? changes(to: document) : input.edits
            return {
                var editor = try? PropertyListEditor(
                    document, options: input.options, limits: input.limits)
                for edit in edits { try? editor?.apply(edit) }
                _ = try? editor?.finish()
            }
        },
        Operation(name: "compare") { input in
            guard let old = input.document, let new = reversed(old, input.limits) else {
                return nil
            }
            return {
                let comparison = try? PropertyListComparison(
                    from: old, to: new, limits: input.limits)
                _ = try? comparison?.edits(limits: input.limits)
            }
        },
        Operation(name: "merge") { input in
            guard let base = input.document, let ours = reversed(base, input.limits),
                let edited = try? base.applying(changes(to: base), limits: input.limits)
            else { return nil }
            return {
                _ = try? PropertyListMerge(
                    base: base, ours: ours, theirs: edited.document, limits: input.limits)
            }
        },
    ]

    /// Returns edits that replace every child of the root.
    private static func changes(to document: PropertyListDocument) -> [PropertyListEdit] {
        let steps: [PropertyListKeyPath.Step]
        switch document.root.kind {
        case .array: steps = document.root.childNodes.indices.map { .index($0) }
        case .dictionary: steps = document.root.dictionary?.map { .key($0.key) } ?? []
        default: steps = []
        }
        return steps.map { PropertyListEdit(PropertyListKeyPath([$0]), .set("new")) }
    }

    /// Returns the document with the children of its root in reverse order.
    private static func reversed(
        _ document: PropertyListDocument, _ limits: ParsingLimits
    ) -> PropertyListDocument? {
        switch try? document.root.value(limits: limits) {
        case .array(let elements):
            try? PropertyListDocument(.array(PropertyListArray(elements.reversed())))
        case .dictionary(let entries):
            try? PropertyListDocument(.dictionary(PropertyListDictionary(entries.reversed())))
        default: nil
        }
    }
}

// MARK: - Types

extension Operation {
    private static let codable = [
        Operation(name: "decode") { input in
            // An error of `Codable` contains the whole coding path, whose length is the nesting
            // depth. A type that tries several types in turn pays for it on every level.
            guard !input.nests else { return nil }
            return input.document.map { document in
                {
                    _ = try? PlistDecoder(limits: input.limits).decode(
                        DeepTree.self, from: document)
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
            let encoder = PlistEncoder()
            encoder.limits = input.limits
            return { [encoder] in _ = try? encoder.encodeBytes(value) }
        },
        Operation(name: "encode in parts") { input in
            guard let value = try? input.document?.root.value(limits: input.limits) else {
                return nil
            }
            let encoder = PlistEncoder()
            encoder.limits = input.limits
            return { [encoder] in _ = try? encoder.encodeBytes(InParts(root: value)) }
        },
    ]
}

/// Encodes each key of a dictionary, or each index of an array, in two nested containers.
private struct InParts: Encodable {
    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let root: PropertyListValue

    func encode(to encoder: any Encoder) throws {
        let keys = root.dictionary?.keys ?? (root.array ?? []).indices.map { "\($0)" }
        var container = encoder.container(keyedBy: Key.self)
        for round in 0..<2 {
            for key in keys {
                var nested = container.nestedContainer(
                    keyedBy: Key.self, forKey: Key(stringValue: key))
                try nested.encode(round, forKey: Key(stringValue: "\(round)"))
            }
        }
    }
}

/// Decodes a tree of any values.
private struct DeepTree: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if (try? container.decode([DeepTree].self)) != nil { return }
        if (try? container.decode(String.self)) != nil { return }
        _ = try? container.decode([String: DeepTree].self)
    }
}

/// Decodes nested arrays only.
private struct Arrays: Decodable {
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { _ = try container.decode(Arrays.self) }
    }
}

// MARK: - Archives

extension Operation {
    private static let archives = [
        Operation(name: "graph") { input in
            input.contents.map { contents in
                {
                    let graph = try? ArchiveGraph(
                        contents, keepingMalformed: true, limits: input.limits)
                    _ = try? graph?.serialized(limits: input.limits)
                }
            }
        },
        Operation(name: "strict graph") { input in
            input.contents.map { contents in
                { _ = try? ArchiveGraph(contents, limits: input.limits) }
            }
        },
        Operation(name: "audit") { input in
            input.contents.map { contents in
                { _ = try? contents.objects(notAllowedBy: .propertyList, limits: input.limits) }
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
}
