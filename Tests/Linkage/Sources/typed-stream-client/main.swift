// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TypedStream

var stream = TypedStreamBuilder()
try stream.beginGroup("@")
try stream.beginObject(.init("NSString", version: 1, superclass: .object))
try stream.append("+", .string("Anna"))
try stream.endObject()
let document = try TypedStreamDocument(parsing: stream.finish())
print("TypedStream", try document.firstText() == "Anna" ? "works" : "fails")
