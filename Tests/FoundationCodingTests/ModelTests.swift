// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationCoding
import KeyedArchive
import Testing

// Classes as in a code generator's model of a program. The model has base classes with overrides,
// generic helpers on NSCoder, dictionaries of arrays of objects, references to parents, and objects
// that many others share.

extension NSCoder {
    fileprivate func decode<Value>(_ key: String) -> Value? { decodeObject(forKey: key) as? Value }
    fileprivate func decode(_ key: String) -> Bool { decodeBool(forKey: key) }
    fileprivate func decode(_ key: String) -> Int { decodeInteger(forKey: key) }
}

private class ModelType: NSObject, NSCoding {
    var name = ""
    var kind: String { "type" }
    var variables: [ModelVariable] = []
    var attributes: [String: [ModelAttribute]] = [:]
    var annotations: [String: NSObject] = [:]
    var based: [String: String] = [:]
    var contained: [ModelType] = []
    weak var parent: ModelType?
    var supertype: ModelType?
    var parentName: String?
    var isGeneric = false

    init(_ name: String) { self.name = name }

    func encode(with coder: NSCoder) {
        coder.encode(name, forKey: "name")
        coder.encode(variables, forKey: "variables")
        coder.encode(attributes, forKey: "attributes")
        coder.encode(annotations, forKey: "annotations")
        coder.encode(based, forKey: "based")
        coder.encode(contained, forKey: "contained")
        coder.encode(parent, forKey: "parent")
        coder.encode(supertype, forKey: "supertype")
        coder.encode(parentName, forKey: "parentName")
        coder.encode(isGeneric, forKey: "isGeneric")
    }

    required init?(coder: NSCoder) {
        super.init()
        guard let name: String = coder.decode("name"),
            let variables: [ModelVariable] = coder.decode("variables"),
            let attributes: [String: [ModelAttribute]] = coder.decode("attributes"),
            let annotations: [String: NSObject] = coder.decode("annotations"),
            let based: [String: String] = coder.decode("based"),
            let contained: [ModelType] = coder.decode("contained")
        else { return nil }
        self.name = name
        self.variables = variables
        self.attributes = attributes
        self.annotations = annotations
        self.based = based
        self.contained = contained
        for child in contained { child.parent = self }
        parent = coder.decode("parent")
        supertype = coder.decode("supertype")
        parentName = coder.decode("parentName")
        isGeneric = coder.decode("isGeneric")
    }
}

private final class ModelClass: ModelType {
    override var kind: String { isFinal ? "final class" : "class" }
    var isFinal = false

    override init(_ name: String) { super.init(name) }

    override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(isFinal, forKey: "isFinal")
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
        isFinal = coder.decode("isFinal")
    }
}

private final class ModelVariable: NSObject, NSCoding {
    let name: String
    let line: Int
    let type: ModelType?

    init(_ name: String, _ line: Int, type: ModelType? = nil) {
        self.name = name
        self.line = line
        self.type = type
    }

    func encode(with coder: NSCoder) {
        coder.encode(name, forKey: "name")
        coder.encode(line, forKey: "line")
        coder.encode(type, forKey: "type")
    }

    required init?(coder: NSCoder) {
        guard let name: String = coder.decode("name") else { return nil }
        self.name = name
        line = coder.decode("line")
        type = coder.decode("type")
    }
}

private final class ModelAttribute: NSObject, NSCoding {
    let arguments: [String: NSObject]

    init(_ arguments: [String: NSObject]) { self.arguments = arguments }

    func encode(with coder: NSCoder) { coder.encode(arguments, forKey: "arguments") }

    required init?(coder: NSCoder) { arguments = coder.decode("arguments") ?? [:] }
}

@Suite("A model of a program, in NSCoding classes")
struct ModelTests {
    private let allowed = ClassRegistry.foundationObjects.adding(classes: [
        ModelType.self, ModelClass.self, ModelVariable.self, ModelAttribute.self,
    ])

    private func model() -> [ModelType] {
        let base = ModelClass("Base")
        base.isFinal = true
        base.annotations = ["count": NSNumber(value: 3), "text": NSString(string: "t")]
        base.attributes = ["objc": [ModelAttribute(["name": NSString(string: "x")])]]
        let inner = ModelType("Inner")
        inner.variables = [ModelVariable("v", 7, type: base)]
        base.contained = [inner]
        inner.parent = base
        inner.parentName = "Base"
        let derived = ModelClass("Derived")
        derived.supertype = base
        derived.based = ["Base": "Base"]
        return [base, derived]
    }

    @Test("The model round-trips; references to objects under construction are cut and counted")
    func roundTrip() throws {
        let archiver = KeyedArchiverCoder()
        archiver.encode(model(), forKey: "types")
        let coder = try KeyedUnarchiverCoder(
            forReadingFrom: archiver.encodedData, allowing: allowed)
        coder.cyclePolicy = .cut
        let types = try #require(coder.decodeObject(forKey: "types") as? [ModelType])
        try coder.finishDecoding()
        #expect(types.map(\.name) == ["Base", "Derived"])
        #expect(types.map(\.kind) == ["final class", "class"])
        #expect(types[1].supertype === types[0])
        #expect(types[0].annotations["count"] as? Int == 3)
        #expect(types[0].attributes["objc"]?.first?.arguments["name"] as? String == "x")
        #expect(types[0].contained.first?.parent === types[0])
        #expect(types[0].contained.first?.parentName == "Base")
        #expect(types[0].contained.first?.variables.first?.line == 7)
        #expect(types[1].based == ["Base": "Base"])
        // The cut references: the parent of the contained type, and the type of its variable.
        #expect(coder.cutReferenceCount == 2)
    }

    @Test("An archive with reference cycles is an error if the policy does not cut them")
    func cycleIsAnError() throws {
        let archiver = KeyedArchiverCoder()
        archiver.encode(model(), forKey: "types")
        let coder = try KeyedUnarchiverCoder(
            forReadingFrom: archiver.encodedData, allowing: allowed)
        #expect(coder.decodeObject(forKey: "types") == nil)
        #expect((coder.error as? KeyedArchiveError)?.code == .referenceCycle)
    }
}
