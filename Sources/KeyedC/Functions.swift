// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// The names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CKeyed
internal import PropertyList
internal import PropertyListTools
internal import ValidText

// The functions of `keyed.h`, which documents them. Each is safe for any input as long as the
// caller follows the rules at the top of that file, passes NULL only where the header allows it,
// and passes handles of the type that a function expects.

@c @implementation
public func keyed_abi_version() -> UInt32 { UInt32(KEYED_ABI_VERSION) }

@c @implementation
public func keyed_free(_ pointer: UnsafeRawPointer!) {
    if let pointer = unsafe pointer { unsafe Block.free(pointer) }
}

// MARK: - Documents

@c @implementation
public func keyed_open(
    _ bytes: UnsafePointer<UInt8>!, _ count: Int, _ options: UnsafePointer<keyed_options>!,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<keyed_error>?>!
) -> OpaquePointer! {
    unsafe guarded(error) { () throws(Failure) in
        let settings = try unsafe Settings(options)
        let input = try unsafe settings.input(bytes, count)
        return unsafe Block.handle(try DocumentHandle(input, settings))
    }
}

@c @implementation
public func keyed_format(_ document: OpaquePointer!) -> UInt32 {
    unsafe DocumentHandle.of(document).document.format?.number ?? UInt32(KEYED_FORMAT_UNKNOWN)
}

@c @implementation
public func keyed_root(_ document: OpaquePointer!) -> UInt32 {
    let handle = unsafe DocumentHandle.of(document)
    return UInt32(truncatingIfNeeded: handle.document.root.number)
}

@c @implementation
public func keyed_kind_of(_ bytes: UnsafePointer<UInt8>!, _ count: Int) -> UnsafePointer<CChar>! {
    // 64 KiB, because text formats may begin with a long comment or whitespace.
    guard let beginning = unsafe try? copied(bytes, min(count, 1 << 16)),
        let kind = ContentKind(beginning)
    else { return nil }
    // SAFETY: a static string of several characters is stored as a pointer to bytes that end with
    // NUL.
    return unsafe UnsafeRawPointer(kind.name.utf8Start).assumingMemoryBound(to: CChar.self)
}

@c @implementation
public func keyed_is_archive(_ document: OpaquePointer!) -> Int32 {
    unsafe DocumentHandle.of(document).document.looksLikeKeyedArchive ? 1 : 0
}

// MARK: - Values

@c @implementation
public func keyed_values(
    _ document: OpaquePointer!, _ error: UnsafeMutablePointer<UnsafeMutablePointer<keyed_error>?>!
) -> UnsafeMutablePointer<keyed_table>! {
    unsafe ValueTable(DocumentHandle.of(document).document).block(keyed_format(document))
}

@c @implementation
public func keyed_find(
    _ document: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ path_count: Int,
    _ value: UnsafeMutablePointer<UInt32>!,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<keyed_error>?>!
) -> OpaquePointer! {
    unsafe guarded(error) { () throws(Failure) in
        guard let text = String(validUTF8: try unsafe copied(path, path_count)) else {
            throw Failure("invalidKeyPath", "key path: expected UTF-8, found other bytes")
        }
        let parsed = try convertingErrors { () throws(PropertyListError) in
            try PropertyListKeyPath(parsing: text)
        }
        let (handle, node) = unsafe try ValueResolver.find(parsed, in: DocumentHandle.of(document))
        unsafe value?.pointee = UInt32(truncatingIfNeeded: node.number)
        return unsafe Block.handle(handle)
    }
}

@c @implementation
public func keyed_objects(
    _ document: OpaquePointer!, _ error: UnsafeMutablePointer<UnsafeMutablePointer<keyed_error>?>!
) -> UnsafeMutablePointer<keyed_archive>! {
    unsafe guarded(error) { () throws(Failure) in
        try unsafe ObjectTable(DocumentHandle.of(document)).block()
    }
}

// MARK: - Text

@c @implementation
public func keyed_json(
    _ document: OpaquePointer!, _ value: UInt32, _ mode: UInt32,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<keyed_error>?>!
) -> UnsafeMutablePointer<keyed_text>! {
    unsafe guarded(error) { () throws(Failure) in
        let handle = unsafe DocumentHandle.of(document)
        return try unsafe text(JSONText.text(of: handle.node(value), handle, mode))
    }
}

@c @implementation
public func keyed_convert(
    _ document: OpaquePointer!, _ format: UInt32,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<keyed_error>?>!
) -> UnsafeMutablePointer<keyed_text>! {
    unsafe guarded(error) { () throws(Failure) in
        let handle = unsafe DocumentHandle.of(document)
        let formats: [PropertyListFormat] = [.binary, .xml, .openStep, .json]
        guard let wanted = formats.first(where: { $0.number == format }) else {
            throw Failure("misuse", "expected a format from 1 to 4, found \(format)")
        }
        let bytes = try convertingErrors { () throws(PropertyListError) in
            try handle.document.serialized(as: wanted, limits: handle.limits)
        }
        return unsafe text(bytes)
    }
}

@c @implementation
public func keyed_class_names(
    _ document: OpaquePointer!, _ error: UnsafeMutablePointer<UnsafeMutablePointer<keyed_error>?>!
) -> UnsafeMutablePointer<keyed_text>! {
    unsafe guarded(error) { () throws(Failure) in
        try unsafe text(Contents.classNames(DocumentHandle.of(document)))
    }
}

@c @implementation
public func keyed_text_of(
    _ bytes: UnsafePointer<UInt8>!, _ count: Int, _ options: UnsafePointer<keyed_options>!,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<keyed_error>?>!
) -> UnsafeMutablePointer<keyed_text>! {
    unsafe guarded(error) { () throws(Failure) in
        let settings = try unsafe Settings(options)
        let found = try Contents.text(unsafe settings.input(bytes, count), settings)
        return unsafe found.map { unsafe text(Array($0.utf8)) }
    }
}

@c @implementation
public func keyed_check(
    _ bytes: UnsafePointer<UInt8>!, _ count: Int, _ options: UnsafePointer<keyed_options>!,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<keyed_error>?>!
) -> Int32 {
    let done: Bool? = unsafe guarded(error) { () throws(Failure) in
        let settings = try unsafe Settings(options)
        try Contents.check(unsafe settings.input(bytes, count), settings)
        return true
    }
    return done == nil ? 0 : 1
}

@c @implementation
public func keyed_list(
    _ document: OpaquePointer!, _ value: UInt32, _ scope_number: Int32,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<keyed_error>?>!
) -> UnsafeMutablePointer<keyed_rows>! {
    unsafe guarded(error) { () throws(Failure) in
        let handle = unsafe DocumentHandle.of(document)
        let scope: RowList.Scope
        switch scope_number {
        case Int32(KEYED_ITSELF): scope = .itself
        case Int32(KEYED_CHILDREN): scope = .children
        case Int32(KEYED_EVERYTHING): scope = .everything
        default: throw Failure("misuse", "expected a scope from 0 to 2, found \(scope_number)")
        }
        let list = try RowList(handle, handle.node(value), scope)
        return unsafe list.block()
    }
}

// MARK: - Writing

@c @implementation
public func keyed_builder_new(_ limits: UInt32) -> OpaquePointer! {
    unsafe Block.handle(BuilderHandle(limits))
}

@c @implementation
public func keyed_add_null(_ builder: OpaquePointer!) {
    unsafe BuilderHandle.of(builder).add { $0.null() }
}

@c @implementation
public func keyed_add_boolean(_ builder: OpaquePointer!, _ value: Int32) {
    unsafe BuilderHandle.of(builder).add { $0.boolean(value != 0) }
}

@c @implementation
public func keyed_add_integer(_ builder: OpaquePointer!, _ value: Int64) {
    unsafe BuilderHandle.of(builder).add { $0.integer(PropertyListInteger(value)) }
}

@c @implementation
public func keyed_add_natural(_ builder: OpaquePointer!, _ value: UInt64) {
    unsafe BuilderHandle.of(builder).add { $0.integer(PropertyListInteger(value)) }
}

@c @implementation
public func keyed_add_real(_ builder: OpaquePointer!, _ value: Double) {
    unsafe BuilderHandle.of(builder).add { $0.real(PropertyListReal(value)) }
}

@c @implementation
public func keyed_add_date(_ builder: OpaquePointer!, _ seconds: Double) {
    unsafe BuilderHandle.of(builder).add { $0.date(PropertyListDate(secondsSince2001: seconds)) }
}

@c @implementation
public func keyed_add_uid(_ builder: OpaquePointer!, _ value: UInt32) {
    unsafe BuilderHandle.of(builder).add { $0.uid(PropertyListUID(value)) }
}

@c @implementation
public func keyed_add_data(_ builder: OpaquePointer!, _ bytes: UnsafePointer<UInt8>!, _ count: Int)
{
    unsafe BuilderHandle.of(builder).add(bytes, count) { $0.data($1) }
}

@c @implementation
public func keyed_add_string(_ builder: OpaquePointer!, _ text: UnsafePointer<CChar>!, _ count: Int)
{
    unsafe BuilderHandle.of(builder).addText(text, count) { $0.string($1) }
}

@c @implementation
public func keyed_add_key(_ builder: OpaquePointer!, _ text: UnsafePointer<CChar>!, _ count: Int) {
    unsafe BuilderHandle.of(builder).addText(text, count) { $0.key($1) }
}

@c @implementation
public func keyed_begin_array(_ builder: OpaquePointer!) {
    unsafe BuilderHandle.of(builder).add { $0.beginArray() }
}

@c @implementation
public func keyed_begin_dictionary(_ builder: OpaquePointer!) {
    unsafe BuilderHandle.of(builder).add { $0.beginDictionary() }
}

@c @implementation
public func keyed_end(_ builder: OpaquePointer!) {
    unsafe BuilderHandle.of(builder).add { $0.end() }
}

@c @implementation
public func keyed_last_value(_ builder: OpaquePointer!) -> Int {
    unsafe BuilderHandle.of(builder).lastValue()
}

@c @implementation
public func keyed_add_again(_ builder: OpaquePointer!, _ value: Int) {
    unsafe BuilderHandle.of(builder).addAgain(value)
}

@c @implementation
public func keyed_finish(
    _ builder: OpaquePointer!, _ error: UnsafeMutablePointer<UnsafeMutablePointer<keyed_error>?>!
) -> OpaquePointer! {
    unsafe guarded(error) { () throws(Failure) in
        unsafe Block.handle(try BuilderHandle.of(builder).finish())
    }
}
