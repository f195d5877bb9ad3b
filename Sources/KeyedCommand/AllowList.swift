// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
internal import ArchiveVocabulary
import ArgumentParser
import KeyedArchive
import PropertyList

/// The argument of `--allow`: names of presets and of classes, separated by commas.
struct AllowList: ExpressibleByArgument {
    let registry: ClassRegistry

    private static let presets: [(name: String, registry: ClassRegistry)] = [
        ("propertyList", .propertyList), ("commonClasses", .commonClasses),
        ("identifierClasses", .identifierClasses), ("foundation", .foundation), ("appKit", .appKit),
        ("uiKit", .uiKit),
    ]

    static let help: ArgumentHelp = ArgumentHelp(
        "The allowed classes: class names, and the presets propertyList, commonClasses, "
            + "identifierClasses, foundation, appKit and uiKit.",
        valueName: "preset|name,…")

    init?(argument: String) {
        var registry = ClassRegistry()
        var names: [String] = []
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            if name.isEmpty { return nil }
            if let preset = Self.presets.first(where: { $0.name == name }) {
                registry = registry.merging(preset.registry)
            } else {
                names.append(String(name))
            }
        }
        registry.allow(names)
        self.registry = registry
    }
}

extension PropertyListNode {
    /// The Foundation class of a plain value in the object table, such as `NSString` for a string;
    /// nil for other values.
    var plainClassName: String? {
        switch kind {
        case .string: FoundationClass.string
        case .integer, .real, .boolean: FoundationClass.number
        case .data: FoundationClass.data
        case .date: FoundationClass.date
        default: nil
        }
    }
}
