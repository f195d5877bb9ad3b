// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import CKeyed
internal import PropertyList

/// A value as JSON, in the modes of `keyed.h`.
enum JSONText {
    static func text(
        of node: PropertyListNode, _ handle: DocumentHandle, _ mode: UInt32
    ) throws(Failure) -> [UInt8] {
        switch mode {
        case UInt32(KEYED_JSON_OBJECTS): return try objects(node, handle)
        case UInt32(KEYED_JSON_STRICT): return try plain(node, handle, .strict)
        case UInt32(KEYED_JSON_COERCE): return try plain(node, handle, .coerce)
        case UInt32(KEYED_JSON_TYPED): return try plain(node, handle, .typed)
        default: throw Failure("misuse", "expected a JSON mode from 0 to 3, found \(mode)")
        }
    }

    private static func objects(
        _ node: PropertyListNode, _ handle: DocumentHandle
    ) throws(Failure) -> [UInt8] {
        var writer = ObjectJSON(handle)
        if node.isIdentical(to: handle.document.root) {
            // For the root value of an archive, the result is the root object.
            try writer.append(ValueResolver.start(of: handle).index)
        } else {
            var resolver = ValueResolver(handle)
            try writer.append(node.index, object: resolver.object(of: node))
        }
        return writer.output
    }

    private static func plain(
        _ node: PropertyListNode, _ handle: DocumentHandle, _ mapping: JSONPropertyList.Mapping
    ) throws(Failure) -> [UInt8] {
        var options = JSONPropertyList.Options()
        options.mapping = mapping
        options.layout = .compact
        do throws(PropertyListError) {
            var document = handle.document
            if !node.isIdentical(to: document.root) {
                var budget = document.budget(handle.limits)
                var contents = LongContents()
                let value = try node.value(within: &budget, &contents)
                document = try PropertyListDocument(value, limits: handle.limits)
            }
            var bytes = try JSONPropertyList.serialize(
                document, options: options, limits: handle.limits)
            if bytes.last == 0x0A { bytes.removeLast() }
            return bytes
        } catch { throw Failure(error) }
    }
}
