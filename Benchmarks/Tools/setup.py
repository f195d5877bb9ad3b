"""Describes the machine and the software that produced the results."""

import datetime
import importlib.metadata
import os
import platform
import subprocess


def describe(rust=None):
    return {
        "date": datetime.date.today().isoformat(),
        "commit": output("git", "rev-parse", "--short", "HEAD") or "unknown",
        "machine": f"{processor()}, {os.cpu_count()} cores, {memory()}",
        "load at the start": load(),
        "system": f"{system()}, {platform.machine()}",
        "Swift and Foundation": (output("swift", "--version") or "unknown").splitlines()[0],
        "libxml2": output("pkg-config", "--modversion", "libxml-2.0") or "unknown",
        "libplist": output("pkg-config", "--modversion", "libplist-2.0") or "not installed",
        "rust-plist": f"{rust.version}, {output('rustc', '--version')}" if rust else "not built",
        "pytypedstream": installed("pytypedstream"),
        "CPython": platform.python_version(),
    }


def installed(package):
    """Returns the version of a Python package."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def output(*command):
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return ""
    return result.stdout.strip() if result.returncode == 0 else ""


def processor():
    try:
        with open("/proc/cpuinfo") as info:
            for line in info:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return output("sysctl", "-n", "machdep.cpu.brand_string") or platform.processor() or "unknown"


def load():
    try:
        return f"{os.getloadavg()[0]:.1f}"
    except OSError:
        return "unknown"


def memory():
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2 ** 30:.0f} GiB"
    except (ValueError, OSError):
        return "memory unknown"


def system():
    try:
        release = platform.freedesktop_os_release()
        return release.get("PRETTY_NAME", platform.system())
    except OSError:
        return f"{platform.system()} {platform.release()}"
