// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import ValidText

/// A class of keychain items.
public enum ItemClass: Sendable, Hashable, CaseIterable {
    /// The passwords of services: `kSecClassGenericPassword`.
    case genericPassword
    /// The passwords of servers: `kSecClassInternetPassword`.
    case internetPassword
}

/// The service or server that a password is for.
public enum ItemSubject: Sendable, Hashable {
    /// A service, by its name.
    case service(String)
    /// A server.
    case server(ServerAddress)

    /// The class of items with this subject.
    public var itemClass: ItemClass {
        switch self {
        case .service: .genericPassword
        case .server: .internetPassword
        }
    }

    /// The name of the service, or nil for a server.
    public var service: String? {
        guard case .service(let name) = self else { return nil }
        return name
    }

    /// The address of the server, or nil for a service.
    public var address: ServerAddress? {
        guard case .server(let address) = self else { return nil }
        return address
    }

    /// Returns whether both are the same service or server. Strings are compared scalar by scalar.
    public static func == (left: ItemSubject, right: ItemSubject) -> Bool {
        left.service.map(ExactText.init(_:)) == right.service.map(ExactText.init(_:))
            && left.address == right.address
    }

    /// Hashes the service or the address. Strings are hashed scalar by scalar.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(service.map(ExactText.init(_:)))
        hasher.combine(address)
    }

    /// The description of the subject in messages.
    var printable: String {
        switch self {
        case .service(let name): "service `\(StoreError.printable(name))`"
        case .server(let address): "server `\(StoreError.printable(address.server))`"
        }
    }
}

// MARK: - As bytes

// The stored form of a subject, in the column that items are looked up by:
//
// | bytes | subject |
// |---|---|
// | the name in UTF-8 | a service |
// | `FF`, `01`, then the fields in the order of `bytes` | a server |
//
// No UTF-8 text contains the byte `FF`, so the bytes of a service never equal those of a server.
// The name of the server is the first field, so an index finds all items of one server.

extension ItemSubject {
    /// The bytes of the subject, which are different for different subjects.
    var bytes: [UInt8] {
        switch self {
        case .service(let name): Array(name.utf8)
        case .server(let address): address.bytes
        }
    }

    /// Creates a subject from its bytes. The result is nil if no subject has exactly these bytes.
    init?(_ bytes: [UInt8]) {
        if bytes.first == ServerAddress.mark {
            guard let address = ServerAddress(bytes) else { return nil }
            self = .server(address)
        } else {
            guard let name = String(validUTF8: bytes) else { return nil }
            self = .service(name)
        }
    }
}

extension ServerAddress {
    /// The first byte of every encoded address, which occurs in no UTF-8 text.
    static let mark: UInt8 = 0xFF
    private static let version: UInt8 = 1

    /// Returns the common first bytes of all addresses of a server. No address of another server
    /// begins with them.
    static func prefix(of server: String) -> [UInt8] { [mark, version] + field(server) }

    /// The bytes of the address.
    fileprivate var bytes: [UInt8] {
        Self.prefix(of: server) + Self.field(`protocol`?.rawValue)
            + Self.field(authentication?.rawValue)
            + [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
            + Self.field(path) + Self.field(securityDomain)
    }

    private static func field(_ text: String) -> [UInt8] {
        bigEndian(UInt32(clamping: text.utf8.count)) + Array(text.utf8)
    }

    private static func field(_ code: FourCharacterCode?) -> [UInt8] {
        code.map { [1] + bigEndian($0.rawValue) } ?? [0]
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// Creates an address from its bytes. The result is nil if no address has exactly these bytes.
    fileprivate init?(_ bytes: [UInt8]) {
        var reader = AddressReader(rest: bytes[...])
        guard reader.byte() == Self.mark, reader.byte() == Self.version,
            let server = reader.text(), let protocolCode = reader.code(),
            let authenticationCode = reader.code(), let port = reader.number(2),
            let path = reader.text(), let securityDomain = reader.text(), reader.rest.isEmpty
        else { return nil }
        self.init(
            server, protocol: protocolCode.map(InternetProtocol.init(rawValue:)),
            port: UInt16(truncatingIfNeeded: port), path: path,
            authentication: authenticationCode.map(InternetAuthentication.init(rawValue:)),
            securityDomain: securityDomain)
    }
}

/// A reader for the fields of an address.
private struct AddressReader {
    private(set) var rest: ArraySlice<UInt8>

    init(rest: ArraySlice<UInt8>) { self.rest = rest }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func number(_ size: Int) -> UInt32? {
        bytes(size).map { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    mutating func text() -> String? {
        guard let size = number(4).flatMap({ Int(exactly: $0) }), let bytes = bytes(size) else {
            return nil
        }
        return String(validUTF8: Array(bytes))
    }

    /// Reads a code that may be absent. Returns nil if the bytes are malformed.
    mutating func code() -> FourCharacterCode?? {
        switch byte() {
        case 0: .some(nil)
        case 1: number(4).map { .some(FourCharacterCode(rawValue: $0)) }
        default: nil
        }
    }

    private mutating func bytes(_ size: Int) -> ArraySlice<UInt8>? {
        guard size <= rest.count else { return nil }
        defer { rest = rest.dropFirst(size) }
        return rest.prefix(size)
    }
}
