// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// The type of a field as spelled in the source. A macro knows only the spelling of a type.
struct FieldType {
    let syntax: TypeSyntax

    init(_ syntax: TypeSyntax) { self.syntax = syntax.trimmed }

    init(name: String) { self.init(TypeSyntax(stringLiteral: name)) }

    /// The type as text.
    var text: String { syntax.description }

    /// The wrapped type of an optional; nil for other types.
    var wrapped: FieldType? {
        if let optional = syntax.as(OptionalTypeSyntax.self) {
            return FieldType(optional.wrappedType)
        }
        if let optional = syntax.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return FieldType(optional.wrappedType)
        }
        if let (name, arguments) = generic, name == "Optional", arguments.count == 1 {
            return arguments[0]
        }
        return nil
    }

    /// A Boolean value that is true if a variable of this type is nil by default. The compiler
    /// initializes `T?` and `T!` with nil, but not `Optional<T>`.
    var isImplicitlyNil: Bool {
        syntax.is(OptionalTypeSyntax.self) || syntax.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
    }

    /// Returns whether the named type can be the raw type of an archived enumeration.
    static func isRawValue(_ name: String) -> Bool { name == "String" || numbers.contains(name) }

    /// The number types of the standard library, and `Bool`.
    private static let numbers: Set = [
        "Bool", "Double", "Float", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8",
        "UInt16", "UInt32", "UInt64",
    ]

    /// The description of a type that no archive can hold; nil for other types.
    var obstacle: String? {
        if let wrapped { return wrapped.obstacle }
        switch syntax.as(TypeSyntaxEnum.self) {
        case .functionType: return "a function"
        case .tupleType(let tuple):
            guard tuple.elements.count == 1, let element = tuple.elements.first else {
                return "a tuple"
            }
            return FieldType(element.type).obstacle
        case .attributedType(let attributed): return FieldType(attributed.baseType).obstacle
        case .someOrAnyType, .compositionType:
            return "an opaque or existential type, which names no class"
        case .identifierType where ["Any", "AnyObject", "AnyClass"].contains(text):
            return "`\(text)`, which names no class"
        default: return nil
        }
    }

    /// The types to register for a field of this type, as expressions. A number is stored in the
    /// object itself, without a class. A number type behind a type alias is registered too, which
    /// does no harm.
    var classes: [String] { Self.numbers.contains(text) ? [] : registered }

    /// The types to register for an object of this type, such as an element of a collection, as
    /// expressions.
    private var registered: [String] {
        if let wrapped { return wrapped.registered }
        if let array = syntax.as(ArrayTypeSyntax.self) {
            return FieldType(array.element).registered + [Self.anyArray]
        }
        if let dictionary = syntax.as(DictionaryTypeSyntax.self) {
            return FieldType(dictionary.key).registered + FieldType(dictionary.value).registered
                + [Self.anyDictionary]
        }
        switch generic {
        case ("Array", let arguments)?: return arguments.flatMap(\.registered) + [Self.anyArray]
        case ("Dictionary", let arguments)?:
            return arguments.flatMap(\.registered) + [Self.anyDictionary]
        case ("Set", let arguments)?: return arguments.flatMap(\.registered) + [Self.anySet]
        default: return text == "AnyArchived" ? [] : ["\(text).self"]
        }
    }

    // A registry has one type for each class, so a collection class is registered with elements of
    // any type.
    private static let anyArray = "[AnyArchived].self"
    private static let anyDictionary = "ArchivedPairs<AnyArchived, AnyArchived>.self"
    private static let anySet = "ArchivedSet<AnyArchived>.self"

    /// The name and the arguments of a generic type; nil for other types.
    private var generic: (name: String, arguments: [FieldType])? {
        guard let identifier = syntax.as(IdentifierTypeSyntax.self),
            let clause = identifier.genericArgumentClause
        else { return nil }
        let arguments = clause.arguments.compactMap { argument in
            if case .type(let type) = argument.argument { FieldType(type) } else { nil }
        }
        return (identifier.name.text, arguments)
    }
}

extension FieldType {
    /// Returns the type of an initial value that is a literal, or nil for other values.
    static func ofLiteral(_ value: ExprSyntax) -> FieldType? {
        switch value.as(ExprSyntaxEnum.self) {
        case .stringLiteralExpr: FieldType(name: "String")
        case .integerLiteralExpr: FieldType(name: "Int")
        case .floatLiteralExpr: FieldType(name: "Double")
        case .booleanLiteralExpr: FieldType(name: "Bool")
        case .prefixOperatorExpr(let negative): ofLiteral(negative.expression)
        default: nil
        }
    }

    /// Returns the apparent type of an initial value: `Date` for `Date()`, `[Node]` for `[Node]()`.
    static func guess(_ value: ExprSyntax) -> String? {
        guard let call = value.as(FunctionCallExprSyntax.self) else { return nil }
        let callee = call.calledExpression.trimmedDescription
        let name = callee.split { $0 == "." }.last ?? ""
        return name.first.map { $0.isUppercase || $0 == "[" } == true ? callee : nil
    }
}
#endif
