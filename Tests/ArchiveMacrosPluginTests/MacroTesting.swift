// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import ArchiveMacrosPlugin

/// Returns the macros with the conformances that the compiler requests: none if the type already
/// conforms, otherwise both.
private func macros(conforming: Bool) -> [String: MacroSpec] {
    let missing: [TypeSyntax] = conforming ? [] : ["KeyedEncodable", "KeyedDecodable"]
    return [
        "Archived": MacroSpec(type: ArchivedMacro.self, conformances: missing),
        "ArchivedKey": MacroSpec(type: ArchivedKeyMacro.self),
        "NotArchived": MacroSpec(type: NotArchivedMacro.self),
        "ArchivedReference": MacroSpec(type: ArchivedReferenceMacro.self),
    ]
}

/// Expects that `source` expands to `expansion`.
///
/// - Parameters:
///   - source: The declarations with their attributes.
///   - expansion: The source without the attributes, and with the generated code.
///   - conforming: Whether the type conforms to `KeyedCodable` without the macro.
///   - diagnostics: The expected errors.
///   - fixIts: The titles of the fix-its to apply.
///   - fixed: The source after the fix-its.
///   - location: The location of the call.
func expect(
    _ source: String, becomes expansion: String, conforming: Bool = false,
    diagnostics: [DiagnosticSpec] = [], applying fixIts: [String]? = nil,
    fixed: String? = nil, at location: Testing.SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source, expandedSource: expansion, diagnostics: diagnostics,
        macroSpecs: macros(conforming: conforming), applyFixIts: fixIts, fixedSource: fixed,
        failureHandler: { failure in
            Issue.record("\(failure.message)", sourceLocation: location)
        })
}

/// Expects one error, and an expansion that only removes the attributes.
func expectError(
    _ message: String, in source: String, line: Int = 1, column: Int, fixIts: [String] = [],
    applying fixIt: String? = nil, fixed: String? = nil, without attributes: String,
    at location: Testing.SourceLocation = #_sourceLocation
) {
    expect(
        source, becomes: attributes,
        diagnostics: [
            DiagnosticSpec(
                message: message, line: line, column: column,
                fixIts: fixIts.map { FixItSpec(message: $0) })
        ],
        applying: fixIt.map { [$0] }, fixed: fixed, at: location)
}
#endif
