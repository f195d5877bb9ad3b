# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Writes the wheel: the sources of the package and its compiled core. Needs only the standard library and `objdump`.

    python3 Python/wheel.py CORE FOLDER

Removes other wheels of the package from FOLDER. The platform tag names the newest glibc version whose symbols the core
uses.
"""

import base64
import glob
import hashlib
import os
import platform
import re
import subprocess
import sys
import zipfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "keyedarchive")


def version():
    with open(os.path.join(ROOT, "__init__.py"), encoding="utf-8") as file:
        return re.search(r'^__version__ = "(.*)"', file.read(), re.MULTILINE).group(1)


def glibc(core):
    """Returns the newest glibc version that a file needs, as (major, minor)."""
    symbols = subprocess.run(["objdump", "-T", core], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"GLIBC_(\d+)\.(\d+)", symbols)
    return max((int(major), int(minor)) for major, minor in found)


def entries(core):
    for folder, _, names in sorted(os.walk(ROOT)):
        for name in sorted(names):
            if name.endswith((".py", ".pyi", ".typed")):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    yield os.path.relpath(path, os.path.dirname(ROOT)), file.read()
    with open(core, "rb") as file:
        yield "keyedarchive/_core.abi3.so", file.read()


def main(core, folder):
    number = version()
    major, minor = glibc(core)
    tag = f"cp310-abi3-manylinux_{major}_{minor}_{platform.machine()}"
    info = f"keyedarchive-{number}.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: keyedarchive\nVersion: {number}\n"
        "Summary: Property lists and keyed archives (NSKeyedArchiver)\nLicense: Apache-2.0\n"
        "Requires-Python: >=3.10\n")
    wheel = f"Wheel-Version: 1.0\nGenerator: keyedarchive\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = [*entries(core), (f"{info}/METADATA", metadata.encode()), (f"{info}/WHEEL", wheel.encode())]
    record = []
    for old in glob.glob(os.path.join(glob.escape(folder), "keyedarchive-*.whl")):
        os.remove(old)
    path = os.path.join(folder, f"keyedarchive-{number}-{tag}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
            # All files have the same date, so that identical sources give identical wheels.
            item = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            item.compress_type = zipfile.ZIP_DEFLATED
            item.external_attr = 0o644 << 16
            archive.writestr(item, data)
        record.append(f"{info}/RECORD,,")
        archive.writestr(zipfile.ZipInfo(f"{info}/RECORD", (2020, 1, 1, 0, 0, 0)), "\n".join(record) + "\n")
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
