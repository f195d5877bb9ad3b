// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzTargets
import NIBArchive
import TestSupport
import Testing

@Suite(
    "NIBArchives from Apple's software",
    .enabled(if: !NIBArchiveCorpus.files.isEmpty, "the folder of NIBArchives is not here"))
struct NIBArchiveCorpusTests {
    @Test("the collection has at least 88 NIBArchives")
    func count() { #expect(NIBArchiveCorpus.files.count >= 88) }

    @Test("every byte is read, and written back", arguments: NIBArchiveCorpus.files)
    func rewriting(_ file: Corpus.File) throws {
        let document = try NIBArchiveDocument(parsing: file.bytes, limits: .untrusted)
        #expect(try document.serialized() == file.bytes)
        #expect(try NIBArchiveBuilder(document).finish() == file.bytes)
        #expect(document.root?.class.name == "NSObject")
        try checkNIBArchive(file.bytes)
    }

    @Test("nested archives are read too")
    func nested() throws {
        var count = 0
        for file in NIBArchiveCorpus.files {
            let document = try NIBArchiveDocument(parsing: file.bytes)
            for object in document.objects where object.class.name == "UINib" {
                guard case .object(let data)? = object["archiveData"]?.content,
                    case .data(let bytes)? = data["NS.bytes"]?.content
                else { continue }
                let inner = try NIBArchiveDocument(parsing: bytes)
                #expect(try inner.serialized() == Array(bytes))
                count += 1
            }
        }
        #expect(count > 0)
    }

    @Test("no prefix of a file is accepted", arguments: NIBArchiveCorpus.files.prefix(12))
    func prefixes(_ file: Corpus.File) throws {
        for length in stride(from: 0, to: file.bytes.count, by: 7) {
            #expect(throws: NIBArchiveError.self) {
                try NIBArchiveDocument(
                    parsing: Array(file.bytes.prefix(length)), allowingTrailingBytes: true)
            }
        }
    }

    static let isInstalled =
        (try? Python.run("import nibarchive", in: FileManager.default.temporaryDirectory)) == 0

    @Test(
        "nibarchive for Python reads the same values",
        .enabled(if: isInstalled, "nibarchive is not installed here"))
    func python() throws {
        let folder = try TemporaryFolder()
        for file in NIBArchiveCorpus.files {
            try Data(file.bytes).write(to: folder.url.appending(path: file.name + ".nib"))
        }
        #expect(try Python.run(Self.script, in: folder.url) == 0)
        for file in NIBArchiveCorpus.files {
            let document = try NIBArchiveDocument(parsing: file.bytes)
            let lines = NIBArchiveDump.lines(document).filter { !$0.hasPrefix("CLASS") }
            let theirs = try String(
                contentsOf: folder.url.appending(path: file.name + ".lines"), encoding: .utf8)
            // Computed outside of `#expect`, which would print all lines on failure.
            let isSame = theirs.split(separator: "\n").map(String.init) == lines
            #expect(isSame, "\(file.name)")
        }
    }

    /// Prints the values of each file in the form of `NIBArchiveDump`.
    ///
    /// The Python library swaps the names of true and false, and reads integers of one byte as
    /// unsigned. The script reverses this. It also keeps the bytes of data, in which the library
    /// would parse geometry and archives.
    private static let script = """
        import glob, struct
        from nibarchive import NIBArchiveParser, NIBValueType as T, varint

        class Parser(NIBArchiveParser):
            def _parse_data(self, file, value, offset):
                length, size = varint(file)
                value.data = file.read(length)
                return offset + size + length

        def content(value):
            match value.type:
                case T.INT8: return 'INTEGER %d' % (value.data - 256 * (value.data > 127))
                case T.INT16 | T.INT32 | T.INT64: return 'INTEGER %d' % value.data
                case T.BOOL_TRUE: return 'BOOLEAN false'
                case T.BOOL_FALSE: return 'BOOLEAN true'
                case T.FLOAT: return 'FLOAT %d' % struct.unpack('<I', struct.pack('<f', value.data))
                case T.DOUBLE: return 'DOUBLE %d' % struct.unpack('<Q', struct.pack('<d', value.data))
                case T.NIL: return 'NULL'
                case T.OBJECT_REF: return 'REFERENCE %d' % value.data
                case _: return 'DATA ' + value.data.hex()

        for path in glob.glob('*.nib'):
            with open(path, 'rb') as file:
                archive = Parser().parse(file)
            with open(path[:-4] + '.lines', 'w') as file:
                for item in archive.objects:
                    print('OBJECT', archive.get_class_name(item).name.encode().hex(), file=file)
                    for value in archive.get_object_values(item):
                        key = archive.get_value_key(value).name.encode().hex()
                        print(key, content(value), file=file)
        """
}

/// The NIBArchives of the external collection.
enum NIBArchiveCorpus {
    static let files = Corpus.external("nibarchive").filter { !$0.name.hasSuffix(".tsv") }
}
