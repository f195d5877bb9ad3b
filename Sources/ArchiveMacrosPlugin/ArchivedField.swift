// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftDiagnostics
internal import SwiftParser
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// A stored property that is a field of the archived object, or that the initializer sets to nil.
struct ArchivedField {
    /// The use of the property.
    enum Role {
        /// Written and read.
        case value
        /// Read when all objects are complete. A weak one does not write the object that it refers to.
        case reference(isWeak: Bool)
        /// A constant optional that is not archived.
        case absent
    }

    /// The name as it stands in code, in backticks if the source has these.
    let name: String
    /// The key, as a literal.
    let key: String
    /// The key's text.
    let keyText: String
    let type: FieldType
    var role: Role = .value
    /// The expression for a missing key.
    var fallback: String?
    /// The place for errors.
    let node: Syntax

    init(name: TokenSyntax, type: FieldType, attributes: FieldAttributes) {
        self.name = name.text
        let plain = name.text.filter { $0 != "`" }
        key = attributes.keyLiteral?.trimmedDescription ?? plain.literal
        keyText = attributes.keyLiteral?.literalText ?? plain
        self.type = type
        fallback = attributes.fallback?.trimmedDescription
        node = Syntax(name)
    }

    /// The property in a method with a parameter `coder`.
    private var reference: String { name == "coder" ? "self.coder" : name }

    /// The statement that writes the field; nil where nothing is written.
    var encoding: String? {
        switch role {
        case .value, .reference(isWeak: false):
            encodingStatement(reference, key)
        case .reference(isWeak: true):
            "coder.encodeConditionalObject(\(reference), forKey: \(key))"
        case .absent: nil
        }
    }

    /// The statement that reads the field before the object is complete; nil for references.
    var decoding: String? {
        switch role {
        case .value: "\(reference) = try coder.\(decodingCall(key, default: fallback))"
        case .reference: nil
        case .absent: "\(reference) = nil"
        }
    }

    /// The statement that reads a reference when the object is complete; nil for other fields.
    var lateDecoding: String? {
        guard case .reference = role, let wrapped = type.wrapped else { return nil }
        return """
            try coder.decodeReference(to: \(wrapped.text).self, forKey: \(key)) { [weak self] in
                self?.\(name) = $0
            }
            """
    }
}

/// The statement that writes a value.
func encodingStatement(_ value: String, _ key: String) -> String {
    "coder.encode(\(value), forKey: \(key))"
}

/// The call that reads a value whose type follows from its use.
func decodingCall(_ key: String, default fallback: String? = nil) -> String {
    "decode(forKey: \(key)\(fallback.map { ", default: \($0)" } ?? ""))"
}

extension String {
    /// The text as a string literal.
    var literal: String { StringLiteralExprSyntax(content: self).description }
}
#endif
