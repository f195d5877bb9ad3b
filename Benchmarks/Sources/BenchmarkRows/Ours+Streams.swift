// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import NIBArchive
import TypedStream

extension Ours {
    /// Reads the text of each message, and checks its runs.
    @Sendable static func messageTexts(_ input: Input, _ scale: Double) throws -> Work {
        let messages = try FileList.bytes(input, scale)
        return Work(size: FileList.size(messages), count: messages.count) {
            var sum: UInt64 = 0
            for message in messages {
                let text = try AttributedText(typedstream: message).text
                sum = Checksum.appending(Checksum.string(text), to: sum)
            }
            return .checksum(sum)
        }
    }

    /// Visits every value of a typedstream, in file order.
    @Sendable static func streamValues(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        return Work(size: bytes.count) {
            let document = try TypedStreamDocument(
                parsing: bytes, limits: TypedStreamLimits(depth: 512, inputSize: .max))
            var sum: UInt64 = 0
            for group in document.groups { add(group.values, to: &sum) }
            return .checksum(sum)
        }
    }

    private static func add(_ values: TypedStreamValues, to sum: inout UInt64) {
        for value in values {
            switch value.content {
            case .integer(let number): append(Checksum.integer(Int(number)), to: &sum)
            case .unsigned(let number): append(Checksum.integer(bits: number), to: &sum)
            case .float(let number): append(Checksum.real(Double(number)), to: &sum)
            case .double(let number): append(Checksum.real(number), to: &sum)
            case .bytes(let bytes):
                append(bytes.withUnsafeBytes { Checksum.data($0) }, to: &sum)
            case .object(let object) where !value.isReference:
                for group in object.groups { add(group.values, to: &sum) }
            case .array(let inner), .structure(let inner): add(inner, to: &sum)
            default: continue
            }
        }
    }

    private static func append(_ value: UInt64, to sum: inout UInt64) {
        sum = Checksum.appending(value, to: sum)
    }

    /// Visits every value of every object of NIBArchives.
    @Sendable static func interfaceValues(_ input: Input, _ scale: Double) throws -> Work {
        let files = try FileList.bytes(input, scale)
        return Work(size: FileList.size(files), count: files.count) {
            var sum: UInt64 = 0
            for file in files {
                for object in try NIBArchiveDocument(parsing: file).objects {
                    for value in object.values { add(value, to: &sum) }
                }
            }
            return .checksum(sum)
        }
    }

    private static func add(_ value: NIBArchiveValue, to sum: inout UInt64) {
        switch value.content {
        case .integer(let number): append(Checksum.integer(Int(number)), to: &sum)
        case .boolean(let flag): append(Checksum.boolean(flag), to: &sum)
        case .float(let number): append(Checksum.real(Double(number)), to: &sum)
        case .double(let number): append(Checksum.real(number), to: &sum)
        case .data(let bytes): append(bytes.withUnsafeBytes { Checksum.data($0) }, to: &sum)
        case .object(let object): append(Checksum.uid(UInt64(object.index)), to: &sum)
        case .null: return
        }
    }
}
