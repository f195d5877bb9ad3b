"""Writes tables of results: all of them for RESULTS.md, and a summary for the README."""

PEERS = ["foundation", "rust-plist", "libplist", "plistlib"]
# Peers for typedstreams, which have no column in the README's table.
STREAM_PEERS = ["pytypedstream"]
TITLES = {
    "ours": "**this library**", "tree": "its tree of values", "coders": "its `NSCoder`s", "foundation": "Foundation",
    "rust-plist": "rust-plist", "libplist": "libplist", "plistlib": "CPython", "pytypedstream": "pytypedstream",
    "floor": "the floor",
}

VISITED = (
    "Every value is visited. This library delivers values as events, with text as UTF-8. Foundation and "
    "this library's tree of values (`tree`) read text as strings.")

# The heading, introduction, jobs and format of each section. None stands for both formats.
SECTIONS = [
    ("Binary to values", VISITED, ["parse"], "binary"),
    ("XML to values", VISITED, ["parse"], "xml"),
    ("One value of a file", "The file is opened and one value is read (`touch`), or 1,000 (`lookup`). The memory of "
     "these rows, under *Memory*, is that of an open document.", ["touch", "lookup"], None),
    ("Values to binary", "Equal values are written once.", ["write"], "binary"),
    ("Values to XML", "", ["write"], "xml"),
    ("Archives to objects and back", "Objects are instances of a program's classes; those for Foundation conform to "
     "`NSSecureCoding`.", ["unarchive", "archive"], None),
    ("Stores", "`get` reads one entry of each of 2,000 archived dictionaries, held in memory. `save` adds encrypted "
     "items in flushed batches of 200. `find` looks up 1,000 of 20,000 items by service and account. Foundation has "
     "no store, so it archives to files: one for each dictionary, one for each batch, or one for all items.",
     ["get", "save", "find"], None),
    ("Typedstreams and nibs", "`text` reads the text of 10,000 messages and checks its attribute runs. `visit` visits "
     "each value of a large typedstream, and of a storyboard's NIBArchives.", ["text", "visit"], None),
    ("Structures", "`Codable` types, through `PlistDecoder` and `PlistEncoder`.", ["decode", "encode"], None),
]

# The targets: the ratio to the best peer by job, the growth for twice the input, and the speed of opening a
# binary file in MB/s.
GOALS = {"unarchive": 60, "archive": 100, "decode": 15, "encode": 10, "text": 200}
GROWTH_GOAL = 2.2
OPENING_GOAL = 1_000
# The targets for stores: the maximum microseconds per operation, and the minimum operations per second.
GETTING_GOAL = 50
SAVING_GOAL = 2_000
# Messages a second.
TEXT_GOAL = 500_000


def goal(row):
    """Returns the target for the ratio to the best peer, or None."""
    job, family, form = row["job"], row["family"], row["format"]
    if family == "small":
        return 50
    if job == "parse":
        return 5 if form == "xml" or family in ("library", "archive", "large") else 3
    if job == "write":
        return 5 if form == "binary" else 3
    if job in ("unarchive", "archive") and form == "xml":
        return None
    return GOALS.get(job)


def memory_goal(row):
    return {"binary": 3, "xml": 2}[row["format"]] if row["job"] == "touch" else None


def rows_of(results, section):
    _, _, jobs, form = section
    return [r for r in results if r["job"] in jobs and form in (None, r["format"]) and r["implementations"]]


def best_peer(row):
    names = PEERS + STREAM_PEERS
    times = {name: row["implementations"][name]["best"] for name in names if name in row["implementations"]}
    return min(times.items(), key=lambda item: item[1], default=(None, None))


def ratio(row):
    """Returns the speed relative to the best peer; None without one."""
    _, time = best_peer(row)
    ours = row["implementations"].get("ours")
    return time / ours["best"] if time and ours else None


def speed(result):
    return result["bytes"] / result["best"] / 1e6


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(header, lines, left=1):
    ruler = ["---"] * left + ["---:"] * (len(header) - left)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, ruler] + lines) + "\n"


def size(count):
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.0f} kB"


def speed_table(rows):
    present = [n for n in TITLES if any(n in r["implementations"] for r in rows)]
    header = ["row", "file"] + [TITLES[n] for n in present] + ["÷ best peer", "goal"]
    return table(header, [speed_line(row, present) for row in rows])


def speed_line(row, present):
    of = row["implementations"]
    cells = [number(speed(of[n])) if n in of else "—" for n in present]
    if "ours" in of:
        cells[present.index("ours")] = f"**{cells[present.index('ours')]}**"
    times = ratio(row)
    return [f"`{row['name']}`", size(of[next(iter(of))]["bytes"])] + cells + [
        f"**{number(times)}**" if times else "—", goal_text(row)]


def goal_text(row):
    """Returns the target, and whether this library reaches it."""
    ours = row["implementations"].get("ours")
    if not ours:
        return ""
    if row["job"] == "touch" and row["format"] == "binary":
        return f"{OPENING_GOAL:,} MB/s {mark(speed(ours) >= OPENING_GOAL)}"
    if row["job"] in ("get", "save"):
        return store_goal_text(row["job"], ours)
    if row["job"] == "text":
        return text_goal_text(row)
    times, aim = ratio(row), goal(row)
    return "" if aim is None or times is None else f"{aim} {mark(times >= aim)}"


def store_goal_text(job, ours):
    each = ours["best"] / ours["count"]
    if job == "get":
        return f"≤ {GETTING_GOAL} µs each: {number(each * 1e6)} {mark(each * 1e6 <= GETTING_GOAL)}"
    return f"≥ {SAVING_GOAL:,} a second: {number(1 / each)} {mark(1 / each >= SAVING_GOAL)}"


def text_goal_text(row):
    ours, times = row["implementations"]["ours"], ratio(row)
    each = ours["count"] / ours["best"]
    text = f"≥ {TEXT_GOAL:,} a second: {number(each)} {mark(each >= TEXT_GOAL)}"
    return text if times is None else f"{text}; ≥ {goal(row)} × the best peer {mark(times >= goal(row))}"


def mark(reached):
    return "✓" if reached else "✗"


def memory_table(results):
    rows = [r for r in results if "ours" in r["implementations"] and r["job"] != "withstand"]
    present = [n for n in TITLES if n != "floor" and any(n in r["implementations"] for r in rows)]
    lines = []
    for row in rows:
        of = row["implementations"]
        cells = [f"{of[n]['resident'] / of[n]['bytes']:.1f}" if n in of else "—" for n in present]
        aim = memory_goal(row)
        reached = of["ours"]["resident"] / of["ours"]["bytes"]
        lines.append([f"`{row['name']}`", size(of["ours"]["bytes"])] + cells + [
            "" if aim is None else f"{aim} {mark(reached <= aim)}"])
    return table(["row", "file"] + [TITLES[n] for n in present] + ["goal"], lines)


def growth_table(results):
    lines = []
    for row in results:
        if "growth" in row:
            lines.append([
                f"`{row['name']}`", row["summary"], milliseconds(row["implementations"]["ours"]["best"]),
                f"{row['growth']:.2f} {mark(row['growth'] <= GROWTH_GOAL)}"])
    return table(["row", "input at its full size", "time, ms", "time(2n) ÷ time(n)"], lines, left=2)


def milliseconds(seconds):
    return number(seconds * 1e3)


def spread_table(results):
    lines = []
    for row in results:
        for name, of in row["implementations"].items():
            low, high = of["quartiles"]
            lines.append([
                f"`{row['name']}`", TITLES[name], milliseconds(of["best"]), milliseconds(of["median"]),
                f"{(high - low) / of['median'] * 100:.0f} %", str(of["runs"])])
    return table(["row", "", "best, ms", "median, ms", "interquartile range", "runs"], lines, left=2)


def results_page(report):
    results, setup = report["results"], report["setup"]
    parts = [
        "# Results\n",
        "Generated by `Scripts/bench`; do not edit it. [README](README.md) describes the rows.\n",
        table(["", ""], [[key, value] for key, value in setup.items()], left=2),
        "Speeds are in MB/s: the size of the file, the same for all implementations, divided by the best time of "
        "several runs. Implementations took turns in separate processes. All "
        + ("results were the same, value by value.\n" if all(r["agreed"] for r in results)
           else "results were the same, except in the rows listed at the end.\n"),
    ]
    for section in SECTIONS:
        rows = rows_of(results, section)
        if rows:
            parts += [f"## {section[0]}\n", section[1] + "\n" if section[1] else "", speed_table(rows)]
            parts += [f"![{section[0]}](results/{slug(section[0])}.svg)\n"]
    parts += [
        "## Memory\n",
        "The peak resident memory during a run, minus the resident memory before it (which includes the bytes "
        "of the file), as a multiple of the file's size.\n", memory_table(results),
        "## Growth\n",
        "Time for an input, divided by the time for half of it. The last rows are hostile input, and XML in rare "
        "forms.\n", growth_table(results),
        "## Times and their spread\n", spread_table(results),
    ]
    wrong = [r["name"] for r in results if not r["agreed"]]
    if wrong:
        parts.append("Results differed: " + ", ".join(wrong) + "\n")
    return "\n".join(part for part in parts if part)


def slug(title):
    return title.lower().replace(" ", "-")


# The README's selection: the row, its label in the chart, and its line in the table.
GIST = [
    ("parse-library-binary", "binary → values", "library, binary → every value"),
    ("parse-library-xml", "XML → values", "library, XML → every value"),
    ("touch-library-binary", "binary → one value", "library, binary → one value"),
    ("write-library-binary", "values → binary", "library → binary"),
    ("write-library-xml", "values → XML", "library → XML"),
    ("unarchive-archive-binary", "archive → objects", "keyed archive → 100,000 objects"),
    ("archive-archive-binary", "objects → archive", "100,000 objects → keyed archive"),
    ("unarchive-small-binary", "small archives", "2,000 archives of 1 KB → objects"),
    ("decode-library-binary", "binary → structures", "library, binary → `Codable` structures"),
    ("encode-library-binary", "structures → binary", "`Codable` structures → library, binary"),
]


def gist_rows(report):
    by_name = {row["name"]: row for row in report["results"]}
    return [(by_name[name], label, text) for name, label, text in GIST if name in by_name]


def gist(report):
    lines = []
    for row, _, text in gist_rows(report):
        of = row["implementations"]
        lines.append([text] + [
            milliseconds(of[n]["best"]) + " ms" if n in of else "—" for n in ["ours"] + PEERS]
            + [f"{number(ratio(row))} ×" if ratio(row) else "—"])
    heads = [TITLES[n] for n in ["ours"] + PEERS] + ["÷ best peer"]
    return (table(["work"] + heads, lines)
            + "\n![Speed, as bars](Benchmarks/results/overview.svg)\n\n"
            + f"In these rows, *library* means a music library of 20,000 tracks with 23 keys each. {report['setup']['machine']}; "
            + "[all results](Benchmarks/RESULTS.md), made by `Scripts/bench`.\n")


def terminal(results):
    """Returns the ratios and times in milliseconds, to print after the measurement."""
    lines = []
    for row in results:
        if row["job"] == "withstand":
            continue
        of, times = row["implementations"], ratio(row)
        shown = "  ".join(f"{name} {milliseconds(of[name]['best'])}" for name in of)
        text = f"{times:6.1f} × {best_peer(row)[0]}" if times else ""
        lines.append(f"{row['name']:28} {text:22} {goal_text(row):14} {shown}")
    return "\n".join(lines)
