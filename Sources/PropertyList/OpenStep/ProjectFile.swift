// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The text that Xcode adds to the values of a project file (`project.pbxproj`):
///
///     // !$*UTF8*$!
///     {
///     	archiveVersion = 1;
///     	objects = {
///
///     /* Begin PBXBuildFile section */
///     		0A /* main.m in Sources */ = {isa = PBXBuildFile; fileRef = 0B /* main.m */; };
///     /* End PBXBuildFile section */
///     	};
///     	rootObject = 0C /* Project object */;
///     }
///
/// Objects are grouped into sections by class, the value of `isa`. Objects of the classes in
/// ``classesOnOneLine`` take one line each. The identifier of an object is followed by a comment
/// with the object's name; see ``ProjectNames``.
///
/// Files older than Xcode 2 (object version 42) have neither sections nor names. Instead, Xcode 1
/// writes ten comments wherever the first two digits of the identifiers change: five with the
/// previous digits (`//010` … `//014`) and five with the next (`//020` … `//024`). Project Builder
/// (object versions below 38) omits even the first line. Strings keep the line ends of the source,
/// either raw or as `\n`.
///
/// Source: files written by Xcode, which are reproduced byte for byte.
package struct ProjectFile {
    private let names: ProjectNames
    // The text of a document that was parsed from OpenStep; otherwise empty.
    private let source: [UInt8]
    private let hasSections: Bool
    private let hasHeader: Bool
    private let objects: PropertyListNode?
    // The class of the last section, or the last two-digit prefix.
    private var group: String?

    private static let firstLine = "// !$*UTF8*$!\n"
    private static let firstVersionWithSections = 42
    private static let firstVersionWithHeader = 38
    /// The classes whose objects take one line each.
    package static let classesOnOneLine = ["PBXBuildFile", "PBXFileReference"]

    /// Creates the additions for `document`. They depend on its object version. If its source is a
    /// project file, the additions keep the first line and, unless `projectName` is given, the
    /// project name of the source.
    package init(_ document: PropertyListDocument, projectName: String?) {
        source = document.format == .openStep ? document.source : []
        let version =
            document.root["objectVersion"]?.string.flatMap { Int($0) }
            ?? Self.firstVersionWithSections
        objects = document.root["objects"]
        hasSections = version >= Self.firstVersionWithSections
        hasHeader =
            version >= Self.firstVersionWithHeader
            || source.starts(with: Self.firstLine.utf8)
        names = ProjectNames(
            document.root,
            projectName: projectName ?? ProjectNames.projectName(in: source))
    }

    /// The text before the root.
    var header: String { hasHeader ? Self.firstLine : "" }

    /// Returns whether the object is written on one line.
    func isOneLine(_ object: PropertyListNode) -> Bool {
        hasSections && Self.classesOnOneLine.contains { object["isa"]?.isString($0) == true }
    }

    /// Returns the order of the entries of the file's dictionaries.
    func order(sortsKeys: Bool) -> ProjectOrder {
        ProjectOrder(objects: objects, hasSections: hasSections, sortsKeys: sortsKeys)
    }

    // MARK: Names

    /// Returns the name of the object that `value` refers to, or nil if no comment follows `value`.
    /// `key` is the key of the value, or nil for an array element.
    package func comment(forValue value: PropertyListNode, of key: PropertyListNode?) -> String? {
        guard hasSections, let text = value.string else { return nil }
        if let key, Self.keysWithoutNames.contains(where: key.isString) { return nil }
        return names.name(of: text)
    }

    /// Returns the name of the object with this identifier, or nil if no comment follows the
    /// identifier.
    package func comment(forObject number: PropertyListNode) -> String? {
        hasSections ? number.string.flatMap { names.name(of: $0) } : nil
    }

    /// The keys whose values are object identifiers that may belong to another project.
    package static let keysWithoutNames = ["remoteGlobalIDString", "TestTargetID"]

    // MARK: Strings

    /// Returns whether the source has raw line ends in this string. Xcode writes `\n`, but older
    /// versions wrote raw line ends in a few values.
    func keepsLines(of string: PropertyListNode) -> Bool {
        guard let offset = string.sourceOffset, offset < source.count else { return false }
        var scanner = OpenStepScanner(source.span, options: .strict)
        scanner.position = offset
        guard let content = try? scanner.skipString(source.span).content else { return false }
        return source.span.firstIndex(of: 0x0A, in: content) != nil
    }

    // MARK: Sections

    /// Returns the text between the previous object and this one.
    package mutating func separator(before object: PropertyListNode, _ number: PropertyListNode)
        -> String
    {
        hasSections ? beginOfSection(section(of: object)) : divider(before: number)
    }

    /// Returns the class of an object, or an empty string if it has none or its name is not safe in
    /// a comment.
    private func section(of object: PropertyListNode) -> String {
        let name = names.className(of: object) ?? ""
        return Self.isSafeInComment(name) ? name : ""
    }

    /// Returns whether a name has only letters and digits, like the names of Xcode's classes.
    package static func isSafeInComment(_ name: String) -> Bool {
        name.utf8.allSatisfy(OpenStepCharacter.isAlphanumeric)
    }

    private mutating func beginOfSection(_ name: String) -> String {
        if name == group { return "" }
        let end = endOfSections()
        group = name
        return end + (name.isEmpty ? "" : "\n/* Begin \(name) section */\n")
    }

    /// Returns the text after the last object.
    func endOfSections() -> String {
        guard hasSections, let group, !group.isEmpty else { return "" }
        return "/* End \(group) section */\n"
    }

    private mutating func divider(before number: PropertyListNode) -> String {
        guard hasHeader else { return "" }
        let digits = String((number.string ?? "").unicodeScalars.prefix(2))
        guard Self.isSafeInComment(digits) else { return "" }
        defer { group = digits }
        guard let group, group != digits else { return "" }
        return [group, digits].flatMap { digits in (0..<5).map { "//\(digits)\($0)\n" } }.joined()
    }
}
