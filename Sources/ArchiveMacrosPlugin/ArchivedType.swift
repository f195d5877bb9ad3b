// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// A declaration with `@Archived`, with its generated members or its errors.
struct ArchivedType {
    /// The kinds of declarations.
    enum Kind {
        case classType(ClassForm)
        case structure
        case enumeration
        /// A type that is archived as its raw value. `KeyedArchive` already implements its members.
        case rawValues
    }

    /// The properties of a class that determine the modifiers of its members.
    struct ClassForm {
        var isFinal: Bool
        var isSubclass: Bool
    }

    let kind: Kind
    let writer: MemberWriter?
    let diagnostics: [Diagnostic]

    /// Examines a declaration.
    ///
    /// - Parameters:
    ///   - node: The attribute.
    ///   - declaration: The declaration to which the attribute is attached.
    ///   - missing: The protocols to which the type does not conform without the macro.
    ///   - context: The context of the expansion, with the enclosing declarations.
    init(
        _ node: AttributeSyntax, _ declaration: some DeclGroupSyntax, missing: [TypeSyntax],
        _ context: some MacroExpansionContext
    ) {
        let arguments = ArchivedArguments(node)
        kind = Self.kind(of: declaration, arguments, missing)
        var diagnostics = Self.obstacles(node, declaration, context)
        if diagnostics.isEmpty { diagnostics = arguments.diagnostics(for: kind, declaration) }
        var writer: MemberWriter?
        if diagnostics.isEmpty {
            switch kind {
            case .rawValues: diagnostics = Self.uselessAttributes(declaration)
            case .enumeration:
                let cases = EnumerationCases(of: declaration)
                diagnostics = cases.diagnostics
                writer = MemberWriter(declaration, arguments.name, kind, .cases(cases.all))
            case .structure, .classType:
                var isClass = false
                if case .classType = kind { isClass = true }
                let stored = StoredProperties(
                    of: declaration.memberBlock.members, isClass: isClass)
                diagnostics = stored.diagnostics
                writer = MemberWriter(declaration, arguments.name, kind, .fields(stored.fields))
            }
        }
        self.writer = diagnostics.isEmpty ? writer : nil
        self.diagnostics = diagnostics
    }

    private static func kind(
        of declaration: some DeclGroupSyntax, _ arguments: ArchivedArguments,
        _ missing: [TypeSyntax]
    ) -> Kind {
        if declaration.inheritedNames.contains(where: rawValueProtocols.contains) {
            return .rawValues
        }
        if let enumeration = declaration.as(EnumDeclSyntax.self) {
            return enumeration.hasRawValues ? .rawValues : .enumeration
        }
        guard declaration.is(ClassDeclSyntax.self) else { return .structure }
        let names = declaration.inheritedNames
        // A subclass inherits its conformance. The compiler rejects one that states it again.
        let mayInherit = !names.isEmpty && !names.contains(where: ownProtocols.contains)
        let isKnownToConform = !missing.contains { ownProtocols.contains($0.trimmedDescription) }
        return .classType(
            ClassForm(
                isFinal: declaration.modifiers.contains { $0.name.tokenKind == .keyword(.final) },
                isSubclass: arguments.callsSuper ?? (mayInherit && isKnownToConform)))
    }

    /// The protocols whose conforming types are archived as their raw values.
    private static let rawValueProtocols: Set = ["RawRepresentable", "OptionSet"]

    /// Reports attributes on the cases and properties of a type that is archived as its raw value.
    private static func uselessAttributes(_ declaration: some DeclGroupSyntax) -> [Diagnostic] {
        declaration.memberBlock.members.flatMap { member in
            guard let member = member.decl.asProtocol((any WithAttributesSyntax).self) else {
                return [Diagnostic]()
            }
            return FieldAttributes(member.attributes).all.map { attribute in
                let name = attribute.plainName
                return Diagnostic(
                    "rawValueKey", at: attribute,
                    "`@\(name)` has no effect: the type is archived as its raw value",
                    fixIts: FixIt.removal(of: name, from: member))
            }
        }
    }

    /// The protocols of this package. A class that names one of them conforms by itself. Any other
    /// name in the inheritance clause of a class may be a superclass.
    private static let ownProtocols: Set = [
        "KeyedCodable", "KeyedEncodable", "KeyedDecodable", "KeyedArchivable",
    ]

    /// Returns an error if the macro cannot apply to the declaration at all.
    private static func obstacles(
        _ node: AttributeSyntax, _ declaration: some DeclGroupSyntax,
        _ context: some MacroExpansionContext
    ) -> [Diagnostic] {
        let remove = FixIt.removal(of: "Archived", from: declaration)
        if let kind = declaration.kindWithoutFields {
            return [
                Diagnostic(
                    "kind", at: node,
                    "expected a class, structure or enumeration for `@Archived`, found \(kind)",
                    fixIts: remove)
            ]
        }
        if let parameters = declaration.genericParameters {
            return [
                Diagnostic(
                    "generic", at: parameters,
                    "a generic type has no single name in archives: conform to `KeyedCodable` by "
                        + "hand, or archive a type that is not generic", fixIts: remove)
            ]
        }
        if context.lexicalContext.contains(where: \.isGeneric) {
            return [
                Diagnostic(
                    "generic", at: node,
                    "a type within a generic type has no single name in archives: conform to "
                        + "`KeyedCodable` by hand, or move the type out", fixIts: remove)
            ]
        }
        return []
    }
}

/// The arguments of `@Archived`.
struct ArchivedArguments {
    private let node: AttributeSyntax
    /// The name of the class, as a string literal; empty if there is none.
    let name: String
    /// A Boolean value indicating whether the members call those of the superclass; nil if the
    /// attribute does not specify it.
    let callsSuper: Bool?

    init(_ node: AttributeSyntax) {
        self.node = node
        name = node.argument(nil)?.expression.trimmedDescription ?? ""
        callsSuper = node.argument("super")?.expression.as(BooleanLiteralExprSyntax.self)
            .map { $0.literal.tokenKind == .keyword(.true) }
    }

    /// Returns the errors in the arguments.
    func diagnostics(
        for kind: ArchivedType.Kind, _ declaration: some DeclGroupSyntax
    ) -> [Diagnostic] {
        [nameDiagnostic(for: kind, declaration), superDiagnostic(for: kind)].compactMap { $0 }
    }

    private func nameDiagnostic(
        for kind: ArchivedType.Kind, _ declaration: some DeclGroupSyntax
    ) -> Diagnostic? {
        let argument = node.argument(nil)
        if case .rawValues = kind {
            guard let argument else { return nil }
            return Diagnostic(
                "rawValueName", at: argument,
                "a type with raw values is archived as its raw value and needs no name",
                fixIts: [.replace(node, with: bare, "remove the name")])
        }
        guard let argument else {
            let name = declaration.typeName
            return Diagnostic(
                "missingName", at: node, "expected the name of the class in archives",
                fixIts: [
                    .replace(node, with: named(name), "use \(name.literal)")
                ])
        }
        if argument.expression.literalText?.isEmpty == false { return nil }
        return Diagnostic(
            "nameLiteral", at: argument,
            "expected a name as a string literal that is not empty and has no interpolations")
    }

    private func superDiagnostic(for kind: ArchivedType.Kind) -> Diagnostic? {
        guard let argument = node.argument("super") else { return nil }
        guard case .classType = kind else {
            return Diagnostic("superOfValue", at: argument, "only a class has a superclass")
        }
        return callsSuper == nil
            ? Diagnostic("superLiteral", at: argument, "expected `true` or `false`") : nil
    }

    /// The attribute without arguments.
    private var bare: AttributeSyntax {
        var bare = node
        (bare.leftParen, bare.arguments, bare.rightParen) = (nil, nil, nil)
        bare.trailingTrivia = node.trailingTrivia
        return bare
    }

    /// Returns the attribute with a name.
    private func named(_ name: String) -> AttributeSyntax {
        var named = AttributeSyntax(stringLiteral: "@Archived(\(name.literal))")
        named.leadingTrivia = node.leadingTrivia
        named.trailingTrivia = node.trailingTrivia
        return named
    }
}

// MARK: - Declarations

extension DeclGroupSyntax {
    /// The declared name.
    var typeName: String {
        asProtocol((any NamedDeclSyntax).self)?.name.text ?? ""
    }

    /// The names in the inheritance clause, without the names of the modules `KeyedArchive` and
    /// `Swift`.
    var inheritedNames: [String] {
        inheritanceClause?.inheritedTypes.map { inherited in
            guard let member = inherited.type.as(MemberTypeSyntax.self),
                ["KeyedArchive", "Swift"].contains(member.baseType.trimmedDescription)
            else { return inherited.type.trimmedDescription }
            return member.name.trimmedDescription
        } ?? []
    }

    fileprivate var genericParameters: GenericParameterClauseSyntax? {
        asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause
    }

    /// The kind of a declaration that `@Archived` does not support; nil for other declarations.
    fileprivate var kindWithoutFields: String? {
        switch Syntax(self).as(SyntaxEnum.self) {
        case .actorDecl: "an actor"
        case .protocolDecl: "a protocol"
        case .extensionDecl: "an extension"
        default: nil
        }
    }
}

extension Syntax {
    fileprivate var isGeneric: Bool {
        asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
    }
}

extension EnumDeclSyntax {
    /// A Boolean value indicating whether the enumeration has a raw type of the standard library,
    /// or cases with raw values.
    fileprivate var hasRawValues: Bool {
        if let first = inheritedNames.first, FieldType.isRawValue(first) { return true }
        return memberBlock.members.contains { member in
            member.decl.as(EnumCaseDeclSyntax.self)?.elements.contains { $0.rawValue != nil }
                == true
        }
    }
}
#endif
