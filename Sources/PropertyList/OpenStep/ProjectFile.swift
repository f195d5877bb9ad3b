// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The additions that Xcode makes to the values of a project file (`project.pbxproj`):
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
/// The objects are in sections by their class, `isa`; those of two classes stand on one line; after
/// the number of an object is its name, see ``ProjectNames``. Files of before Xcode 2 (object version
/// 42) have neither sections nor names. Those of Xcode 1 have instead, between objects whose
/// numbers begin with other two digits, five comments for each two digits (`//010` … `//014`);
/// those of Project Builder (versions below 38) not even the first line. Strings with line ends are
/// left as the source spells them, with `\n` or without.
///
/// Source: files that Xcode wrote, which come out byte for byte.
package struct ProjectFile {
    private let names: ProjectNames
    // The text of a document that was read from OpenStep; otherwise empty.
    private let source: [UInt8]
    private let hasSections: Bool
    private let hasHeader: Bool
    private let objects: PropertyListNode?
    // The class of the section, or the two digits, that was written last.
    private var group: String?

    private static let firstLine = "// !$*UTF8*$!\n"
    private static let firstVersionWithSections = 42
    private static let firstVersionWithHeader = 38
    /// The classes whose objects stand on one line.
    package static let classesOnOneLine = ["PBXBuildFile", "PBXFileReference"]

    /// Creates the additions for `document`: those of its own source, if that is a project file, or
    /// else those of its version.
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

    /// The order of the entries of its dictionaries.
    func order(sortsKeys: Bool) -> ProjectOrder {
        ProjectOrder(objects: objects, hasSections: hasSections, sortsKeys: sortsKeys)
    }

    // MARK: Names

    /// The name of the object that is the value of `key`, or an element if that is nil.
    package func comment(forValue value: PropertyListNode, of key: PropertyListNode?) -> String? {
        guard hasSections, let text = value.string else { return nil }
        if let key, Self.keysWithoutNames.contains(where: key.isString) { return nil }
        return names.name(of: text)
    }

    /// The name of the object with this number.
    package func comment(forObject number: PropertyListNode) -> String? {
        hasSections ? number.string.flatMap { names.name(of: $0) } : nil
    }

    /// Keys whose values are numbers of objects, but of another project perhaps.
    package static let keysWithoutNames = ["remoteGlobalIDString", "TestTargetID"]

    // MARK: Strings

    /// Returns whether the source has a string with its line ends as they are: Xcode writes `\n`,
    /// and used to leave them in a few values.
    func keepsLines(of string: PropertyListNode) -> Bool {
        guard let offset = string.sourceOffset, offset < source.count else { return false }
        var scanner = OpenStepScanner(source.span, options: .strict)
        scanner.position = offset
        guard let content = try? scanner.skipString(source.span).content else { return false }
        return source.span.firstIndex(of: 0x0A, or: 0x0A, in: content) != nil
    }

    // MARK: Sections

    /// Returns the text between the object before and this one.
    package mutating func separator(before object: PropertyListNode, _ number: PropertyListNode)
        -> String
    {
        hasSections ? beginOfSection(section(of: object)) : divider(before: number)
    }

    /// The class of an object; empty where it has none, or one whose name could end a comment.
    private func section(of object: PropertyListNode) -> String {
        let name = names.className(of: object) ?? ""
        return Self.canStandInComment(name) ? name : ""
    }

    /// Returns whether a name has letters and digits only, as the names of Xcode's classes.
    package static func canStandInComment(_ name: String) -> Bool {
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
        guard Self.canStandInComment(digits) else { return "" }
        defer { group = digits }
        guard let group, group != digits else { return "" }
        return [group, digits].flatMap { digits in (0..<5).map { "//\(digits)\($0)\n" } }.joined()
    }
}
