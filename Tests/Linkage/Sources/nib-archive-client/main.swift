// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import NIBArchive

var archive = NIBArchiveBuilder()
let root = archive.addObject("NSObject")
archive.append(.boolean(true), forKey: "UIHidden", to: root)
let document = try NIBArchiveDocument(parsing: archive.finish())
print("NIBArchive", document.root?["UIHidden"] != nil ? "works" : "fails")
