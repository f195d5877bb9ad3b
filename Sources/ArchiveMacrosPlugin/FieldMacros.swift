// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// A macro that only marks a declaration for `@Archived` and expands to nothing.
protocol FieldMacro: PeerMacro {}

extension FieldMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let type = context.lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)
        let isArchived = type?.attributes.contains { element in
            if case .attribute(let attribute) = element {
                attribute.plainName == "Archived"
            } else {
                false
            }
        }
        if isArchived == true { return [] }
        context.diagnose(
            Diagnostic(
                "notInArchivedType", at: node,
                "`@\(node.plainName)` has no effect: the declaration is not in an `@Archived` type",
                fixIts: FixIt.removal(of: node.plainName, from: declaration)))
        return []
    }
}

/// The macro `@ArchivedKey`.
struct ArchivedKeyMacro: FieldMacro {}

/// The macro `@NotArchived`.
struct NotArchivedMacro: FieldMacro {}

/// The macro `@ArchivedReference`.
struct ArchivedReferenceMacro: FieldMacro {}
#endif
