// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore

let store = ItemStore(MemoryItemDatabase(accessGroup: "group"))
let values = ArchivedDictionary(in: store, service: "client", account: "values")
try values.set("works", forKey: "state")
let preferences = MemoryCache()
preferences["name"] = "ArchiveStore"
print(
    preferences.string(forKey: "name") ?? "", try values.value(String.self, forKey: "state") ?? "")
