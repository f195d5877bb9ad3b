"""Measures one row with pytypedstream, and prints one line of JSON like bench-row.

    typedstream_row.py ROW FAMILY FILE RUNS SCALE

Only pytypedstream is measured. The checksum is computed after the clock has stopped. The script needs pytypedstream.
"""

import gc
import json
import os
import plistlib
import sys
import time

from typedstream import stream

from plistlib_row import DATA, INTEGER, MASK, REAL, STRING, bits_of_real, content, reset_peak, resident, scalar


def text(message):
    """Returns the text of a message, which is its first string. Reads the whole stream, and thereby checks it, as
    swift-keyed-archive does."""
    found, is_string = None, False
    for event in stream.TypedStreamReader.from_data(message):
        if isinstance(event, stream.SingleClass):
            is_string = is_string or event.name == b"NSString"
        elif found is None and is_string and isinstance(event, bytes):
            found = event.decode()
    return found


def values(data):
    """Returns all numbers and bytes of a stream, in order."""
    return [event for event in stream.TypedStreamReader.from_data(data)
            if isinstance(event, (int, float, bytes, stream.ByteArray))]


def checksum_of_value(value):
    if isinstance(value, float):
        return scalar(REAL, bits_of_real(value))
    if isinstance(value, int):
        return scalar(INTEGER, value)
    return content(DATA, value.data if isinstance(value, stream.ByteArray) else value)


def checksum_of_text(value):
    return content(STRING, value.encode())


def checksum(results, of_one):
    total = 0
    for result in results:
        total = (total * 31 + of_one(result)) & MASK
    return total


def main(row, family, path, runs, scale):
    with open(path, "rb") as file:
        data = file.read()
    if family == "messages":
        messages = plistlib.loads(data)
        size, count, of_one = sum(map(len, messages)), len(messages), checksum_of_text
        work = lambda: [text(message) for message in messages]
    else:
        size, count, of_one = len(data), 1, checksum_of_value
        work = lambda: values(data)
    gc.collect()
    before = resident("VmRSS")
    reset_peak()
    seconds = []
    while len(seconds) < int(runs):
        start = time.perf_counter()
        results = work()
        seconds.append(time.perf_counter() - start)
        if len(seconds) == 1:
            peak = resident("VmHWM")
    print(json.dumps({
        "row": row, "implementation": "pytypedstream", "scale": float(scale), "bytes": size, "count": count,
        "seconds": seconds, "checksum": format(checksum(results, of_one), "x"),
        "residentBefore": before, "residentPeak": peak,
    }))


if __name__ == "__main__":
    main(*sys.argv[1:])
