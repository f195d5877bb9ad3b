// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftDiagnostics
internal import SwiftParser
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// A stored property that is archived as a field, or that the initializer must set to nil.
struct ArchivedField {
    /// The use of the property.
    enum Role {
        /// Encoded and decoded.
        case value
        /// Decoded after all objects are complete. A weak or unowned reference does not encode its
        /// object.
        case reference(isNonOwning: Bool)
        /// An optional that is not archived, and that the initializer must set to nil.
        case absent
    }

    /// The name in code, including the backticks of the source.
    let name: String
    /// The key, as a string literal.
    let key: String
    /// The key's text.
    let keyText: String
    let type: FieldType
    var role: Role = .value
    /// The default expression for a field that is absent or nil.
    var fallback: String?
    /// The node at which errors are reported.
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

    /// The expression for the property in a method with a parameter `coder`.
    private var propertyExpression: String {
        name == "coder" || name == "`coder`" ? "self.\(name)" : name
    }

    /// The statement that encodes the field; nil if the field is not encoded.
    var encoding: String? {
        switch role {
        case .value, .reference(isNonOwning: false):
            encodingStatement(propertyExpression, key)
        case .reference(isNonOwning: true):
            "coder.encodeConditionalObject(\(propertyExpression), forKey: \(key))"
        case .absent: nil
        }
    }

    /// The statement that sets the property before the object is complete; nil for a reference that
    /// the compiler initializes with nil.
    var decoding: String? {
        switch role {
        case .value: "\(propertyExpression) = try coder.\(decodingCall(key, default: fallback))"
        case .reference where type.isImplicitlyNil: nil
        case .reference, .absent: "\(propertyExpression) = nil"
        }
    }

    /// The statement that requests a reference after all other fields; nil for other fields. The
    /// decoder resolves the reference when all objects are complete.
    var lateDecoding: String? {
        guard case .reference = role, let wrapped = type.wrapped else { return nil }
        return """
            try coder.decodeReference(to: \(wrapped.text).self, forKey: \(key)) { [weak self] in
                self?.\(name) = $0
            }
            """
    }
}

/// Returns the statement that encodes a value.
func encodingStatement(_ value: String, _ key: String) -> String {
    "coder.encode(\(value), forKey: \(key))"
}

/// Returns the call that decodes a value whose type is inferred from context.
func decodingCall(_ key: String, default fallback: String? = nil) -> String {
    "decode(forKey: \(key)\(fallback.map { ", default: \($0)" } ?? ""))"
}

extension String {
    /// The text as a string literal.
    var literal: String { StringLiteralExprSyntax(content: self).description }
}
#endif
