// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The address of the server that an internet password is for.
///
/// ```swift
/// let address = ServerAddress("example.com", protocol: .https, port: 8443, path: "/login")
/// try store.save(Item(address, account: "anna", password: "secret"))
/// let password = try store.password(server: "example.com", account: "anna")
/// ```
///
/// The complete address, the account and ``ItemAttributes/isSynchronizable`` together are the
/// identity of an internet password, as in a keychain. Strings are compared scalar by scalar,
/// including server names, so write those in lower case.
public struct ServerAddress: Sendable, Hashable {
    /// The name or IP address of the server, without a scheme or a port.
    public var server: String
    /// The protocol, or nil if it is unspecified.
    public var `protocol`: InternetProtocol?
    /// The port, or 0 if it is unspecified.
    public var port: UInt16
    /// The path on the server, or an empty string if it is unspecified.
    public var path: String
    /// The authentication method, or nil if it is unspecified.
    public var authentication: InternetAuthentication?
    /// The security domain that the password is for, such as an HTTP realm, or an empty string if
    /// it is unspecified.
    public var securityDomain: String

    /// Creates an address.
    public init(
        _ server: String, protocol: InternetProtocol? = nil, port: UInt16 = 0, path: String = "",
        authentication: InternetAuthentication? = nil, securityDomain: String = ""
    ) {
        self.server = server
        self.protocol = `protocol`
        self.port = port
        self.path = path
        self.authentication = authentication
        self.securityDomain = securityDomain
    }

    /// Returns whether two addresses are equal. Strings are compared scalar by scalar.
    public static func == (left: ServerAddress, right: ServerAddress) -> Bool {
        left.exactTexts == right.exactTexts && left.protocol == right.protocol
            && left.port == right.port && left.authentication == right.authentication
    }

    /// Hashes all parts of the address. Strings are hashed scalar by scalar.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(exactTexts)
        hasher.combine(`protocol`)
        hasher.combine(port)
        hasher.combine(authentication)
    }

    private var exactTexts: [ExactText?] { ExactText.all(server, path, securityDomain) }
}

/// An internet protocol, represented by its keychain code.
public struct InternetProtocol: RawRepresentable, Sendable, Hashable {
    /// The code of the protocol.
    public let rawValue: FourCharacterCode

    /// Creates a protocol from its code.
    public init(rawValue: FourCharacterCode) { self.rawValue = rawValue }

    private init(_ code: UInt32) { rawValue = FourCharacterCode(rawValue: code) }

    // The codes are the values of Apple's constants `kSecAttrProtocol…`.

    /// FTP.
    public static let ftp = InternetProtocol(0x6674_7020)
    /// FTP over TLS.
    public static let ftps = InternetProtocol(0x6674_7073)
    /// HTTP.
    public static let http = InternetProtocol(0x6874_7470)
    /// HTTP over TLS.
    public static let https = InternetProtocol(0x6874_7073)
    /// An HTTP proxy.
    public static let httpProxy = InternetProtocol(0x6874_7078)
    /// IMAP.
    public static let imap = InternetProtocol(0x696D_6170)
    /// IMAP over TLS.
    public static let imaps = InternetProtocol(0x696D_7073)
    /// LDAP.
    public static let ldap = InternetProtocol(0x6C64_6170)
    /// LDAP over TLS.
    public static let ldaps = InternetProtocol(0x6C64_7073)
    /// POP3.
    public static let pop3 = InternetProtocol(0x706F_7033)
    /// POP3 over TLS.
    public static let pop3s = InternetProtocol(0x706F_7073)
    /// SMB.
    public static let smb = InternetProtocol(0x736D_6220)
    /// SMTP.
    public static let smtp = InternetProtocol(0x736D_7470)
    /// SSH.
    public static let ssh = InternetProtocol(0x7373_6820)
}

/// An authentication method, represented by its keychain code.
public struct InternetAuthentication: RawRepresentable, Sendable, Hashable {
    /// The code of the method.
    public let rawValue: FourCharacterCode

    /// Creates a method from its code.
    public init(rawValue: FourCharacterCode) { self.rawValue = rawValue }

    private init(_ code: UInt32) { rawValue = FourCharacterCode(rawValue: code) }

    // The codes are the values of Apple's constants `kSecAttrAuthenticationType…`.

    /// The default method of the protocol.
    public static let `default` = InternetAuthentication(0x6466_6C74)
    /// HTTP basic authentication.
    public static let httpBasic = InternetAuthentication(0x6874_7470)
    /// HTTP digest authentication.
    public static let httpDigest = InternetAuthentication(0x6874_7464)
    /// An HTML form.
    public static let htmlForm = InternetAuthentication(0x666F_726D)
    /// NTLM.
    public static let ntlm = InternetAuthentication(0x6E74_6C6D)
}
