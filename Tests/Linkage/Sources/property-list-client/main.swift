// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

let value: PropertyListValue = ["name": "Anna", "ages": [7, 8.5, true]]
let document = try PropertyListDocument(value)
let binary = try PropertyListDocument(parsing: BinaryPropertyList.serialize(document))
let xml = try PropertyListDocument(parsing: XMLPropertyList.serialize(binary).bytes)
let isSame = try xml.root.value() == value && xml.root["name"]?.string == "Anna"
print("PropertyList", isSame ? "works" : "fails")
