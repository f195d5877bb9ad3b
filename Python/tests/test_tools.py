# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Tests of the benchmark tools, of some scripts, and of the program that writes the wheel.

They need only the standard library, and build nothing.
"""

import contextlib
import datetime
import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "Benchmarks", "Tools"))

import bench  # noqa: E402
import measure  # noqa: E402
import tables  # noqa: E402


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


class Benchmarks(unittest.TestCase):
    ROW = {
        "name": "touch-library-binary", "job": "touch", "family": "library", "format": "binary", "summary": "tracks",
        "implementations": ["ours", "foundation"]}

    def result(self, works, plan):
        """Returns the result of a row. `works` says whether a run of an implementation at a scale succeeds."""
        def turn(row, implementation, runs, scale):
            return works(implementation, scale) and {
                "seconds": [0.5] * runs, "bytes": 1000, "checksum": "a", "residentPeak": 2, "residentBefore": 1}

        with contextlib.redirect_stderr(io.StringIO()):
            runner = measure.Bench("bench-row")
            with unittest.mock.patch.object(runner, "output"), unittest.mock.patch.object(runner, "turn", turn):
                return measure.measure_row(runner, plan, self.ROW, None)

    def test_a_row_without_this_library_has_no_goal(self):
        result = self.result(lambda implementation, scale: implementation == "foundation", measure.Plan.quick())
        self.assertEqual(tables.goal_text(result), "")
        self.assertIn("foundation 500", tables.terminal([result]))

    def test_a_failure_at_full_size_is_a_disagreement(self):
        result = self.result(lambda implementation, scale: scale < 1, measure.Plan.full())
        self.assertFalse(result["agreed"])
        self.assertNotIn("growth", result)
        page = tables.results_page({"setup": {}, "results": [result]})
        self.assertIn("Results differed: touch-library-binary", page)
        self.assertTrue(self.result(lambda implementation, scale: True, measure.Plan.full())["agreed"])

    def test_only_a_run_without_restrictions_replaces_the_published_results(self):
        for arguments, is_whole in (
                ([], True), (["--rounds", "1"], False), (["--scale", "0.5"], False), (["--rows", "x"], False),
                (["--only", "ours"], False), (["--quick"], False), (["--smoke"], False)):
            with unittest.mock.patch.object(sys, "argv", ["bench", "--bench-row", "x", *arguments]):
                self.assertEqual(bench.is_whole(bench.arguments()), is_whole, arguments)

    def test_the_published_pages_are_rendered_from_the_published_results(self):
        report = json.loads(read("Benchmarks", "results", "results.json"))
        self.assertEqual(read("Benchmarks", "RESULTS.md"), tables.results_page(report))
        self.assertIn(tables.gist(report), read("README.md"))


class Scripts(unittest.TestCase):
    def test_a_crash_of_this_library_is_never_a_known_disagreement(self):
        verdict = runpy.run_path(os.path.join(ROOT, "Scripts", "differential"))["verdict"]
        known = [["plistlib", "*", "refused", "*", "a reason"], ["plistlib", "refused *", "value", "*", "a reason"]]
        crash, refused, value = ("crash", "signal 4"), ("refused truncated", ""), ("value", "NULL\n")
        self.assertEqual(verdict("plistlib", "a.plist", crash, ("refused", "ValueError"), known)[0], "unknown")
        self.assertEqual(verdict("plistlib", "a.plist", crash, crash, known)[0], "unknown")
        self.assertEqual(verdict("plistlib", "a.plist", refused, ("refused", "ValueError"), [])[0], "both refuse")
        self.assertEqual(verdict("plistlib", "a.plist", value, value, [])[0], "same")
        self.assertEqual(verdict("plistlib", "a.plist", refused, value, known), ("known", "value", "a reason"))
        self.assertEqual(verdict("Foundation", "a.plist", refused, value, known), ("unknown", "value", None))

    def test_half_milliseconds_are_rounded_as_in_swift(self):
        differential = runpy.run_path(os.path.join(ROOT, "Scripts", "differential"))
        for microseconds, expected in ((-1500, -2), (-500, -1), (-499, 0), (0, 0), (499, 0), (500, 1), (1500, 2)):
            date = differential["EPOCH"] + datetime.timedelta(microseconds=microseconds)
            self.assertEqual(differential["canonical"](date), f"DATE {expected}\n", microseconds)

    def test_missing_lines_are_listed_even_if_the_coverage_is_too_low(self):
        summary = {"lines": {"count": 100, "covered": 96, "percent": 96.0}, "regions": {"count": 10, "covered": 9}}
        report = json.dumps({"data": [{"files": [{"filename": "/File.swift", "summary": summary}]}]})
        with tempfile.TemporaryDirectory() as folder:
            programs = {
                "swift": f'case "$*" in *--show-bin-path*) echo "{folder}" ;; esac',
                "llvm-profdata": "",
                "llvm-cov": f"[ $1 = export ] && echo '{report}' || printf '/File.swift:\\n   12|      0|code\\n'",
            }
            for name, text in programs.items():
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\n{text}\n")
                os.chmod(path, 0o755)
            run = subprocess.run(
                [os.path.join(ROOT, "Scripts", "coverage"), "--missing"], capture_output=True, text=True,
                env={**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]})
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("96 of 100 lines", run.stdout)
        self.assertIn("/File.swift:   12|      0|code", run.stdout)


class Wheel(unittest.TestCase):
    def test_a_new_wheel_replaces_older_ones(self):
        wheel = runpy.run_path(os.path.join(ROOT, "Python", "wheel.py"))
        with tempfile.TemporaryDirectory() as folder:
            core, old = (os.path.join(folder, name) for name in ("core.so", "keyedarchive-0.9-any.whl"))
            for path in (core, old):
                with open(path, "wb"):
                    pass
            with unittest.mock.patch.dict(wheel["main"].__globals__, glibc=lambda core: (2, 17)), \
                    contextlib.redirect_stdout(io.StringIO()) as printed:
                wheel["main"](core, folder)
            wheels = [name for name in os.listdir(folder) if name.endswith(".whl")]
            self.assertEqual(wheels, [os.path.basename(printed.getvalue().strip())])


if __name__ == "__main__":
    unittest.main()
