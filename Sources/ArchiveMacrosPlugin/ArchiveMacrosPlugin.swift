// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftCompilerPlugin
internal import SwiftSyntaxMacros

/// The program that the compiler runs to expand the macros of `ArchiveMacros`.
@main
struct ArchiveMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ArchivedMacro.self, ArchivedKeyMacro.self, NotArchivedMacro.self,
        ArchivedReferenceMacro.self,
    ]
}
#else
/// An empty program: without the trait `Macros` there are no macros.
@main
enum ArchiveMacrosPlugin {
    static func main() {}
}
#endif
