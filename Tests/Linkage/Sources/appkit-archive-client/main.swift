// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import KeyedArchive

let color = ArchivedColor(red: 1, green: 0.5, blue: 0)
let bytes = try KeyedArchiver.archive(color, allowing: .appKit)
let again = try KeyedUnarchiver.unarchive(ArchivedColor.self, from: bytes, allowing: .appKit)
print("AppKitArchive", again.components == [1, 0.5, 0, 1] ? "works" : "fails")
