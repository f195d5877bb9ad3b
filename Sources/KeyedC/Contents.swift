// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import InlinePropertyList
internal import KeyedArchive
internal import NIBArchive
internal import PropertyList
internal import TypedStream

/// The format of an input, detected from its first bytes.
enum ContentKind {
    case list(PropertyListFormat)
    case typedStream
    case nibArchive
    case inline(StaticString)

    init?(_ bytes: [UInt8]) {
        if let inline = Self.inlineNames.first(where: {
            bytes.starts(with: Array($0.description.utf8))
        }) {
            self = .inline(inline)
        } else if NIBArchiveDocument.isNIBArchive(bytes) {
            self = .nibArchive
        } else if TypedStreamDocument.isTypedStream(bytes) {
            self = .typedStream
        } else if let format = try? PropertyListFormat.detect(bytes) {
            self = .list(format)
        } else {
            return nil
        }
    }

    private static let inlineNames: [StaticString] = ["bplist15", "bplist16", "bplist17"]

    /// The name that `keyed_kind_of` returns.
    var name: StaticString {
        switch self {
        case .typedStream: "typedstream"
        case .nibArchive: "NIBArchive"
        case .inline(let name): name
        case .list(.binary): "binary property list"
        case .list(.xml): "XML property list"
        case .list(.openStep): "OpenStep property list"
        case .list: "JSON"
        }
    }
}

/// Operations on input in any format.
enum Contents {
    /// Validates all of the input.
    static func check(_ bytes: [UInt8], _ settings: Settings) throws(Failure) {
        switch ContentKind(bytes) {
        case .typedStream: _ = try stream(bytes, settings)
        case .nibArchive:
            do {
                _ = try NIBArchiveDocument(parsing: bytes, limits: settings.nibArchiveLimits)
            } catch { throw Failure(error) }
        case .inline(let name):
            do {
                _ = try InlinePropertyListDocument(
                    parsing: bytes, limits: settings.inlineListLimits)
            } catch { throw Failure(error, name) }
        case .list, nil:
            let handle = try DocumentHandle(bytes, settings)
            if handle.document.looksLikeKeyedArchive { _ = try ObjectTable(handle) }
        }
    }

    /// Returns the text of the root if it is a string, an attributed string or, in an archive, a
    /// URL without a base. Returns nil for other roots.
    static func text(_ bytes: [UInt8], _ settings: Settings) throws(Failure) -> String? {
        if case .typedStream = ContentKind(bytes) { return try typedStreamText(bytes, settings) }
        let handle = try DocumentHandle(bytes, settings)
        var resolver = ValueResolver(handle)
        let root = try resolver.resolve(ValueResolver.start(of: handle))
        if root.kind == "string" || root.kind == "url" { return root.node.string }
        guard root.kind == "object", let field = root.node["NSString"] else { return nil }
        let text = try resolver.resolve(field)
        return text.kind == "string" ? text.node.string : nil
    }

    private static func stream(
        _ bytes: [UInt8], _ settings: Settings
    ) throws(Failure) -> TypedStreamDocument {
        do {
            return try TypedStreamDocument(parsing: bytes, limits: settings.typedStreamLimits)
        } catch { throw Failure(error) }
    }

    /// Returns the text of the root of a typedstream, or nil if the root is neither a string nor an
    /// attributed string.
    private static func typedStreamText(
        _ bytes: [UInt8], _ settings: Settings
    ) throws(Failure) -> String? {
        guard let root = try stream(bytes, settings).root else { return nil }
        do {
            switch try root.content() {
            case .string(let text): return text
            case .attributedString(let text, runs: _, attributes: _): return try text.string() ?? ""
            default: return nil
            }
        } catch { throw Failure(error) }
    }

    /// Returns the sorted class names of an archive as a JSON array.
    static func classNames(_ handle: DocumentHandle) throws(Failure) -> [UInt8] {
        let contents = try handle.archive()
        var descriptions: Set<UInt32> = []
        var names: Set<ExactText> = []
        var budget = DescriptionBudget(contents, limits: handle.limits)
        do {
            for number in contents.objects.indices {
                let uid = PropertyListUID(UInt32(truncatingIfNeeded: number))
                guard case .object(_, let description) = try contents.entry(uid),
                    descriptions.insert(description.value).inserted
                else { continue }
                let name = try contents.archivedClass(description, within: &budget).name
                names.insert(ExactText(name))
            }
        } catch { throw Failure(error, in: handle.document) }
        var output = [UInt8(ascii: "[")]
        for (index, name) in names.sorted().enumerated() {
            output.append(contentsOf: (index == 0 ? "\"" : ",\"").utf8)
            JSONScalarWriter.appendEscaped(Array(name.text.utf8)[...], to: &output)
            output.append(UInt8(ascii: "\""))
        }
        output.append(UInt8(ascii: "]"))
        return output
    }
}
