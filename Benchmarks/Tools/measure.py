"""Runs rows in separate processes, with the implementations taking turns, and summarizes the results."""

import importlib.util
import json
import pathlib
import re
import statistics
import subprocess
import sys

import rust_plist

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent
# If a run takes more than this number of seconds, an implementation has only two turns.
SLOW = 2.0
# Implementations that may need seconds for one run at the usual size.
SLOW_IMPLEMENTATIONS = ("foundation", "plistlib", "pytypedstream")
# The inputs that pytypedstream reads, if it is installed.
STREAMS = ("messages", "drawing")


class Plan:
    """The number, duration and size of measurements."""

    def __init__(self, rounds, seconds, scale, growth):
        self.rounds = rounds      # number of turns of each implementation
        self.seconds = seconds    # approximate duration of a turn
        self.scale = scale        # size of the inputs, relative to the usual size
        self.growth = growth      # whether this library also runs each row with half the input

    @classmethod
    def full(cls):
        return cls(rounds=5, seconds=0.8, scale=1.0, growth=True)

    @classmethod
    def smoke(cls):
        return cls(rounds=1, seconds=0, scale=0.01, growth=False)

    @classmethod
    def quick(cls):
        return cls(rounds=2, seconds=0.02, scale=0.05, growth=False)


class Bench:
    def __init__(self, bench_row, rust=None):
        self.bench_row = str(bench_row)
        self.rust = rust          # rust_plist.RustPlist, if it could be built
        self.reads_streams = importlib.util.find_spec("typedstream") is not None
        if not self.reads_streams:
            say("pytypedstream is skipped: it is not installed (python3 -m pip install pytypedstream).")

    def rows(self, scale):
        return json.loads(self.output([self.bench_row, "list", str(scale)]))

    def turn(self, row, implementation, runs, scale):
        """Returns the measurement of one process, or None if the implementation gave up."""
        try:
            return json.loads(self.output(self.command(row, implementation, runs, scale)))
        except subprocess.CalledProcessError as error:
            reason = (error.stderr or "").strip().splitlines()[-1:] or [f"status {error.returncode}"]
            say(f"  {row['name']}: {implementation} does not do this: {reason[0][:120]}")
            return None

    def command(self, row, implementation, runs, scale):
        if implementation == "rust-plist":
            return self.rust.command(row, runs, scale, self.bench_row)
        if implementation == "plistlib":
            return [
                sys.executable, str(HERE / "plistlib_row.py"), row["name"], row["job"], row["file"],
                row["sourceFile"], row["format"], str(runs), str(scale), self.bench_row]
        if implementation == "pytypedstream":
            return [
                sys.executable, str(HERE / "typedstream_row.py"), row["name"], row["family"], row["file"],
                str(runs), str(scale)]
        return [self.bench_row, row["name"], implementation, str(runs), str(scale)]

    def implementations(self, row):
        """Returns the implementations of a row: those of bench-row, and peers with their own programs."""
        others = ["rust-plist"] if self.rust and row["job"] in rust_plist.JOBS else []
        others += ["plistlib"] if row["job"] in ("parse", "write") else []
        others += ["pytypedstream"] if self.reads_streams and row["family"] in STREAMS else []
        return row["implementations"] + others

    @staticmethod
    def output(command):
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def say(text):
    print(text, file=sys.stderr, flush=True)


def measure(bench, plan, pattern=None, implementations=None):
    """Returns the results of all rows whose names match, and whether all implementations agreed."""
    results, agreed = [], True
    for row in bench.rows(plan.scale):
        if pattern and not re.search(pattern, row["name"]):
            continue
        say(row["name"])
        bench.output([bench.bench_row, "prepare", row["name"], str(plan.scale)])
        result = measure_row(bench, plan, row, implementations)
        agreed = agreed and result["agreed"]
        results.append(result)
    return results, agreed


def measure_row(bench, plan, row, implementations):
    names = bench.implementations(row)
    runners = [
        Runner(bench, plan, row, name) for name in names
        if not implementations or name in implementations]
    if plan.growth and runners and runners[0].implementation == "ours":
        bench.output([bench.bench_row, "prepare", row["name"], str(plan.scale / 2)])
        runners.append(Runner(bench, plan, row, "ours", half=True))
    for round_number in range(plan.rounds):
        # A different implementation starts each round.
        start = round_number % max(1, len(runners))
        for runner in runners[start:] + runners[:start]:
            runner.take_turn()
    result = row_result(row, [runner for runner in runners if runner.turns])
    # A peer may lack a feature, but this library may not.
    result["agreed"] &= all(r.turns for r in runners if r.implementation in ("ours", "tree", "coders"))
    return result


def row_result(row, runners):
    summaries = {runner.implementation: summary(runner.turns) for runner in runners if not runner.half}
    result = {key: row[key] for key in ("name", "job", "family", "format", "summary")}
    result["implementations"] = summaries
    for runner in runners:
        if runner.half and "ours" in summaries:
            result["growth"] = summaries["ours"]["best"] / runner.best
    sums = {of["checksum"] for name, of in summaries.items() if name != "floor"}
    result["agreed"] = len(sums) <= 1
    if not result["agreed"]:
        say(f"  {row['name']}: NOT THE SAME RESULT: "
            + ", ".join(f"{name} {of['checksum']}" for name, of in summaries.items()))
    return result


class Runner:
    """One implementation of a row, which has a turn in each round."""

    def __init__(self, bench, plan, row, implementation, half=False):
        self.bench, self.plan, self.row = bench, plan, row
        self.implementation, self.half = implementation, half
        self.scale = plan.scale / 2 if half else plan.scale
        self.turns = []
        self.gave_up = False

    @property
    def best(self):
        return min((s for turn in self.turns for s in turn["seconds"]), default=None)

    def take_turn(self):
        is_slow_and_known = len(self.turns) > 1 and self.best > SLOW
        if self.gave_up or is_slow_and_known:
            return
        turn = self.bench.turn(self.row, self.implementation, self.runs(), self.scale)
        if turn:
            self.turns.append(turn)
        else:
            self.gave_up = True

    def runs(self):
        """Returns the number of runs that fill a turn. A short first turn measures the time of one run."""
        if self.best is None:
            return 1 if self.plan.scale >= 1 and self.implementation in SLOW_IMPLEMENTATIONS else 2
        # The first run of a process is the slowest, so a single run would be a poor measure of
        # short work.
        least = 2 if self.best < SLOW / 2 else 1
        return max(least, min(40, round(self.plan.seconds / self.best)))


def summary(turns):
    # The median and the quartiles leave out the first run of each process, which finds cold caches, unless it is the
    # only one.
    seconds = sorted(s for turn in turns for s in (turn["seconds"][1:] or turn["seconds"]))
    quartiles = statistics.quantiles(seconds, n=4) if len(seconds) > 1 else [seconds[0]] * 3
    return {
        "best": min(s for turn in turns for s in turn["seconds"]),
        "median": statistics.median(seconds),
        "quartiles": [quartiles[0], quartiles[2]],
        "runs": len(seconds),
        "bytes": turns[0]["bytes"],
        "count": turns[0].get("count", 1),
        "checksum": turns[0]["checksum"],
        "resident": min(turn["residentPeak"] - turn["residentBefore"] for turn in turns),
    }
