"""Builds Peers/rust-plist, a program that runs rows with rust-plist.

The crates come from the folder shared/peers beside the repository if it exists, and otherwise from
cargo's registry.
"""

import json
import pathlib
import shutil
import subprocess

BENCHMARKS = pathlib.Path(__file__).resolve().parent.parent
SOURCES = BENCHMARKS / "Peers" / "rust-plist"
TARGET = BENCHMARKS / ".build" / "rust-plist"
VENDORED = BENCHMARKS.parent.parent / "shared" / "peers" / "rust-plist" / "vendor"
# The supported jobs. Decoding and encoding would need the derive macros of `serde`, which the
# folder of crates lacks.
JOBS = ("parse", "write", "touch", "lookup")


class RustPlist:
    """The built program and its version of rust-plist."""

    def __init__(self, program, version):
        self.program = program
        self.version = version

    def command(self, row, runs, scale, bench_row):
        return [
            str(self.program), row["name"], row["job"], row["file"], row["sourceFile"],
            row["format"], str(runs), str(scale), bench_row]


def build(say):
    """Returns the built program. If it cannot be built, passes the reason to `say` and returns None."""
    if not shutil.which("cargo"):
        say("rust-plist is skipped: cargo is not installed.")
        return None
    command = ["cargo", "build", "--release", "--quiet", "--target-dir", str(TARGET)] + sources()
    result = subprocess.run(command, cwd=SOURCES, capture_output=True, text=True)
    if result.returncode:
        reason = result.stderr.strip().splitlines()[:1] or [f"status {result.returncode}"]
        say(f"rust-plist is skipped: cargo cannot build it: {reason[0][:200]}")
        return None
    return RustPlist(TARGET / "release" / "rust-plist-row", version())


def sources():
    if not VENDORED.is_dir():
        return []
    return [
        "--offline", "--config", "source.crates-io.replace-with='peers'",
        "--config", f"source.peers.directory='{VENDORED}'"]


def version():
    """Returns the version that cargo selected."""
    command = ["cargo", "metadata", "--format-version", "1"] + sources()
    result = subprocess.run(command, cwd=SOURCES, capture_output=True, text=True, check=True)
    packages = json.loads(result.stdout)["packages"]
    return next(package["version"] for package in packages if package["name"] == "plist")
