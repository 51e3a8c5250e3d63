# SPDX-License-Identifier: GPL-2.0-or-later
"""Load clients are woken on time, and nothing else of polltrace is changed by that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# In a process of its own, so that another test's threads are not asked.
ASK = """
import ctypes, subprocess, sys
from polltrace.scenarios.load.punctual import _attributes, punctual_children
own = lambda: (ctypes.CDLL(None).prctl(30, 0, 0, 0, 0), _attributes()[5])
if len(sys.argv) > 1:
    print(*own())
else:
    before = own()
    with punctual_children():
        print(subprocess.check_output([sys.executable, __file__, "child"], text=True).strip())
    print(own() == before)
"""


def test_children_sleep_without_slack_and_run_at_once(tmp_path: Path) -> None:
    program = tmp_path / "ask.py"
    program.write_text(ASK)
    child, same = subprocess.check_output([sys.executable, str(program)], text=True).splitlines()
    slack_ns, slice_ns = map(int, child.split())
    assert slack_ns == 1000
    # 0: a kernel before 6.12, which has no slice of a process's own.
    assert slice_ns in (0, 100_000)
    assert same == "True"
