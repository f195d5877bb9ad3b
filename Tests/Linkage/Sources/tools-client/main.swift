// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools

let old = try PropertyListDocument(parsing: Array("{ name = Anna; age = 7; }".utf8))
let new = try old.applying([PropertyListEdit([.key("age")], .set("8"))]).document
let comparison = try PropertyListComparison(from: old, to: new)
let isRight =
    try comparison.differences.count == 1 && new.root.value() == ["name": "Anna", "age": "8"]
print("PropertyListTools", isRight ? "works" : "fails")
