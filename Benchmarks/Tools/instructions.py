"""Counts instructions and allocations of one run of each row with valgrind. The figures do not depend on the
load of the machine.

The figures of one run are those of a process with two runs minus those of a process with one. The work
outside the runs cancels out, because both processes do the same: hashing has a constant seed.
"""

import os
import pathlib
import re
import subprocess
import tempfile

import measure
import setup

FILE = pathlib.Path(__file__).resolve().parent.parent / "instructions.tsv"
# A small scale, because programs run about fifty times slower under valgrind.
SCALE = 0.01
ROWS = r"^(parse|write|touch|unarchive|archive|decode|encode|lookup|get|save|find|text|visit|withstand)-"
# Rows that take too long even at this scale.
LEFT_OUT = {"parse-large-binary", "withstand-sharing-binary"}
# Two runs of the same program differ by at most 0.2 %, because of hashed addresses and page sizes.
TOLERANCE = 0.02
ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc"}


def run(bench_row, pattern, update):
    bench = measure.Bench(bench_row)
    known = read()
    counts = {}
    for row in bench.rows(SCALE):
        name = row["name"]
        if name in LEFT_OUT or not re.search(pattern or ROWS, name):
            continue
        bench.output([bench.bench_row, "prepare", name, str(SCALE)])
        counts[name] = count(bench_row, name)
        print(line(name, counts[name], known.get(name)), flush=True)
    if update:
        write({**known, **counts} if pattern else counts)
        return 0
    worse = [name for name in counts if name in known and is_worse(counts[name], known[name])]
    missing = [name for name in counts if name not in known]
    if worse:
        print(f"More than before: {', '.join(worse)}. If this is intended, run Scripts/bench --update.")
    if missing:
        print(f"Not in {FILE.name} yet: {', '.join(missing)}. Scripts/bench --update adds them.")
    return 1 if worse or missing else 0


def count(bench_row, name):
    one, two = (collect(bench_row, name, runs) for runs in (1, 2))
    return tuple(more - less for more, less in zip(two, one))


def collect(bench_row, name, runs):
    """Returns the instructions and allocations of a whole process."""
    with tempfile.NamedTemporaryFile() as out:
        environment = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}
        command = [
            "valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", bench_row, name, "ours",
            str(runs), str(SCALE)]
        subprocess.run(command, check=True, capture_output=True, env=environment)
        return totals(out.name)


def totals(path):
    names, calls, instructions, callee = {}, 0, 0, None
    with open(path, errors="replace") as file:
        for text in file:
            if text.startswith("cfn="):
                match = re.match(r"cfn=\((\d+)\)(?: (.*))?", text)
                if match[2]:
                    names[match[1]] = match[2].strip()
                callee = names.get(match[1], "")
            elif text.startswith("fn="):
                match = re.match(r"fn=\((\d+)\) (.*)", text)
                if match:
                    names[match[1]] = match[2].strip()
            elif text.startswith("calls=") and callee.split("'")[0] in ALLOCATORS:
                calls += int(text[6:].split()[0])
            elif text.startswith(("summary:", "totals:")):
                instructions = int(text.split()[1])
    return instructions, calls


def is_worse(now, before):
    return any(new > old * (1 + TOLERANCE) + 50 for new, old in zip(now, before))


def line(name, now, before):
    text = f"{name:28} {now[0]:>14,} instructions {now[1]:>9,} allocations"
    if before and before[0]:
        text += f"  {(now[0] / before[0] - 1) * 100:+.1f} %"
    return text


def read():
    if not FILE.exists():
        return {}
    fields = [text.split("\t") for text in FILE.read_text().splitlines() if not text.startswith("#")]
    return {name: (int(instructions), int(allocations)) for name, instructions, allocations in fields}


def write(counts):
    made_with = setup.describe()
    head = (f"# Instructions and allocations of one run with {SCALE} of the usual input, by valgrind.\n"
            f"# {made_with['Swift and Foundation']}, {made_with['machine']}, libxml2 {made_with['libxml2']}.\n"
            "# Written by Scripts/bench --update.\n")
    body = "".join(f"{name}\t{now[0]}\t{now[1]}\n" for name, now in counts.items())
    new = FILE.with_name(FILE.name + ".new")
    new.write_text(head + body)
    new.replace(FILE)
