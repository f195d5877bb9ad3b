// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// The stored properties of a class or structure, as fields of an object.
struct StoredProperties {
    private(set) var fields: [ArchivedField] = []
    private(set) var diagnostics: [Diagnostic] = []
    private let isClass: Bool

    init(of members: MemberBlockItemListSyntax, isClass: Bool) {
        self.isClass = isClass
        for member in members {
            if let variable = member.decl.as(VariableDeclSyntax.self) {
                add(variable)
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                refuseProperties(in: condition)
            }
        }
        refuseEqualKeys()
    }

    private mutating func complain(
        _ identifier: String, at node: some SyntaxProtocol, _ message: String,
        fixIts: [FixIt] = []
    ) {
        diagnostics.append(Diagnostic(identifier, at: node, message, fixIts: fixIts))
    }

    // MARK: - Declarations

    private mutating func add(_ variable: VariableDeclSyntax) {
        let attributes = FieldAttributes(variable.attributes)
        if let kind = variable.kindIfNotStored {
            for attribute in attributes.all {
                complain(
                    "notStored", at: attribute,
                    "`@\(attribute.plainName)` has no effect here: \(kind) is not archived",
                    fixIts: [.remove(attribute.plainName, from: variable)])
            }
            return
        }
        if let contradiction = contradiction(attributes, in: variable) {
            return diagnostics.append(contradiction)
        }
        let bindings = Array(variable.bindings)
        for (index, binding) in bindings.enumerated() where !binding.isComputed {
            // In `var a, b: Int`, the type of `b` also applies to `a`.
            let annotation = bindings[index...].first { $0.typeAnnotation != nil }?.typeAnnotation
            let isBare = binding.typeAnnotation == nil && binding.initializer == nil
            add(
                binding, of: variable,
                type: (isBare ? annotation : binding.typeAnnotation).map { FieldType($0.type) },
                attributes)
        }
    }

    private mutating func add(
        _ binding: PatternBindingSyntax, of variable: VariableDeclSyntax, type: FieldType?,
        _ attributes: FieldAttributes
    ) {
        // A property needs no code if it is not archived and has an initial value.
        if attributes.notArchived != nil, binding.initializer != nil { return }
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
            return complain(
                "pattern", at: binding.pattern,
                "expected one name for each stored property, found a pattern")
        }
        if attributes.notArchived != nil {
            return addAbsent(name, binding, of: variable, type, attributes)
        }
        guard let type = type ?? binding.initializer.flatMap({ .ofLiteral($0.value) }) else {
            return complainOfMissingType(name, binding)
        }
        var field = ArchivedField(name: name, type: type, attributes: attributes)
        if let obstacle = type.obstacle {
            return complain(
                "obstacle", at: name,
                "`\(field.name)` cannot be archived: its type is \(obstacle)",
                fixIts: [.add("@NotArchived", to: variable)])
        }
        if variable.isConstant, binding.initializer != nil {
            return complainOfConstant(field.name, variable)
        }
        if attributes.reference != nil || variable.isNonOwning {
            guard let complaint = complaint(aboutReference: field, variable, attributes) else {
                field.role = .reference(isNonOwning: variable.isNonOwning)
                return fields.append(field)
            }
            return diagnostics.append(complaint)
        }
        fields.append(field)
    }

    /// Adds a property that is not archived and has no initial value, if the initializer must set
    /// it.
    private mutating func addAbsent(
        _ name: TokenSyntax, _ binding: PatternBindingSyntax, of variable: VariableDeclSyntax,
        _ type: FieldType?, _ attributes: FieldAttributes
    ) {
        guard let type, type.wrapped != nil else {
            return complain(
                "notArchivedWithoutValue", at: name,
                "`\(name.text)` is not archived, so it needs an initial value or an optional type",
                fixIts: Self.fixIts(forValueOf: binding))
        }
        if variable.isConstant || !type.isImplicitlyNil {
            var field = ArchivedField(name: name, type: type, attributes: attributes)
            field.role = .absent
            fields.append(field)
        }
    }

    // MARK: - Errors

    private func contradiction(
        _ attributes: FieldAttributes, in variable: VariableDeclSyntax
    ) -> Diagnostic? {
        if attributes.notArchived != nil, attributes.all.count > 1 {
            return Diagnostic(
                "contradiction", at: variable,
                "a property that is not archived cannot have a key or be a reference",
                fixIts: [.remove("NotArchived", from: variable)])
        }
        guard let key = attributes.keyLiteral, key.literalText == nil else { return nil }
        return Diagnostic(
            "keyLiteral", at: key, "expected a key as a string literal without interpolations")
    }

    private mutating func complainOfMissingType(
        _ name: TokenSyntax, _ binding: PatternBindingSyntax
    ) {
        let guess = binding.initializer.flatMap { FieldType.guess($0.value) } ?? "<#Type#>"
        var typed = binding
        typed.pattern.trailingTrivia = []
        typed.typeAnnotation = TypeAnnotationSyntax(
            colon: .colonToken(trailingTrivia: .space),
            type: TypeSyntax(stringLiteral: guess), trailingTrivia: .space)
        complain(
            "missingType", at: name,
            "expected a type for `\(name.text)`: a macro cannot see inferred types",
            fixIts: [.replace(binding, with: typed, "add `: \(guess)`")])
    }

    private mutating func complainOfConstant(_ name: String, _ variable: VariableDeclSyntax) {
        var changed = variable
        changed.bindingSpecifier = .keyword(
            .var, leadingTrivia: variable.bindingSpecifier.leadingTrivia,
            trailingTrivia: variable.bindingSpecifier.trailingTrivia)
        complain(
            "constant", at: variable.bindingSpecifier,
            "`\(name)` is a constant with a value, which `init(coder:)` cannot set",
            fixIts: [
                .add("@NotArchived", to: variable),
                .replace(variable, with: changed, "make it `var`"),
            ])
    }

    private func complaint(
        aboutReference field: ArchivedField, _ variable: VariableDeclSyntax,
        _ attributes: FieldAttributes
    ) -> Diagnostic? {
        let remove = FixIt.remove("ArchivedReference", from: variable)
        if attributes.reference == nil {
            return Diagnostic(
                "weak", at: field.node,
                "`\(field.name)` does not retain its object: choose whether it is archived as a "
                    + "reference",
                fixIts: [
                    .add("@ArchivedReference", to: variable), .add("@NotArchived", to: variable),
                ])
        }
        if !isClass {
            return Diagnostic(
                "referenceOfValue", at: field.node,
                "`\(field.name)` cannot be a reference: a structure is copied before decoding "
                    + "is complete", fixIts: [remove])
        }
        if field.type.wrapped == nil || variable.isConstant {
            return Diagnostic(
                "referenceNotOptional", at: field.node,
                "`\(field.name)` is nil until decoding is complete: make it an optional `var`",
                fixIts: [remove])
        }
        guard let fallback = attributes.fallback else { return nil }
        return Diagnostic(
            "referenceDefault", at: fallback, "a reference cannot have a default other than nil")
    }

    private static func fixIts(forValueOf binding: PatternBindingSyntax) -> [FixIt] {
        var valued = binding
        valued.initializer = InitializerClauseSyntax(
            equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
            value: ExprSyntax(EditorPlaceholderExprSyntax(placeholder: .identifier("<#value#>"))))
        let value = FixIt.replace(binding, with: valued, "add an initial value")
        guard var annotation = binding.typeAnnotation else { return [value] }
        annotation.type = TypeSyntax(
            OptionalTypeSyntax(wrappedType: annotation.type.optionalOperand))
        var optional = binding
        optional.typeAnnotation = annotation
        return [value, .replace(binding, with: optional, "make it optional")]
    }

    /// Reports stored properties in `#if`, whose condition a macro cannot evaluate.
    private mutating func refuseProperties(in condition: IfConfigDeclSyntax) {
        for declaration in condition.declarations {
            guard let variable = declaration.as(VariableDeclSyntax.self),
                variable.kindIfNotStored == nil,
                FieldAttributes(variable.attributes).notArchived == nil
            else { continue }
            complain(
                "condition", at: variable,
                "a macro cannot evaluate the `#if` around a stored property",
                fixIts: [.add("@NotArchived", to: variable)])
        }
    }

    private mutating func refuseEqualKeys() {
        var names: [String: String] = [:]
        for field in fields {
            if case .absent = field.role { continue }
            if let other = names.updateValue(field.name, forKey: field.keyText) {
                complain(
                    "equalKeys", at: field.node,
                    "`\(other)` and `\(field.name)` have the same key, \(field.key)")
            }
        }
    }
}

// MARK: - Declarations

extension VariableDeclSyntax {
    /// The description of a property that initializers do not set: static, lazy or computed. Nil
    /// for other properties.
    fileprivate var kindIfNotStored: String? {
        for modifier in modifiers {
            switch modifier.name.tokenKind {
            case .keyword(.static), .keyword(.class): return "a static property"
            case .keyword(.lazy): return "a lazy property"
            default: break
            }
        }
        return bindings.allSatisfy(\.isComputed) ? "a computed property" : nil
    }

    fileprivate var isConstant: Bool { bindingSpecifier.tokenKind == .keyword(.let) }

    fileprivate var isNonOwning: Bool {
        modifiers.contains { modifier in
            modifier.name.tokenKind == .keyword(.weak)
                || modifier.name.tokenKind == .keyword(.unowned)
        }
    }
}

extension IfConfigDeclSyntax {
    /// The declarations in all branches of the condition, including those of nested conditions.
    var declarations: [DeclSyntax] {
        clauses.flatMap { clause in
            guard case .decls(let members) = clause.elements else { return [DeclSyntax]() }
            return members.flatMap { member in
                member.decl.as(IfConfigDeclSyntax.self)?.declarations ?? [member.decl]
            }
        }
    }
}

extension PatternBindingSyntax {
    /// A Boolean value indicating whether the property has a getter. A property with only observers
    /// is stored.
    fileprivate var isComputed: Bool {
        guard let accessors = accessorBlock?.accessors else { return false }
        guard case .accessors(let list) = accessors else { return true }
        let observers: Set<TokenKind> = [.keyword(.willSet), .keyword(.didSet)]
        return !list.allSatisfy { observers.contains($0.accessorSpecifier.tokenKind) }
    }
}

extension TypeSyntax {
    /// The type, in parentheses if a question mark cannot directly follow it.
    fileprivate var optionalOperand: TypeSyntax {
        switch self.as(TypeSyntaxEnum.self) {
        case .functionType, .someOrAnyType, .compositionType, .attributedType:
            TypeSyntax(
                TupleTypeSyntax(elements: [TupleTypeElementSyntax(type: trimmed)]))
        default: trimmed
        }
    }
}
#endif
