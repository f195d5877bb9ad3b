# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""Runs the SQL session of a documentation page in the sqlite3 shell, and compares the output with that in the page.

    python3 sessions.py FOLDER PAGE
"""

import os
import re
import subprocess
import sys

folder, page = sys.argv[1:]
database = os.path.join(os.environ["KEYED_CORPUS"], "databases", "mvt-project__mvt--Manifest.db")
if not os.path.exists(database):
    print(f"{database} does not exist: the session is not run.")
    sys.exit()
with open(page, encoding="utf-8") as file:
    text = file.read()
statements = re.search(r"```sql\n(.*?)```", text, re.DOTALL).group(1)
expected = re.search(r"```text\n(.*?)```", text, re.DOTALL).group(1)
run = subprocess.run(
    ["sqlite3", "-bail", "-readonly", database], input=f".load {folder}/keyed_sqlite\n{statements}",
    capture_output=True, text=True, timeout=600)
if run.returncode or run.stdout != expected:
    sys.exit(f"expected:\n{expected}found:\n{run.stdout}{run.stderr}")
print("The output of the SQL session matches the page.")
