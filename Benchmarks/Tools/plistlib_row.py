"""Measures one row with CPython's plistlib, and prints one line of JSON like bench-row.

    plistlib_row.py ROW JOB FILE SOURCE FORMAT RUNS SCALE BENCH_ROW

Only plistlib is measured. The values are visited after the clock has stopped, because visiting them in
Python takes longer than creating them. The script needs only the standard library.
"""

import datetime
import gc
import json
import os
import plistlib
import struct
import subprocess
import sys
import tempfile
import time

MASK = (1 << 64) - 1
P, Q = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
BOOLEAN, INTEGER, REAL, DATE, DATA, STRING, UID, ARRAY, DICTIONARY = range(1, 10)
EPOCH = datetime.datetime(2001, 1, 1)


# The checksum, as in Sources/BenchmarkRows/Checksum.swift.

def mix(bits):
    bits &= MASK
    folded = (bits ^ bits >> 32) * 0x9FB21C651E98DF25 & MASK
    return folded ^ folded >> 29


def scalar(tag, bits):
    return mix(bits + tag * P)


def content(tag, data):
    return mix(int.from_bytes(data, "little") % MASK + len(data) * Q + tag * P)


def bits_of_real(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def checksum(value):
    kind = type(value)
    if kind is str:
        return content(STRING, value.encode())
    if kind is dict:
        return checksum_of_dictionary(value)
    if kind is list:
        return checksum_of_array(value)
    if kind is bool:
        return scalar(BOOLEAN, value)
    if kind is int:
        return scalar(INTEGER, value)
    if kind is float:
        return scalar(REAL, bits_of_real(value))
    if kind is bytes:
        return content(DATA, value)
    if kind is datetime.datetime:
        return scalar(DATE, bits_of_real((value - EPOCH).total_seconds()))
    if kind is plistlib.UID:
        return scalar(UID, value.data)
    raise TypeError(kind)


def checksum_of_dictionary(value):
    if len(value) == 1 and "CF$UID" in value:
        return scalar(UID, value["CF$UID"])
    total = sum(mix(content(STRING, k.encode()) * 3 + checksum(v)) for k, v in value.items())
    return scalar(DICTIONARY, total + len(value))


def checksum_of_array(value):
    total = 0
    for element in value:
        total = (total * 31 + checksum(element)) & MASK
    return scalar(ARRAY, total + len(value))


# Memory, measured as in Sources/bench-row/ResidentMemory.swift.

def resident(name):
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith(name + ":"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0


def reset_peak():
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass


# The measured work.

def parsing(data, form):
    def run():
        start = time.perf_counter()
        value = plistlib.loads(data, fmt=form)
        return time.perf_counter() - start, value

    return run, checksum


def writing(data, form, bench_row):
    value = plistlib.loads(data, fmt=plistlib.FMT_BINARY)

    def run():
        start = time.perf_counter()
        output = plistlib.dumps(value, fmt=form, sort_keys=False)
        return time.perf_counter() - start, output

    def checksum_of_file(output):
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(output)
        try:
            command = [bench_row, "checksum", file.name]
            return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout, 16)
        finally:
            os.unlink(file.name)

    return run, checksum_of_file


def main(row, job, path, source, format_name, runs, scale, bench_row):
    sys.setrecursionlimit(10_000)
    form = plistlib.FMT_BINARY if format_name == "binary" else plistlib.FMT_XML
    with open(path if job == "parse" else source, "rb") as file:
        data = file.read()
    run, visit = parsing(data, form) if job == "parse" else writing(data, form, bench_row)
    gc.collect()
    before = resident("VmRSS")
    reset_peak()
    first, result = run()
    peak = resident("VmHWM")
    seconds = [first]
    total = visit(result)
    while len(seconds) < int(runs):
        result = None
        seconds.append(run()[0])
    print(json.dumps({
        "row": row, "implementation": "plistlib", "scale": float(scale),
        "bytes": os.path.getsize(path), "seconds": seconds, "checksum": format(total, "x"),
        "residentBefore": before, "residentPeak": peak,
    }))


if __name__ == "__main__":
    main(*sys.argv[1:])
