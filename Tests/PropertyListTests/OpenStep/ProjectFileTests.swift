// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PropertyList

/// A project file in Xcode's layout, with every kind of name in its comments.
private let project = """
    // !$*UTF8*$!
    {
    \tarchiveVersion = 1;
    \tclasses = {
    \t};
    \tobjectVersion = 60;
    \tobjects = {

    /* Begin PBXBuildFile section */
    \t\tA1 /* main.m in Sources */ = {isa = PBXBuildFile; fileRef = B1 /* main.m */; };
    \t\tA2 /* Shared Code in Copy it */ = {isa = PBXBuildFile; productRef = L1 /* Shared Code */; \
    settings = {ATTRIBUTES = (Weak, "No-Copy", ); }; };
    \t\tA3 /* (null) in (null) */ = {isa = PBXBuildFile; };
    /* End PBXBuildFile section */

    /* Begin PBXContainerItemProxy section */
    \t\tC1 /* PBXContainerItemProxy */ = {
    \t\t\tisa = PBXContainerItemProxy;
    \t\t\tcontainerPortal = P1 /* Project object */;
    \t\t\tproxyType = 1;
    \t\t\tremoteGlobalIDString = T1;
    \t\t};
    /* End PBXContainerItemProxy section */

    /* Begin PBXCopyFilesBuildPhase section */
    \t\tD1 /* Copy it */ = {
    \t\t\tisa = PBXCopyFilesBuildPhase;
    \t\t\tfiles = (
    \t\t\t\tA2 /* Shared Code in Copy it */,
    \t\t\t);
    \t\t\tname = "Copy it";
    \t\t};
    /* End PBXCopyFilesBuildPhase section */

    /* Begin PBXFileReference section */
    \t\tB1 /* main.m */ = {isa = PBXFileReference; path = main.m; sourceTree = "<group>"; };
    /* End PBXFileReference section */

    /* Begin PBXGroup section */
    \t\tG1 = {
    \t\t\tisa = PBXGroup;
    \t\t\tchildren = (
    \t\t\t\tB1 /* main.m */,
    \t\t\t);
    \t\t};
    /* End PBXGroup section */

    /* Begin PBXNativeTarget section */
    \t\tT1 /* Tool */ = {
    \t\t\tisa = PBXNativeTarget;
    \t\t\tbuildConfigurationList = X2 /* Build configuration list for PBXNativeTarget "Tool" */;
    \t\t\tname = Tool;
    \t\t};
    /* End PBXNativeTarget section */

    /* Begin PBXProject section */
    \t\tP1 /* Project object */ = {
    \t\t\tisa = PBXProject;
    \t\t\tattributes = {
    \t\t\t\tTargetAttributes = {
    \t\t\t\t\tT1 = {
    \t\t\t\t\t\tTestTargetID = T1;
    \t\t\t\t\t};
    \t\t\t\t};
    \t\t\t};
    \t\t\tbuildConfigurationList = X1 /* Build configuration list for PBXProject "Some Name" */;
    \t\t\tmainGroup = G1;
    \t\t\tprojectDirPath = "";
    \t\t\ttargets = (
    \t\t\t\tT1 /* Tool */,
    \t\t\t);
    \t\t};
    /* End PBXProject section */

    /* Begin PBXShellScriptBuildPhase section */
    \t\tD2 /* ShellScript */ = {
    \t\t\tisa = PBXShellScriptBuildPhase;
    \t\t\tshellScript = "echo \\"a\\"\\n";
    \t\t};
    /* End PBXShellScriptBuildPhase section */

    /* Begin PBXSourcesBuildPhase section */
    \t\tD3 /* Sources */ = {
    \t\t\tisa = PBXSourcesBuildPhase;
    \t\t\tfiles = (
    \t\t\t\tA1 /* main.m in Sources */,
    \t\t\t);
    \t\t};
    /* End PBXSourcesBuildPhase section */

    /* Begin XCConfigurationList section */
    \t\tX1 /* Build configuration list for PBXProject "Some Name" */ = {
    \t\t\tisa = XCConfigurationList;
    \t\t};
    \t\tX2 /* Build configuration list for PBXNativeTarget "Tool" */ = {
    \t\t\tisa = XCConfigurationList;
    \t\t};
    /* End XCConfigurationList section */

    /* Begin XCLocalSwiftPackageReference section */
    \t\tS1 /* XCLocalSwiftPackageReference "../Kit" */ = {
    \t\t\tisa = XCLocalSwiftPackageReference;
    \t\t\trelativePath = ../Kit;
    \t\t};
    /* End XCLocalSwiftPackageReference section */

    /* Begin XCRemoteSwiftPackageReference section */
    \t\tS2 /* XCRemoteSwiftPackageReference "swift-kit" */ = {
    \t\t\tisa = XCRemoteSwiftPackageReference;
    \t\t\trepositoryURL = "https://example.com/swift-kit.git";
    \t\t};
    /* End XCRemoteSwiftPackageReference section */

    /* Begin XCSwiftPackageProductDependency section */
    \t\tL1 /* Shared Code */ = {
    \t\t\tisa = XCSwiftPackageProductDependency;
    \t\t\tpackage = S2 /* XCRemoteSwiftPackageReference "swift-kit" */;
    \t\t\tproductName = "Shared Code";
    \t\t};
    /* End XCSwiftPackageProductDependency section */
    \t};
    \trootObject = P1 /* Project object */;
    }

    """

/// A project file of Xcode 1.
private let oldProject = """
    // !$*UTF8*$!
    {
    \tobjectVersion = 39;
    \tobjects = {
    \t\t01A1 = {
    \t\t\tchildren = (
    \t\t\t);
    \t\t\tisa = PBXGroup;
    \t\t\txml = "<a>
    \tb\\"</a>
    ";
    \t\t};
    \t\t01A2 = {
    \t\t\tisa = PBXFileReference;
    \t\t};
    //010
    //011
    //012
    //013
    //014
    //2A0
    //2A1
    //2A2
    //2A3
    //2A4
    \t\t2A00 = {
    \t\t\tisa = PBXProject;
    \t\t};
    \t};
    \trootObject = 2A00;
    }

    """

@Suite("Project files")
struct ProjectFileTests {
    private func written(
        _ document: PropertyListDocument, named name: String? = nil, sorted: Bool = false
    ) throws -> String {
        var options = OpenStepPropertyList.Options()
        options.layout = .projectFile(projectName: name)
        options.sortsKeys = sorted
        return String(
            decoding: try OpenStepPropertyList.serialize(document, options: options), as: UTF8.self)
    }

    @Test("project files are reproduced exactly", arguments: [project, oldProject])
    func same(_ text: String) throws {
        let document = try PropertyListDocument(parsing: Array(text.utf8))
        #expect(try written(document) == text)
    }

    @Test(
        "project files made from other formats use the given name, and have a section for each class"
    )
    func fromOtherFormats() throws {
        let document = try PropertyListDocument(parsing: Array(project.utf8))
        var options = XMLPropertyList.Options()
        options.sortsKeys = true
        let xml = try XMLPropertyList.serialize(document, options: options).bytes
        let other = try PropertyListDocument(parsing: xml)
        #expect(try written(other, named: "Some Name", sorted: true) == project)
        #expect(try written(other).contains("list for PBXProject \"(null)\" */ = {"))
    }

    @Test("names that would end a comment are left out, and cyclic references do no harm")
    func hostile() throws {
        let value: PropertyListValue = [
            "objects": [
                "A": ["isa": "PBXBuildFile", "fileRef": "A"],
                "B": ["isa": "PBXGroup", "name": "*/ rootObject = C; /*"],
                "C": ["isa": "XCConfigurationList", "buildConfigurationList": "C"],
                "D": "no object", "E": ["name": "no class"], "F": ["isa": ["PBXGroup"]],
            ],
            "rootObject": "B",
        ]
        let text = try written(PropertyListDocument(value))
        #expect(text.contains("\t\tA /* (null) in (null) */ = {isa = PBXBuildFile; fileRef = A /*"))
        #expect(text.contains("\trootObject = B;\n"))
        #expect(try PropertyListValue(parsing: Array(text.utf8)) == value)
    }

    @Test("a property list that is not a project gets the same layout")
    func others() throws {
        #expect(
            try written(PropertyListDocument(["a", []])) == "// !$*UTF8*$!\n(\n\ta,\n\t(\n\t),\n)\n"
        )
        #expect(try written(PropertyListDocument("a")) == "// !$*UTF8*$!\na\n")
        let text = try written(PropertyListDocument(["objects": ["a"]]))
        #expect(text == "// !$*UTF8*$!\n{\n\tobjects = (\n\t\ta,\n\t);\n}\n")
    }

    @Test("a project with thousands of objects reads back as the same value and is reproduced")
    func large() throws {
        var objects = PropertyListDictionary()
        for number in 0..<4_000 {
            objects["F\(number)"] = ["isa": "PBXBuildFile", "fileRef": .string("R\(number)")]
            objects["R\(number)"] = ["isa": "PBXFileReference", "path": "a.m"]
        }
        let value: PropertyListValue = ["objects": .dictionary(objects)]
        let text = try written(PropertyListDocument(value))
        #expect(
            text.contains("\t\tF3999 /* a.m in (null) */ = {isa = PBXBuildFile; fileRef = R3999"))
        let document = try PropertyListDocument(parsing: Array(text.utf8))
        #expect(try document.root.value() == value)
        let isReproduced = try written(document) == text
        #expect(isReproduced)
    }
}
