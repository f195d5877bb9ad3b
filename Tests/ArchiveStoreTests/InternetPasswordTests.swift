// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import TestSupport
import Testing

@testable import ArchiveStore

@Suite("Internet passwords")
struct InternetPasswordTests {
    typealias Kind = ItemStoreTests.Kind

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(_ kind: Kind) throws -> ItemStore {
        switch kind {
        case .memory: return ItemStore(MemoryItemDatabase(accessGroup: "group"))
        #if Stores
        case .encrypted: return ItemStore(try database())
        #endif
        }
    }

    #if Stores
    private func database() throws -> EncryptedItemDatabase {
        let key = try MasterKey(file: folder("key"), creatingIfMissing: true)
        return try EncryptedItemDatabase(file: folder("items"), accessGroup: "group", key: key)
    }
    #endif

    private static let addresses = [
        ServerAddress("example.com"), ServerAddress("example.com", protocol: .https),
        ServerAddress("example.com", port: 8443), ServerAddress("example.com", path: "/a"),
        ServerAddress("example.com", authentication: .httpBasic),
        ServerAddress("example.com", securityDomain: "realm"),
        ServerAddress("example.co"), ServerAddress("example.com."), ServerAddress(""),
        ServerAddress("e\u{301}"), ServerAddress("\u{E9}"), ServerAddress("a\0b"),
        ServerAddress(
            "\u{10FFFF}", protocol: .ssh, port: .max, path: "/ö", authentication: .default,
            securityDomain: "\u{0}"),
    ]

    @Test(
        "items whose addresses differ in one part are different items",
        arguments: Kind.allCases)
    func identity(_ kind: Kind) throws {
        let store = try store(kind)
        for (number, address) in Self.addresses.enumerated() {
            try store.add(Item(address, account: "anna", password: "\(number)"))
            let error = #expect(throws: StoreError.self) {
                try store.add(Item(address, account: "anna", password: "again"))
            }
            #expect(error?.code == .duplicateItem)
        }
        #expect(try store.items().count == Self.addresses.count)
        for (number, address) in Self.addresses.enumerated() {
            let query = ItemQuery(ItemIdentity(address, account: "anna"))
            let items = try store.items(matching: query)
            #expect(items.map(\.password) == ["\(number)"])
            #expect(items.first?.attributes.address == address)
            #expect(items.first?.attributes.itemClass == .internetPassword)
            #expect(items.first?.attributes.service == "")
        }
    }

    @Test("queries match each part of the address", arguments: Kind.allCases)
    func queries(_ kind: Kind) throws {
        let store = try store(kind)
        for (number, address) in Self.addresses.enumerated() {
            try store.add(Item(address, account: "anna", password: "\(number)"))
        }
        try store.add(Item(service: "example.com", account: "anna", password: "generic"))
        func found(_ change: (inout ItemQuery) -> Void) throws -> [String?] {
            var query = ItemQuery()
            change(&query)
            return try store.items(matching: query).map(\.password)
        }
        #expect(try found { $0.server = "example.com" } == ["0", "1", "2", "3", "4", "5"])
        #expect(try found { $0.server = "example.co" } == ["6"])
        #expect(try found { $0.server = "" } == ["8"])
        #expect(try found { $0.server = "\u{E9}" } == ["10"])
        #expect(try found { $0.server = "a\0b" } == ["11"])
        #expect(try found { $0.server = "a" } == [])
        #expect(try found { $0.protocol = .https } == ["1"])
        #expect(try found { $0.port = 8443 } == ["2"])
        #expect(
            try found { ($0.server, $0.port) = ("example.com", 0) } == ["0", "1", "3", "4", "5"])
        #expect(try found { $0.path = "/a" } == ["3"])
        #expect(try found { $0.authentication = .httpBasic } == ["4"])
        #expect(try found { $0.securityDomain = "realm" } == ["5"])
        #expect(try found { ($0.server, $0.path) = ("\u{10FFFF}", "/ö") } == ["12"])
        #expect(try found { $0.address = Self.addresses[0] } == ["0"])
        #expect(try found { $0.service = "example.com" } == ["generic"])
        #expect(try found { ($0.service, $0.server) = ("example.com", "example.com") } == [])
        #expect(try found { $0.itemClass = .genericPassword } == ["generic"])
        #expect(try found { $0.itemClass = .internetPassword }.count == Self.addresses.count)
        #expect(try found { $0.account = "anna" }.count == Self.addresses.count + 1)
        let query = ItemQuery(server: "example.com", account: "anna")
        #expect(try store.items(matching: query, limit: 2).map(\.password) == ["0", "1"])
        #expect(try store.items(matching: ItemQuery(server: "example.com"), limit: 0).isEmpty)
    }

    @Test(
        "looking up a password by server and account returns nil if there is none",
        arguments: Kind.allCases)
    func password(_ kind: Kind) throws {
        let store = try store(kind)
        let address = ServerAddress("example.com", protocol: .https, port: 8443, path: "/login")
        try store.save(Item(address, account: "anna", password: "secret"))
        #expect(try store.password(server: "example.com", account: "anna") == "secret")
        #expect(try store.password(server: "example.com", port: 8443, account: "anna") == "secret")
        #expect(try store.password(server: "example.com", port: 1, account: "anna") == nil)
        #expect(try store.password(server: "example.com", account: "berta") == nil)
        #expect(try store.password(service: "example.com", account: "anna") == nil)
    }

    @Test(
        "items are changed, moved to another address or class, and deleted",
        arguments: Kind.allCases)
    func changes(_ kind: Kind) throws {
        let store = try store(kind)
        for (number, address) in Self.addresses.enumerated() {
            try store.add(Item(address, account: "anna", password: "\(number)"))
        }
        #expect(
            try store.update(matching: ItemQuery(server: "example.com", port: 8443)) {
                $0.attributes.address?.port = 443
                $0.data = [1]
            } == 1)
        #expect(try store.items(matching: ItemQuery(server: "example.com", port: 443)).count == 1)
        let error = #expect(throws: StoreError.self) {
            try store.update(matching: ItemQuery(server: "example.com", path: "/a")) {
                $0.attributes.address?.path = ""
            }
        }
        #expect(error?.code == .duplicateItem)
        #expect(error?.description.contains("server `example.com`") == true)
        try store.update(matching: ItemQuery(server: "example.co")) {
            $0.attributes.service = "example.co"
        }
        #expect(try store.password(service: "example.co", account: "anna") == "6")
        #expect(try store.delete(matching: ItemQuery(server: "example.com", protocol: .https)) == 1)
        #expect(try store.delete(matching: ItemQuery(server: "example.com")) == 5)
        let missing = #expect(throws: StoreError.self) {
            try store.delete(matching: ItemQuery(server: "example.com"))
        }
        #expect(missing?.description.contains("server `example.com`") == true)
        #expect(try store.items().count == Self.addresses.count - 6)
    }

    @Test("the size of address and account is bounded", arguments: Kind.allCases)
    func size(_ kind: Kind) throws {
        let store = try store(kind)
        let path = String(repeating: "p", count: ItemIdentity.largestSize)
        let error = #expect(throws: StoreError.self) {
            try store.add(Item(ServerAddress("s", path: path), account: "", password: ""))
        }
        #expect(error?.code == .invalidName && error?.what.contains("address") == true)
        let fitting = ServerAddress("s", path: String(path.dropLast(20)))
        try store.add(Item(fitting, account: "", password: "largest"))
        #expect(try store.items(matching: ItemQuery(server: "s")).count == 1)
    }

    @Test(
        "a backup includes internet passwords with their whole addresses", arguments: Kind.allCases)
    func backup(_ kind: Kind) throws {
        let store = try store(kind)
        for address in Self.addresses {
            try store.add(Item(address, account: "anna", password: "p"))
        }
        try store.add(Item(service: "s", account: "anna", password: "p"))
        let before = try store.items()
        let bytes = try store.backup().archived()
        try store.delete(matching: ItemQuery())
        #expect(try store.restore(ItemBackup(parsing: bytes)) == before.count)
        #expect(try Set(store.items()) == Set(before))
    }

    @Test("each address has a distinct encoding, and decoding accepts only canonical encodings")
    func bytes() throws {
        var seen: Set<[UInt8]> = []
        for address in Self.addresses {
            let bytes = ItemSubject.server(address).bytes
            #expect(seen.insert(bytes).inserted)
            #expect(ItemSubject(bytes) == .server(address))
            #expect(bytes.starts(with: ServerAddress.prefix(of: address.server)))
            for end in bytes.indices { #expect(ItemSubject(Array(bytes[..<end]))?.address == nil) }
            #expect(ItemSubject(bytes + [0]) == nil)
            for place in bytes.indices {
                for bit in 0..<8 {
                    var changed = bytes
                    changed[place] ^= 1 << UInt8(bit)
                    if let other = ItemSubject(changed) { #expect(other.bytes == changed) }
                }
            }
        }
        #expect(ItemSubject([]) == .service(""))
        #expect(ItemSubject([0xC3]) == nil)
        let largest: [UInt8] = [0xFF, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0]
        #expect(ItemSubject(largest) == nil)
    }
}
