# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Hostile inputs for the tests of SQL and Python."""

import ctypes
import os
import plistlib

# Whether the library is a debug build, in which tests that reach limits or repeat calls take minutes.
DEBUG = "KEYED_DEBUG_BUILD" in os.environ
_UID = plistlib.UID


def _archive(objects, top=1):
    return plistlib.dumps(
        {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": _UID(top)}, "$objects": objects},
        fmt=plistlib.FMT_BINARY)


def _class(name, *chain):
    return {"$classname": name, "$classes": [name, *chain, "NSObject"]}


def dangling():
    """Returns an archive of an array that refers to object 77, which does not exist."""
    return _archive(["$null", {"NS.objects": [_UID(77)], "$class": _UID(2)}, _class("NSArray")])


def urls(is_mutable=False):
    """Returns an archive of an array of a URL and of another URL that is relative to the first.

    The text of the first is an NSMutableString if `is_mutable`, otherwise a string without a class.
    """
    text = {"NS.string": "http://a/b", "$class": _UID(8)} if is_mutable else "http://a/b"
    return _archive([
        "$null", {"NS.objects": [_UID(2), _UID(3)], "$class": _UID(7)},
        {"NS.base": _UID(0), "NS.relative": _UID(4), "$class": _UID(6)},
        {"NS.base": _UID(2), "NS.relative": _UID(5), "$class": _UID(6)},
        text, "c", _class("NSURL"), _class("NSArray"), _class("NSMutableString", "NSString")])


def nulls():
    """Returns an archive of an array of nil and NSNull."""
    return _archive([
        "$null", {"NS.objects": [_UID(0), _UID(2)], "$class": _UID(4)}, {"$class": _UID(3)}, _class("NSNull"),
        _class("NSArray")])


def nested():
    """Returns an archive of an NSMutableData that contains a property list, a dictionary with the key `a`."""
    return _archive([
        "$null", {"NS.data": plistlib.dumps({"a": 1}), "$class": _UID(2)}, _class("NSMutableData", "NSData")])


def keys():
    """Returns an archive of a dictionary. Its keys are two dates, two reals, a string, an integer, the text of that
    integer, two strings that are canonically equivalent, `$top`, which is a key of every archive, and its prefix `$to`.
    """
    return _archive([
        "$null",
        {"NS.keys": [_UID(2), _UID(3), 0.5, 1.5, _UID(4), 7, "7", "\u00e9", "e\u0301", "$top", "$to"],
         "NS.objects": list("abcdefghijk"), "$class": _UID(5)},
        {"NS.time": 0.0, "$class": _UID(6)}, {"NS.time": 1.0, "$class": _UID(6)}, "name", _class("NSDictionary"),
        _class("NSDate")])


def sharing():
    """Returns an archive of 29 levels of arrays. Each array holds ten references to the array of the next level. The
    array of the last level refers to a string."""
    levels = [{"NS.objects": [_UID(number + 1)] * 10, "$class": _UID(31)} for number in range(1, 30)]
    return _archive(["$null", *levels, "end", _class("NSArray")])


def made():
    """Returns malformed files and archives, and archives that would exhaust resources."""
    array = _class("NSArray")
    return [
        b"", b"\0", b"bplist00", b"bplist17", b"NIBArchive", b"\x04\x0bstreamtyped", b"<plist>" * 1000, b"[" * 10000,
        b"{" * 10000, b"(" * 10000,
        _archive(["$null"], top=99),
        _archive(["$null", {"NS.objects": [_UID(1)], "$class": _UID(2)}, array]),
        dangling(),
        _archive(["$null", {"NS.objects": "x", "$class": _UID(2)}, array]),
        _archive(["$null", {"NS.keys": [_UID(1)], "NS.objects": [], "$class": _UID(2)}, _class("NSDictionary")]),
        _archive(["$null", {"NS.keys": [_UID(1)], "NS.objects": [_UID(1)], "$class": _UID(2)}, _class("NSDictionary")]),
        _archive(["$null", {"NS.objects": [_UID(1)], "$class": _UID(2)}, _class("NSSet")]),
        _archive(["$null", {"NS.time": 1e300, "$class": _UID(2)}, _class("NSDate")]),
        _archive(["$null", {"NS.uuidbytes": b"1", "$class": _UID(2)}, _class("NSUUID")]),
        _archive(["$null", {"NS.base": _UID(1), "NS.relative": _UID(1), "$class": _UID(2)}, _class("NSURL")]),
        _archive(["$null", {"$class": _UID(1)}]),
        _archive(["$null", {"a\0b": 1, "$class": _UID(2)}, _class("N\0ame")]),
        sharing(),
    ]


def blobs():
    """Returns the inputs of ``made``, and the files in the folder `malformed` of KEYED_CORPUS."""
    found = made()
    for root, _, names in os.walk(os.path.join(os.environ.get("KEYED_CORPUS", ""), "malformed")):
        for name in sorted(names):
            with open(os.path.join(root, name), "rb") as file:
                found.append(file.read())
    return found


class _Allocations(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]


def memory_in_use():
    """Returns the number of bytes that the C library has allocated in this process."""
    library = ctypes.CDLL(None)
    library.mallinfo2.restype = _Allocations
    now = library.mallinfo2()
    return now.uordblks + now.hblkhd
