// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyedArchive

@Suite("Tables with types as keys")
struct TypeTableTests {
    /// Returns the types `T`, `[T]`, `[[T]]` and so on.
    private func types<T>(_ type: T.Type, _ count: Int) -> [ObjectIdentifier] {
        count == 0 ? [] : [ObjectIdentifier(type)] + types([T].self, count - 1)
    }

    @Test("each type has the value that it was given, until all are removed")
    func table() {
        var table = TypeTable<Int>()
        let types = types(Int.self, 100)
        for round in 0..<2 {
            for (number, type) in types.enumerated() {
                #expect(table[type] == nil)
                table.insert(number + round, for: type)
            }
            for (number, type) in types.enumerated() { #expect(table[type] == number + round) }
            table.removeAll()
        }
        #expect(types.allSatisfy { table[$0] == nil })
    }
}
