// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzTargets
import TestSupport
import Testing
import TypedStream

/// A comparison with a Python reader for typedstreams, if it is installed.
@Suite("Agreement of the typedstream reader with pytypedstream")
struct PythonStreamAgreementTests {
    static let isInstalled =
        (try? Python.run("import typedstream.stream", in: FileManager.default.temporaryDirectory))
        == 0

    @Test(
        "both read the same items", .enabled(if: isInstalled, "pytypedstream is not installed here")
    )
    func items() throws {
        let folder = try TemporaryFolder()
        var expected: [(name: String, lines: [String])] = []
        let files = TypedStreamCorpus.all.map { ($0.name, $0.bytes) }
        for (name, bytes) in files + (try Self.samples()) {
            try Data(bytes).write(to: folder.url.appending(path: name + ".stream"))
            let document = try? TypedStreamDocument(parsing: bytes)
            expected.append((name, document.map { TypedStreamDump.lines($0) } ?? ["REFUSED"]))
        }
        #expect(try Python.run(Self.script, in: folder.url) == 0)
        for (name, lines) in expected {
            let theirs = try String(
                contentsOf: folder.url.appending(path: name + ".lines"), encoding: .utf8)
            #expect(theirs.split(separator: "\n").map(String.init) == lines, "\(name)")
        }
    }

    /// The samples that pytypedstream can read.
    ///
    /// It does not sign-extend the stored bytes of unsigned numbers, and supports neither integers
    /// of 8 bytes nor streamer version 3.
    private static func samples() throws -> [(String, [UInt8])] {
        try Samples.all().enumerated().compactMap { index, sample in
            if ["types", "types-big-endian", "shared", "version-3"].contains(sample.name) {
                return nil
            }
            return ("sample-\(index)", sample.bytes)
        }
    }

    /// Writes the items of each file as `TypedStreamDump` does.
    private static let script = """
        import glob, struct
        from typedstream import stream as s

        def lines(path):
            entries, out, open_ends = [], [], []
            for event in s.TypedStreamReader.open(path):
                if isinstance(event, s.BeginTypedValues):
                    out.append('GROUP ' + b''.join(event.encodings).hex())
                elif isinstance(event, s.EndTypedValues):
                    pass
                elif event is None:
                    out.append('NULL')
                elif isinstance(event, s.ObjectReference):
                    text = entries[event.number]
                    out.append(text if text else 'REFERENCE %d' % event.number)
                elif isinstance(event, s.CString):
                    entries.append('CSTRING ' + event.contents.hex())
                    out.append(entries[-1])
                elif isinstance(event, (s.Atom, s.Selector)):
                    text = event.contents if isinstance(event, s.Atom) else event.name
                    out.append('NULL' if text is None else 'STRING ' + text.hex())
                elif isinstance(event, s.SingleClass):
                    entries.append(None)
                    out.append('CLASS %s %d' % (event.name.hex(), event.version))
                elif isinstance(event, s.BeginObject):
                    entries.append(None)
                    out.append('OBJECT')
                elif isinstance(event, (s.EndObject, s.EndArray, s.EndStruct)):
                    out.append('END')
                elif isinstance(event, s.ByteArray):
                    out.append('BYTES ' + event.data.hex())
                elif isinstance(event, s.BeginArray):
                    out.append('ARRAY')
                elif isinstance(event, s.BeginStruct):
                    out.append('STRUCTURE ' + ('-' if event.name is None else event.name.hex()))
                elif isinstance(event, bytes):
                    out.append('BYTES ' + event.hex())
                elif isinstance(event, float):
                    out.append('REAL %x' % struct.unpack('>Q', struct.pack('>d', event)))
                elif isinstance(event, int):
                    out.append('INTEGER %d' % event)
                else:
                    raise TypeError(event)
            return out

        for path in glob.glob('*.stream'):
            try:
                found = lines(path)
            except s.InvalidTypedStreamError:
                found = ['REFUSED']
            with open(path[:-7] + '.lines', 'w') as file:
                file.write('\\n'.join(found) + '\\n')
        """
}
