// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import KeyedArchive
import PropertyList

/// Reads the input as a keyed archive, untyped, and writes it back.
public func fuzzArchiveGraph(_ bytes: [UInt8]) throws {
    let setup = FuzzSetup(bytes)
    guard let contents = contents(of: setup) else { return }
    _ = try? contents.objects(notAllowedBy: .foundation)
    let keeping = try? ArchiveGraph(contents, keepingMalformed: true, limits: setup.limits)
    guard let graph = try? ArchiveGraph(contents, limits: setup.limits) else { return }
    try BrokenProperty.check(
        keeping?.problems.isEmpty == true, "a well-formed archive has problems")
    guard let written = try? graph.serialized(limits: setup.limits) else { return }
    let again = try BrokenProperty.require("a graph that was written does not parse") {
        try ArchiveGraph(parsing: written, options: .nonStringKeys)
    }
    try BrokenProperty.check(graph.roots == again.roots, "the roots of a graph have changed")
    try BrokenProperty.check(graph.objects == again.objects, "the objects have changed")
}

/// Decodes the input as typed values of the Foundation, AppKit and UIKit classes.
public func fuzzUnarchive(_ bytes: [UInt8]) throws {
    try checkTyped(
        FuzzSetup(bytes), allowing: ClassRegistry.foundation.merging(.appKit).merging(.uiKit))
}

/// Decodes the input as typed values of the common classes. Objects of other classes are first
/// refused, then kept.
public func fuzzUnarchiveFew(_ bytes: [UInt8]) throws {
    let setup = FuzzSetup(bytes)
    try checkTyped(setup, allowing: .commonClasses)
    try checkTyped(setup, allowing: ClassRegistry.commonClasses.keepingUnknownClasses())
}

private let unwritable: ParsingOptions = [
    .nonStringKeys, .allDuplicateKeys, .salvage,
]

private func contents(of setup: FuzzSetup) -> ArchiveContents? {
    try? ArchiveContents(parsing: setup.input, options: setup.options, limits: setup.limits)
}

/// Checks that the input is decoded or refused, and that decoded values round-trip and contain no
/// object of a class that is not allowed.
private func checkTyped(_ setup: FuzzSetup, allowing registry: ClassRegistry) throws {
    guard let contents = contents(of: setup),
        let archive = try? KeyedUnarchiver(contents, allowing: registry, limits: setup.limits)
    else { return }
    for key in archive.roots.keys.prefix(16) {
        guard let value = try? archive.unarchive(AnyArchived.self, forKey: key) else { continue }
        try checkAllowed(value, registry)
        // Values of malformed files may be decoded, but their encoding may be refused.
        if !contents.document.leniencies.isDisjoint(with: unwritable) { continue }
        let limits = ParsingLimits.default
        let first = try BrokenProperty.require("what was read cannot be written") {
            try KeyedArchiver.archive(value, allowing: registry, limits: limits)
        }
        let back = try BrokenProperty.require("what was written cannot be read") {
            try KeyedUnarchiver.unarchive(
                AnyArchived.self, from: first, allowing: registry,
                limits: limits)
        }
        let second = try BrokenProperty.require("what was read again cannot be written") {
            try KeyedArchiver.archive(back, allowing: registry, limits: limits)
        }
        try BrokenProperty.check(first == second, "what was written decodes as a different value")
    }
}

/// Checks that an archive of the value contains only allowed classes.
private func checkAllowed(_ value: AnyArchived, _ registry: ClassRegistry) throws {
    if registry.keepsUnknownClasses { return }
    guard
        let bytes = try? KeyedArchiver.archive(
            value, allowing: registry.keepingUnknownClasses()),
        let contents = try? ArchiveContents(parsing: bytes)
    else { return }
    let disallowed = try BrokenProperty.require("what was written is not an archive") {
        try contents.objects(notAllowedBy: registry)
    }
    try BrokenProperty.check(disallowed.isEmpty, "an object of a class that is not allowed")
}

/// Builds values from the input, archives them and reads them back.
public func fuzzArchive(_ bytes: [UInt8]) throws {
    var script = ArchiveScript(bytes)
    let value = script.value(depth: 0)
    guard let first = try? KeyedArchiver.archive(value) else { return }
    let back = try BrokenProperty.require("what was written cannot be read") {
        try KeyedUnarchiver.unarchive(AnyArchived.self, from: first)
    }
    let second = try BrokenProperty.require("what was read cannot be written") {
        try KeyedArchiver.archive(back)
    }
    try BrokenProperty.check(first == second, "what was written decodes as a different value")
}
