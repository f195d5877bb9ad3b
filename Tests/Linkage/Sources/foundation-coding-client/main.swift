// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationCoding

let data = try KeyedArchiverCoder.archivedData(
    withRootObject: ["a", 1], requiringSecureCoding: true)
let again = try KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(data) as? NSArray
print("FoundationCoding", again == ["a", 1] ? "works" : "fails")
