// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// Generates the members of an archived type as source text, in the form of handwritten code.
struct MemberWriter {
    /// The parts of the type that are archived.
    enum Content {
        case fields([ArchivedField])
        case cases([EnumerationCases.Case])
    }

    private let typeName: String
    private let name: String
    private let access: String
    private let initializerAccess: String
    private let classForm: ArchivedType.ClassForm?
    private let content: Content
    private let present: PresentMembers

    init(
        _ declaration: some DeclGroupSyntax, _ name: String, _ kind: ArchivedType.Kind,
        _ content: Content
    ) {
        typeName = declaration.typeName
        self.name = name
        self.content = content
        present = PresentMembers(declaration)
        let access = declaration.modifiers.lazy.map(\.name.text)
            .first { ["open", "public", "package"].contains($0) }
        self.access = access.map { "\($0) " } ?? ""
        initializerAccess = access == "open" ? "public " : self.access
        if case .classType(let form) = kind { classForm = form } else { classForm = nil }
    }

    /// The members that the type lacks.
    var members: [String] {
        [
            present.hasClass ? nil : archivedClass,
            present.hasRegistration ? nil : registration,
            present.hasEncoding ? nil : encoding,
            present.hasInitializer ? nil : initializer,
        ].compactMap { $0 }
    }

    private var isSubclass: Bool { classForm?.isSubclass == true }

    /// The access level and the modifiers of a type member, which subclasses may override.
    private var typeMemberModifiers: String {
        guard let classForm else { return "\(access)static" }
        if classForm.isSubclass { return "\(access)override class" }
        return classForm.isFinal ? "\(access)static" : "\(access)class"
    }

    // MARK: - The class

    private var archivedClass: String {
        if isSubclass {
            return """
                \(typeMemberModifiers) var archivedClass: ArchivedClass {
                    super.archivedClass.subclass(\(name))
                }
                """
        }
        if classForm?.isFinal == false {
            return "\(typeMemberModifiers) var archivedClass: ArchivedClass { \(name) }"
        }
        return "\(typeMemberModifiers) let archivedClass: ArchivedClass = \(name)"
    }

    /// The method that registers the classes of the fields; nil if the default implementation
    /// suffices. A class that is neither final nor a subclass always has this method, because its
    /// subclasses override it.
    private var registration: String? {
        let types = registeredTypes
        if types.isEmpty, classForm?.isFinal != false || isSubclass { return nil }
        let fields = types.isEmpty ? "" : ", fields: \(types.joined(separator: ", "))"
        let superCall = isSubclass ? ["super.register(in: &registry)"] : []
        return function(
            "\(typeMemberModifiers) func register(in registry: inout ClassRegistry)",
            superCall + ["registry.add(Self.self\(fields))"])
    }

    /// The types of objects in the fields, without duplicates, in order.
    private var registeredTypes: [String] {
        var known: Set = ["\(typeName).self", "Self.self"]
        let types: [String]
        switch content {
        case .fields(let fields):
            types = fields.flatMap { field in
                if case .absent = field.role { return [String]() }
                return field.type.classes
            }
        case .cases(let cases):
            types =
                ["String.self"]
                + cases.flatMap(\.values).flatMap(\.type.classes)
        }
        return types.filter { known.insert($0).inserted }
    }

    // MARK: - Writing

    private var encoding: String {
        let modifiers = isSubclass ? "\(access)override " : access
        let statements: [String]
        switch content {
        case .fields(let fields):
            statements =
                (isSubclass ? ["super.encode(with: coder)"] : [])
                + fields.compactMap(\.encoding)
        case .cases(let cases):
            statements = ["switch self {"] + cases.flatMap(encodingStatements) + ["}"]
        }
        return function("\(modifiers)func encode(with coder: KeyedEncoder)", statements)
    }

    private func encodingStatements(_ element: EnumerationCases.Case) -> [String] {
        let bindings = element.values.map { "let \($0.binding)" }.joined(separator: ", ")
        let key = EnumerationCases.caseKey.literal
        return [
            "case .\(element.name)\(bindings.isEmpty ? "" : "(\(bindings))"):",
            "    " + encodingStatement(element.archivedName, key),
        ]
            + element.values.map { value in
                "    " + encodingStatement(value.binding, value.key.literal)
            }
    }

    // MARK: - Reading

    private var initializer: String {
        let isRequired = classForm.map { !$0.isFinal || $0.isSubclass } ?? false
        let modifiers = initializerAccess + (isRequired ? "required " : "")
        let statements: [String]
        switch content {
        case .fields(let fields):
            statements =
                fields.compactMap(\.decoding)
                + (isSubclass ? ["try super.init(coder: coder)"] : [])
                + fields.compactMap(\.lateDecoding)
        case .cases(let cases): statements = decodingStatements(cases)
        }
        return function("\(modifiers)init(coder: KeyedDecoder) throws", statements)
    }

    private func decodingStatements(_ cases: [EnumerationCases.Case]) -> [String] {
        let key = EnumerationCases.caseKey.literal
        return ["switch try coder.decode(String.self, forKey: \(key)) {"]
            + cases.map { "case \($0.archivedName): self = \(decodingExpression($0))" }
            + [
                "default:",
                "    throw coder.error("
                    + "\("expected a case of \(typeName), found another name".literal), "
                    + "forKey: \(key))",
                "}",
            ]
    }

    private func decodingExpression(_ element: EnumerationCases.Case) -> String {
        if element.values.isEmpty { return ".\(element.name)" }
        let arguments = element.values.map { value in
            (value.label.map { "\($0): " } ?? "") + "coder.\(decodingCall(value.key.literal))"
        }
        return "try .\(element.name)(\(arguments.joined(separator: ", ")))"
    }

    /// Returns a function whose body is indented by four spaces. Empty lines stay empty, because a
    /// line of a multi-line literal must be empty or have the whole indentation.
    private func function(_ head: String, _ statements: [String]) -> String {
        if statements.isEmpty { return "\(head) {}" }
        let lines = statements.flatMap { $0.split(omittingEmptySubsequences: false) { $0 == "\n" } }
            .map { $0.isEmpty ? "" : "    \($0)" }
        return "\(head) {\n\(lines.joined(separator: "\n"))\n}"
    }
}

/// The members that a type declares itself. The macro does not replace them.
struct PresentMembers {
    private(set) var hasClass = false
    private(set) var hasRegistration = false
    private(set) var hasEncoding = false
    private(set) var hasInitializer = false

    init(_ declaration: some DeclGroupSyntax) {
        for member in declaration.memberBlock.members {
            switch member.decl.as(DeclSyntaxEnum.self) {
            case .variableDecl(let variable):
                hasClass =
                    hasClass
                    || variable.bindings.contains {
                        $0.pattern.trimmedDescription == "archivedClass"
                    }
            case .functionDecl(let function):
                let label = function.signature.parameterClause.onlyLabel
                hasRegistration =
                    hasRegistration || (function.name.text == "register" && label == "in")
                hasEncoding = hasEncoding || (function.name.text == "encode" && label == "with")
            case .initializerDecl(let initializer):
                hasInitializer =
                    hasInitializer || initializer.signature.parameterClause.onlyLabel == "coder"
            default: break
            }
        }
    }
}

extension FunctionParameterClauseSyntax {
    /// The label of the only parameter; nil unless there is exactly one parameter.
    fileprivate var onlyLabel: String? {
        parameters.count == 1 ? parameters.first?.firstName.text : nil
    }
}
#endif
