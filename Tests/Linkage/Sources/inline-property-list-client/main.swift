// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import InlinePropertyList

var message = InlinePropertyListBuilder()
try message.append(.boolean(true))
let document = try InlinePropertyListDocument(parsing: message.finish())
let isRight = if case .boolean(true) = document.root.content { true } else { false }
print("InlinePropertyList", isRight ? "works" : "fails")
