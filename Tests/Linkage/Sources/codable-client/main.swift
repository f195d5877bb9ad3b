// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyListCodable

struct Person: Codable, Equatable {
    var name: String
    var ages: [Int: Double]
}

let anna = Person(name: "Anna", ages: [7: 8.5])
var isSame = true
for encoder in [PlistEncoder(), PlistEncoder(format: .xml)] {
    let data = try encoder.encode(anna)
    isSame = try isSame && PlistDecoder().decode(Person.self, from: data) == anna
}
print("PropertyListCodable", isSame ? "works" : "fails")
