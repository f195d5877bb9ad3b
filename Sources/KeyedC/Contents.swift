// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import InlinePropertyList
internal import KeyedArchive
internal import NIBArchive
internal import PropertyList
internal import TypedStream

/// The kind of bytes, by their beginning.
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

    /// The name, a constant of C.
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

/// The operations on bytes of any kind.
enum Contents {
    /// Checks everything.
    static func check(_ bytes: [UInt8], _ settings: Settings) throws(Failure) {
        switch ContentKind(bytes) {
        case .typedStream:
            do { _ = try TypedStreamDocument(parsing: bytes) } catch { throw Failure(error) }
        case .nibArchive:
            do { _ = try NIBArchiveDocument(parsing: bytes) } catch { throw Failure(error) }
        case .inline:
            do { _ = try InlinePropertyListDocument(parsing: bytes) } catch { throw Failure(error) }
        case .list, nil:
            let handle = try DocumentHandle(bytes, settings)
            if handle.document.looksLikeKeyedArchive { _ = try ObjectTable(handle) }
        }
    }

    /// The text of a string or of an attributed string; nil where there is none.
    static func text(_ bytes: [UInt8], _ settings: Settings) throws(Failure) -> String? {
        if case .typedStream = ContentKind(bytes) { return try typedStreamText(bytes) }
        let handle = try DocumentHandle(bytes, settings)
        var walk = ObjectWalk(handle)
        let root = try walk.resolve(walk.start)
        if root.kind == "string" || root.kind == "url" { return root.node.string }
        guard root.kind == "object", let field = root.node["NSString"] else { return nil }
        let text = try walk.resolve(field)
        return text.kind == "string" ? text.node.string : nil
    }

    /// The text of a typedstream, the first string in it.
    private static func typedStreamText(_ bytes: [UInt8]) throws(Failure) -> String? {
        do { return try TypedStreamDocument(parsing: bytes).firstText() } catch {
            throw Failure(error)
        }
    }

    /// The names of the classes of an archive, as a JSON array.
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
