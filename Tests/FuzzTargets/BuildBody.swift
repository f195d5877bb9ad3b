// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// Calls a builder or a dictionary as the input describes.
public func fuzzBuild(_ bytes: [UInt8]) throws {
    var script = ByteScript(bytes)
    if script.byte() % 2 == 0 {
        try checkBuilder(&script)
    } else {
        try checkDictionary(&script)
    }
}

private func checkBuilder(_ script: inout ByteScript) throws {
    var limits = ParsingLimits.default
    limits.depth = [1, 8, 512][Int(script.byte() % 3)]
    var builder = DocumentBuilder(limits: limits)
    while !script.isAtEnd { call(&builder, &script) }
    guard let document = try? builder.finish() else { return }
    try checkWriting(document, .default)
}

/// Makes the next call. The meaning of a byte never changes, because inputs are kept.
private func call(_ builder: inout DocumentBuilder, _ script: inout ByteScript) {
    switch script.byte() % 16 {
    case 0: builder.null()
    case 1: builder.boolean(script.byte() % 2 == 0)
    case 2: builder.integer(PropertyListInteger(script.word()))
    case 3: builder.integer(PropertyListInteger(Int(truncatingIfNeeded: script.word())))
    case 4: builder.real(PropertyListReal(Double(bitPattern: script.word())))
    case 5: builder.date(date(&script))
    case 6: builder.uid(PropertyListUID(UInt32(truncatingIfNeeded: script.word())))
    case 7: builder.data(script.bytes(Int(script.byte())))
    case 8: builder.string(script.text())
    case 9, 10: builder.key(script.text())
    case 11: builder.beginArray()
    case 12: builder.beginSet()
    case 13: builder.beginDictionary()
    default: builder.end()
    }
}

/// Returns a finite date. NaN and infinite seconds become 0.
private func date(_ script: inout ByteScript) -> PropertyListDate {
    let seconds = Double(bitPattern: script.word())
    return PropertyListDate(secondsSince2001: seconds.isFinite ? seconds : 0)
}

/// Applies the same changes to a dictionary and to a plain list of pairs.
private func checkDictionary(_ script: inout ByteScript) throws {
    var entries = PropertyListDictionary()
    var model: [(key: String, value: PropertyListValue)] = []
    var copies: [PropertyListDictionary] = []
    while !script.isAtEnd {
        let key = script.text()
        let place = model.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
        switch script.byte() % 5 {
        case 0, 1:
            let value = PropertyListValue(Int(script.byte()))
            entries[key] = value
            if let place { model[place].value = value } else { model.append((key, value)) }
        case 2:
            entries[key] = nil
            if let place { model.remove(at: place) }
        case 3:
            let removed = entries.removeValue(forKey: key)
            let expected = place.map { model.remove(at: $0).value }
            try BrokenProperty.check(removed == expected, "a different value was removed")
        default: copies.append(entries)
        }
        try BrokenProperty.check(
            entries[key] == model.first { $0.key.utf8.elementsEqual(key.utf8) }?.value,
            "a different value is found")
    }
    try BrokenProperty.check(
        entries.keys.map { Array($0.utf8) } == model.map { Array($0.key.utf8) },
        "the keys of a dictionary differ")
    try BrokenProperty.check(
        entries.values == model.map(\.value), "the values of a dictionary differ")
    let back = try PropertyListDocument(.dictionary(entries)).root.value()
    try BrokenProperty.check(back == .dictionary(entries), "a dictionary does not round-trip")
    for copy in copies { _ = (copy == entries, copy.hashValue) }
}
