// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList

var graph = ArchiveGraph()
let person = graph.append(
    .classDescription(ArchivedClass(name: "Person", chain: ["Person", "NSObject"])))
let anna = graph.append(.object(ArchivedObject(class: person, fields: ["name": "Anna"])))
graph.roots["root"] = .uid(anna)
let copy = try ArchiveGraph(parsing: graph.serialized(as: .binary))
let isSame = copy.objects == graph.objects && copy.archivedClass(of: anna)?.name == "Person"
print("KeyedArchive", isSame ? "works" : "fails")
