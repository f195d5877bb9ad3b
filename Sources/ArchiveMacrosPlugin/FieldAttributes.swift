// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftDiagnostics
internal import SwiftParser
internal import SwiftSyntax

/// The attributes of this package on one declaration.
struct FieldAttributes {
    private(set) var key: AttributeSyntax?
    private(set) var notArchived: AttributeSyntax?
    private(set) var reference: AttributeSyntax?

    init(_ attributes: AttributeListSyntax) {
        for case .attribute(let attribute) in attributes {
            switch attribute.plainName {
            case "ArchivedKey": key = attribute
            case "NotArchived": notArchived = attribute
            case "ArchivedReference": reference = attribute
            default: break
            }
        }
    }

    /// All attributes that are present.
    var all: [AttributeSyntax] { [key, notArchived, reference].compactMap { $0 } }

    /// The key expression of `@ArchivedKey("key")`; nil if the attribute has no key.
    var keyLiteral: ExprSyntax? { key?.argument(nil)?.expression }

    /// The value of `@ArchivedKey(default: value)`.
    var fallback: ExprSyntax? { key?.argument("default")?.expression }
}

extension AttributeSyntax {
    /// The name of the attribute without its module.
    var plainName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text
            ?? attributeName.trimmedDescription
    }

    /// Returns the argument with a label, or the unlabeled one if `label` is nil.
    func argument(_ label: String?) -> LabeledExprSyntax? {
        guard case .argumentList(let arguments) = arguments else { return nil }
        return arguments.first { $0.label?.text == label }
    }
}

extension ExprSyntax {
    /// The text of a string literal without interpolations; nil for other expressions.
    var literalText: String? {
        self.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    }
}
#endif
