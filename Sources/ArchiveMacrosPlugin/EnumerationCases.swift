// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftDiagnostics
internal import SwiftParser
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// The cases of an enumeration.
struct EnumerationCases {
    /// A case of the enumeration.
    struct Case {
        /// The name in code.
        let name: String
        /// The name in archives, as a literal.
        let archivedName: String
        /// The text of the name in archives.
        let archivedText: String
        let values: [Value]
    }

    /// An associated value.
    struct Value {
        /// The label in code; nil for a value without one.
        let label: String?
        /// The variable to which the value is bound in a `switch`.
        let binding: String
        /// The key, as plain text.
        let key: String
        let type: FieldType
    }

    /// The key under which the name of the case is archived.
    static let caseKey = "case"

    private(set) var all: [Case] = []
    private(set) var diagnostics: [Diagnostic] = []

    init(of declaration: some DeclGroupSyntax) {
        for member in declaration.memberBlock.members {
            if let cases = member.decl.as(EnumCaseDeclSyntax.self) {
                add(cases)
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                refuseCases(in: condition)
            }
        }
        if all.isEmpty, diagnostics.isEmpty {
            diagnostics.append(
                Diagnostic(
                    "noCases", at: declaration, "expected at least one case, found none",
                    fixIts: FixIt.removal(of: "Archived", from: declaration)))
        }
        if diagnostics.isEmpty { refuseEqualNames(declaration) }
    }

    /// Reports cases in `#if`, whose condition a macro cannot evaluate.
    private mutating func refuseCases(in condition: IfConfigDeclSyntax) {
        for declaration in condition.declarations where declaration.is(EnumCaseDeclSyntax.self) {
            diagnostics.append(
                Diagnostic(
                    "condition", at: declaration,
                    "a macro cannot evaluate the `#if` around a case"))
        }
    }

    private mutating func add(_ cases: EnumCaseDeclSyntax) {
        let attributes = FieldAttributes(cases.attributes)
        for attribute in [attributes.notArchived, attributes.reference].compactMap({ $0 }) {
            diagnostics.append(
                Diagnostic(
                    "caseAttribute", at: attribute,
                    "expected a stored property for `@\(attribute.plainName)`, found a case",
                    fixIts: [.remove(attribute.plainName, from: cases)]))
        }
        if let key = attributes.key, cases.elements.count > 1 {
            diagnostics.append(
                Diagnostic(
                    "severalCases", at: key,
                    "expected one case after `@ArchivedKey`, found \(cases.elements.count)"))
        }
        if let key = attributes.key, attributes.keyLiteral?.literalText == nil {
            diagnostics.append(
                Diagnostic(
                    "caseKey", at: key,
                    "expected the name of the case in archives as a string literal"))
        } else if let fallback = attributes.fallback {
            diagnostics.append(
                Diagnostic(
                    "caseDefault", at: fallback,
                    "expected a stored property for `default:`, found a case"))
        }
        for element in cases.elements { add(element, attributes) }
    }

    private mutating func add(_ element: EnumCaseElementSyntax, _ attributes: FieldAttributes) {
        var values: [Value] = []
        let parameters = element.parameterClause.map { Array($0.parameters) } ?? []
        let labels = parameters.map { $0.firstName?.text }
        for (index, parameter) in parameters.enumerated() {
            let value = Value(parameter, index, among: labels)
            if let obstacle = value.type.obstacle {
                diagnostics.append(
                    Diagnostic(
                        "obstacle", at: parameter.type,
                        "the case cannot be archived: the type of a value is \(obstacle)"))
            }
            if value.key == Self.caseKey {
                diagnostics.append(
                    Diagnostic(
                        "equalKeys", at: parameter,
                        "the key \(value.key.literal) is reserved for the name of the case"))
            } else if values.contains(where: { $0.key == value.key }) {
                diagnostics.append(
                    Diagnostic(
                        "equalKeys", at: parameter,
                        "two fields have the same key, \(value.key.literal)"))
            }
            values.append(value)
        }
        let plain = element.name.text.filter { $0 != "`" }
        all.append(
            Case(
                name: element.name.text,
                archivedName: attributes.keyLiteral?.trimmedDescription ?? plain.literal,
                archivedText: attributes.keyLiteral?.literalText ?? plain, values: values))
    }

    private mutating func refuseEqualNames(_ declaration: some DeclGroupSyntax) {
        var names: Set<String> = []
        for element in all where !names.insert(element.archivedText).inserted {
            diagnostics.append(
                Diagnostic(
                    "equalCases", at: declaration.introducer,
                    "two cases have the same name in archives, \(element.archivedName)"))
        }
    }
}

extension EnumerationCases.Value {
    /// Describes an associated value of a case. `labels` are the labels of all values of the case.
    fileprivate init(_ parameter: EnumCaseParameterSyntax, _ index: Int, among labels: [String?]) {
        let first = parameter.firstName?.text
        label = first == "_" ? nil : first
        let plain = label?.filter { $0 != "`" }
        var substitute = labels.count == 1 ? "value" : "value\(index)"
        while labels.contains(substitute) { substitute += "_" }
        binding =
            plain.flatMap { name in
                name != "coder" && name.isValidSwiftIdentifier(for: .variableName) ? name : nil
            } ?? substitute
        key = plain ?? "_\(index)"
        type = FieldType(parameter.type)
    }
}
#endif
