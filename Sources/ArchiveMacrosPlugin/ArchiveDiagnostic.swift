// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// An error message of a macro.
struct ArchiveDiagnostic: DiagnosticMessage {
    let message: String
    let identifier: String

    var diagnosticID: MessageID { MessageID(domain: "ArchiveMacros", id: identifier) }
    var severity: DiagnosticSeverity { .error }
}

/// The title of a fix-it.
struct ArchiveFixIt: FixItMessage {
    let message: String
    let identifier: String

    var fixItID: MessageID { MessageID(domain: "ArchiveMacros", id: identifier) }
}

extension Diagnostic {
    /// Creates an error at a node, with fix-its.
    init(
        _ identifier: String, at node: some SyntaxProtocol, _ message: String,
        fixIts: [FixIt] = []
    ) {
        self.init(
            node: Syntax(node),
            message: ArchiveDiagnostic(message: message, identifier: identifier), fixIts: fixIts)
    }
}

extension FixIt {
    /// Returns a fix-it that replaces a node.
    static func replace(
        _ old: some SyntaxProtocol, with new: some SyntaxProtocol, _ message: String
    ) -> FixIt {
        FixIt(
            message: ArchiveFixIt(message: message, identifier: message),
            changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }

    /// Returns a fix-it that adds an attribute to a declaration.
    static func add(_ attribute: String, to declaration: some WithAttributesSyntax) -> FixIt {
        let lead = declaration.leadingTrivia
        var changed = declaration
        changed.leadingTrivia = []
        var added = AttributeSyntax(stringLiteral: attribute)
        added.leadingTrivia = lead
        added.trailingTrivia = .space
        changed.attributes.insert(.attribute(added), at: changed.attributes.startIndex)
        return replace(declaration, with: changed, "add `\(attribute)`")
    }

    /// Returns a fix-it that removes an attribute from a declaration.
    static func remove(_ name: String, from declaration: some WithAttributesSyntax) -> FixIt {
        let lead = declaration.leadingTrivia
        var changed = declaration
        changed.attributes = changed.attributes.filter { element in
            if case .attribute(let attribute) = element {
                attribute.plainName != name
            } else {
                true
            }
        }
        changed.leadingTrivia = lead
        return replace(declaration, with: changed, "remove `@\(name)`")
    }

    /// Returns a fix-it that removes an attribute from a declaration, or none if the declaration
    /// cannot have attributes.
    static func removal(of name: String, from declaration: some SyntaxProtocol) -> [FixIt] {
        guard let declaration = declaration.asProtocol((any WithAttributesSyntax).self) else {
            return []
        }
        return [remove(name, from: declaration)]
    }
}
#endif
