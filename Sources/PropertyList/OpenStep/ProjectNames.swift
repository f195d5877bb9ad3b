// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The names of the objects of a project file. Xcode writes them as comments after the objects'
/// identifiers.
///
/// | class | name |
/// |---|---|
/// | `PBXProject` | `Project object` |
/// | `PBXBuildFile` | the name of its file, ` in `, the name of its build phase |
/// | a build phase | its `name`, or its class without `PBX` and `BuildPhase` |
/// | `XCConfigurationList` | `Build configuration list for`, the class and the name of its owner |
/// | `XCRemoteSwiftPackageReference` | its class, and the end of its URL in quotes |
/// | `XCLocalSwiftPackageReference` | its class, and its path in quotes |
/// | `XCSwiftPackageProductDependency` | its `productName` |
/// | `PBXContainerItemProxy`, `PBXTargetDependency`, `PBXBuildRule` | its class |
/// | any other | its `name`, else its `path`, else none |
///
/// The name of the project itself is the name of its folder, `Name.xcodeproj`, without the
/// extension.
///
/// This is a class because it caches the names. Thousands of objects in a small file can refer to
/// one object with a long name.
package final class ProjectNames {
    private let objects: PropertyListNode.DictionaryView?
    private let projectName: String?
    // By the identifier of a build file: the identifier of the build phase that lists it.
    private var phases: [ExactText: String] = [:]
    // By the identifier of a configuration list: its owner.
    private var owners: [ExactText: PropertyListNode] = [:]
    // By the position of an object: its name.
    private var names: [Int: String?] = [:]
    private var contents = LongContents()

    private static let unknown = "(null)"
    // The maximum length in bytes. Longer strings are not used as names, because each comment would
    // repeat them.
    private static let longestName = 4096

    package init(_ root: PropertyListNode, projectName: String?) {
        objects = root["objects"]?.dictionary
        self.projectName = projectName
        guard let objects else { return }
        // Several objects may share one list, which is read only once.
        var seen: Set<UInt32> = []
        for entry in objects {
            if let list = text(entry.value["buildConfigurationList"]) {
                owners[ExactText(list)] = entry.value
            }
            guard let files = entry.value["files"], isBuildPhase(entry.value),
                seen.insert(files.index).inserted
            else { continue }
            for file in files.array?.compactMap({ text($0) }) ?? [] {
                let file = ExactText(file)
                if phases[file] == nil { phases[file] = entry.key }
            }
        }
    }

    /// Returns the text of a string, or nil if it is too long for a name. Returns nil for other
    /// values.
    private func text(_ node: PropertyListNode?) -> String? {
        guard let node, Self.isShort(node) else { return nil }
        return node.string(&contents)
    }

    private static func isShort(_ node: PropertyListNode) -> Bool {
        node.kind == .string && node.contentSize <= longestName
    }

    /// Returns the name of a class, or nil if the value is not a string or is too long.
    package static func className(_ isa: PropertyListNode) -> String? {
        isShort(isa) ? isa.string : nil
    }

    /// Returns the class of an object, or nil if it has none or the name is too long.
    package func className(of object: PropertyListNode) -> String? { text(object["isa"]) }

    /// Returns the name of the project from the comments of a project file, or nil.
    package static func projectName(in source: [UInt8]) -> String? {
        let mark: StaticString = "/* Build configuration list for PBXProject \""
        guard let start = source.span.firstIndex(of: mark, from: 0) else { return nil }
        let rest = source[(start + mark.utf8CodeUnitCount)...]
        guard let end = source.span.firstIndex(of: "\" */", from: rest.startIndex) else {
            return nil
        }
        return String(decoding: source[rest.startIndex..<end], as: UTF8.self)
    }

    /// Returns the name of the object with this identifier. Returns nil if there is no such object,
    /// if it has no name, or if its name contains `*/`.
    package func name(of number: String) -> String? {
        guard let objects, let position = objects.position(of: number) else { return nil }
        if let known = names[position] { return known }
        let name = commentName(objects[position].value, number)
        names[position] = .some(name)
        return name
    }

    private func commentName(_ object: PropertyListNode, _ number: String) -> String? {
        guard let isa = className(of: object) else { return nil }
        let isBuildFile = isa.isLiterally("PBXBuildFile")
        let name = isBuildFile ? buildFileName(object, number) : name(object, isa, number)
        guard let name, Array(name.utf8).span.firstIndex(of: "*/", from: 0) == nil else {
            return nil
        }
        return name
    }

    private func buildFileName(_ object: PropertyListNode, _ number: String) -> String {
        let file = text(object["fileRef"]) ?? text(object["productRef"])
        return "\(plainName(of: file)) in \(plainName(of: phases[ExactText(number)]))"
    }

    /// Returns the name of an object that is not a build file, or `(null)`. Excluding build files
    /// prevents recursion.
    private func plainName(of number: String?) -> String {
        guard let number, let object = objects?[number], let isa = className(of: object),
            !isa.isLiterally("PBXBuildFile")
        else { return Self.unknown }
        return name(object, isa, number) ?? Self.unknown
    }

    private func name(_ object: PropertyListNode, _ isa: String, _ number: String) -> String? {
        switch ExactText(isa) {
        case "PBXProject": "Project object"
        case "XCConfigurationList": configurationListName(number)
        case "XCRemoteSwiftPackageReference": "\(isa) \"\(packageName(object))\""
        case "XCLocalSwiftPackageReference":
            "\(isa) \"\(text(object["relativePath"]) ?? Self.unknown)\""
        case "XCSwiftPackageProductDependency": text(object["productName"])
        case "PBXContainerItemProxy", "PBXTargetDependency", "PBXBuildRule": isa
        case _ where isBuildPhase(object): text(object["name"]) ?? phaseName(isa)
        default: text(object["name"]) ?? text(object["path"])
        }
    }

    private func isBuildPhase(_ object: PropertyListNode) -> Bool {
        className(of: object)?.literallyEnds(with: "BuildPhase") == true
    }

    private func phaseName(_ isa: String) -> String {
        let start = isa.literallyBegins(with: "PBX") ? "PBX".utf8.count : 0
        return String(isa.unicodeScalars.dropLast("BuildPhase".utf8.count).dropFirst(start))
    }

    private func configurationListName(_ number: String) -> String {
        guard let owner = owners[ExactText(number)], let isa = text(owner["isa"]) else {
            return "Build configuration list for \(Self.unknown)"
        }
        let isProject = isa.isLiterally("PBXProject")
        let name = isProject ? projectName : text(owner["name"])
        return "Build configuration list for \(isa) \"\(name ?? Self.unknown)\""
    }

    /// Returns the last part of the URL, without `.git`.
    private func packageName(_ object: PropertyListNode) -> String {
        let url = (text(object["repositoryURL"]) ?? "").unicodeScalars
        let end = url.lastIndex { $0 != "/" }.map(url.index(after:)) ?? url.startIndex
        let part = url[..<end]
        let start = part.lastIndex(of: "/").map(part.index(after:)) ?? part.startIndex
        let name = String(part[start...])
        return name.literallyEnds(with: ".git") ? String(name.unicodeScalars.dropLast(4)) : name
    }
}
