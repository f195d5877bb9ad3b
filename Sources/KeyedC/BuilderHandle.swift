// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import CKeyed
internal import PropertyList
internal import ValidText

/// A builder that a C caller owns and uses on one thread at a time.
final class BuilderHandle {
    private var builder: DocumentBuilder?
    /// The limits, or the failure for an unknown preset. After that failure, there is no builder
    /// and all values are ignored.
    private let limits: Result<ParsingLimits, Failure>
    /// The first failure that the builder does not record itself.
    private var failure: Failure?
    /// The values that the caller may add again. The number of a value is its index plus 1.
    private var completed: [CompletedValue] = []

    init(_ preset: UInt32) {
        limits = Result { () throws(Failure) in try Settings.limits(preset) }
        if case .success(let limits) = limits { builder = DocumentBuilder(limits: limits) }
    }

    static func of(_ handle: OpaquePointer) -> BuilderHandle {
        // SAFETY: the handle came from `keyed_builder_new`, and the caller has not freed it.
        unsafe Block.owner(handle, as: BuilderHandle.self)
    }

    func add(_ body: (inout DocumentBuilder) -> Void) {
        guard var open = builder.take() else { return }
        body(&open)
        builder = consume open
    }

    /// Adds a value made of the bytes that a C caller passed.
    func add(
        _ bytes: UnsafeRawPointer?, _ count: Int, _ body: (inout DocumentBuilder, [UInt8]) -> Void
    ) {
        do throws(Failure) {
            let content = try unsafe copied(bytes, count)
            add { body(&$0, content) }
        } catch { fail(error) }
    }

    /// Adds a value made of the text that a C caller passed.
    func addText(
        _ text: UnsafeRawPointer?, _ count: Int, _ body: (inout DocumentBuilder, String) -> Void
    ) {
        do throws(Failure) {
            guard let text = String(validUTF8: try unsafe copied(text, count)) else {
                throw Failure("invalidString", "expected UTF-8 in a string of \(count) bytes")
            }
            add { body(&$0, text) }
        } catch { fail(error) }
    }

    /// Returns a number for the last complete value in the innermost open container, or 0.
    func lastValue() -> Int {
        var last: CompletedValue?
        add { last = $0.lastValue }
        guard let last else { return 0 }
        completed.append(last)
        return completed.count
    }

    func addAgain(_ number: Int) {
        guard number > 0, number <= completed.count else {
            return fail(
                Failure(
                    "misuse",
                    "expected a value number from 1 to \(completed.count), found \(number)"))
        }
        add { $0.reference(to: completed[number - 1]) }
    }

    private func fail(_ first: Failure) { failure = failure ?? first }

    func finish() throws(Failure) -> DocumentHandle {
        let limits = try limits.get()
        completed = []
        guard let open = builder.take() else {
            throw Failure("misuse", "the builder has no document")
        }
        let failed = failure
        failure = nil
        builder = DocumentBuilder(limits: limits)
        if let failed { throw failed }
        do { return DocumentHandle(try open.finish(), limits) } catch { throw Failure(error) }
    }
}
