// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// The platforms are those that `Package.swift` names for the system library.
#if LibXML2 && (os(Linux) || os(macOS))

internal import CLibXML2

/// The only code that calls libxml2. It is the second engine for XML (``XMLEngine``), and converts
/// encodings for which ``TextDecoder`` has no table.
enum LibXML2 {
    /// A Boolean value that is true if the package was built with libxml2.
    static let isAvailable = true

    /// The receiver of tags. It returns false to stop the parser.
    private final class Receiver {
        let receive: (XMLTag) -> Bool
        init(_ receive: @escaping (XMLTag) -> Bool) { self.receive = receive }
    }

    /// Parses UTF-8 text and passes every tag to `receive`.
    static func parse(
        _ text: [UInt8], receive: (XMLTag) -> Bool
    ) throws(PropertyListError) -> XMLOutcome {
        guard let size = Int32(exactly: text.count) else {
            return XMLOutcome(
                message: "expected at most \(Int32.max) bytes of text, found \(text.count)")
        }
        return withoutActuallyEscaping(receive) { receive in
            parse(text, size, Receiver(receive))
        }
    }

    private static func parse(_ text: [UInt8], _ size: Int32, _ receiver: Receiver) -> XMLOutcome {
        // SAFETY: the session lives for the call and nothing else accesses it; libxml2 gets the
        // buffer and its true size, and uses it only during the call; the receiver is kept alive
        // until the last batch has been delivered, on this thread.
        unsafe withUnsafeTemporaryAllocation(of: keyed_xml_session.self, capacity: 1) { buffer in
            guard let session = buffer.baseAddress else { return XMLOutcome() }
            unsafe session.initialize(to: keyed_xml_session())
            unsafe session.pointee.owner = Unmanaged.passUnretained(receiver).toOpaque()
            unsafe session.pointee.on_events = deliver
            let isWellFormed = unsafe text.withUnsafeBytes { bytes in
                let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                return unsafe keyed_xml_parse(session, start, size) != 0
            }
            return withExtendedLifetime(receiver) {
                unsafe outcome(session.pointee, isWellFormed)
            }
        }
    }

    private static func outcome(_ session: keyed_xml_session, _ isWellFormed: Bool) -> XMLOutcome {
        // SAFETY: the fields read are plain values stored in the session.
        let message = unsafe string(of: session.message)
        let publicIdentifier = unsafe string(of: session.public_identifier)
        let systemIdentifier = unsafe string(of: session.system_identifier)
        return XMLOutcome(
            isWellFormed: isWellFormed, errorOffset: unsafe Int(session.error_offset),
            message: String(message.prefix { $0 != "\n" }),
            publicIdentifier: publicIdentifier.isEmpty ? nil : publicIdentifier,
            systemIdentifier: systemIdentifier.isEmpty ? nil : systemIdentifier,
            hasInternalSubset: unsafe session.has_internal_subset != 0)
    }

    /// Returns the text of a C array of characters, up to its NUL.
    private static func string<Characters>(of characters: Characters) -> String {
        // SAFETY: a tuple of C characters is bytes without padding; reading them is bounded by the
        // size of the tuple.
        unsafe withUnsafeBytes(of: characters) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Converts text to UTF-8.
    static func transcode(_ bytes: [UInt8], from name: String) -> TextDecoder.Result {
        guard let size = Int32(exactly: bytes.count) else { return .invalidText }
        var isKnown: Int32 = 0
        // SAFETY: libxml2 reads `size` bytes of the array within the call.
        let output = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe keyed_xml_transcode(name, buffer.baseAddress, size, &isKnown)
        }
        guard let output = unsafe output else {
            return isKnown == 0 ? .unknownEncoding : .invalidText
        }
        // SAFETY: this function owns the buffer, which holds as many bytes as its length says, and
        // frees it once.
        defer { unsafe xmlBufferFree(output) }
        let length = unsafe Int(xmlBufferLength(output))
        guard let start = unsafe xmlBufferContent(output) else { return .text([]) }
        return .text(unsafe Array(UnsafeBufferPointer(start: start, count: length)))
    }

    /// The callback through which the shim delivers a batch of tags.
    private static let deliver:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<keyed_xml_event>?, Int32
        ) -> Int32 = { owner, events, count in
            guard let owner = unsafe owner, let events = unsafe events else { return 1 }
            // SAFETY: the owner is the receiver of the call to `parse` further up this stack; the
            // shim passes its own array with its true count.
            let receiver = unsafe Unmanaged<Receiver>.fromOpaque(owner).takeUnretainedValue()
            for number in 0..<Int(count) {
                let event = unsafe events[number]
                let tag = XMLTag(offset: Int(event.offset), isEnd: event.is_end != 0)
                if !receiver.receive(tag) { return 1 }
            }
            return 0
        }
}

#else

/// The replacement for libxml2 if the trait `LibXML2` is off or the platform has no such library.
enum LibXML2 {
    /// A Boolean value that is true if the package was built with libxml2.
    static let isAvailable = false

    /// Always throws an error.
    ///
    /// - Throws: `unrecognizedFormat`. The recovery says how to get the engine.
    static func parse(
        _ text: [UInt8], receive: (XMLTag) -> Bool
    ) throws(PropertyListError) -> XMLOutcome {
        throw PropertyListError(
            .unrecognizedFormat, format: .xml,
            what: "expected a build with the trait `LibXML2`, found one without it",
            recovery: "build with the trait on Linux or macOS, or choose another engine")
    }

    /// Reports every encoding as unknown.
    static func transcode(_ bytes: [UInt8], from name: String) -> TextDecoder.Result {
        .unknownEncoding
    }
}

#endif
