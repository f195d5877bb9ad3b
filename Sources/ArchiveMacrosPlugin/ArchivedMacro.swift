// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// The macro `@Archived`. A class gets members, because a required initializer must be in the class
/// itself. Structures and enumerations get an extension, so that a structure keeps its memberwise
/// initializer.
struct ArchivedMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let type = ArchivedType(node, declaration, missing: protocols, context)
        // The extension expansion examines the same declaration and finds the same errors, so only
        // the member expansion reports them.
        for diagnostic in type.diagnostics { context.diagnose(diagnostic) }
        guard case .classType = type.kind, let writer = type.writer else { return [] }
        return writer.members.map { DeclSyntax(stringLiteral: $0) }
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf name: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let type = ArchivedType(node, declaration, missing: protocols, context)
        guard type.diagnostics.isEmpty else { return [] }
        let conformance = conformance(protocols.map(\.trimmedDescription))
        let members: [String]
        if case .classType = type.kind {
            members = []
        } else {
            members = type.writer?.members ?? []
        }
        if conformance.isEmpty, members.isEmpty { return [] }
        let body = members.isEmpty ? "{}" : "{\n\(members.joined(separator: "\n\n"))\n}"
        return [
            try ExtensionDeclSyntax("extension \(name.trimmed)\(raw: conformance) \(raw: body)")
        ]
    }

    /// Returns the inheritance clause for the protocols to which the type does not conform yet.
    private static func conformance(_ missing: [String]) -> String {
        switch missing.count {
        case 0: ""
        case 1: ": \(missing[0])"
        default: ": KeyedCodable"
        }
    }
}
#endif
