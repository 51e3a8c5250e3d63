# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs inside the guest: what this kernel offers and how the tests went, as JSON Lines.

`kernel`: `release`, and `variants`, each "yes" or why not. `test`: `id`, `outcome` ("passed",
"failed", "skipped", "xfailed": as badly as was expected there), `why` (of those that did not
pass), `seconds`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, TextIO

import pytest

from tests.conftest import ROOT

PROBE = ROOT / "probes" / "build" / "polltrace-probe"


class Reporter:
    """A pytest plugin that writes a record for each test that ended."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def write(self, **record: Any) -> None:
        self._out.write(json.dumps(record) + "\n")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # A set-up that failed or skipped has no call; a tear-down counts where it failed.
        if report.when != "call" and report.passed:
            return
        self.write(
            type="test",
            id=report.nodeid,
            outcome="xfailed" if hasattr(report, "wasxfail") else report.outcome,
            why=_why(report),
            seconds=round(report.duration, 1),
        )


def _why(report: pytest.TestReport) -> str:
    if report.passed:
        return ""
    if reason := getattr(report, "wasxfail", ""):
        return str(reason).removeprefix("reason: ")
    if isinstance(report.longrepr, tuple):  # a skip: file, line, reason
        return str(report.longrepr[2]).removeprefix("Skipped: ").replace(f"{ROOT}/", "")
    lines = report.longreprtext.strip().splitlines() or [""]
    return lines[-1].replace(f"{ROOT}/", "")  # not where this checkout happens to be


def variants() -> dict[str, str]:
    done = subprocess.run([PROBE, "--variants"], capture_output=True, text=True, check=False)
    lines = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    return {name: answer.strip() for name, answer in lines}


def main(argv: list[str]) -> int:
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # pytest's own output is for the console
    reporter = Reporter(out)
    reporter.write(type="kernel", release=os.uname().release, variants=variants())
    options = ["-p", "no:cacheprovider", "--tb=short"]
    return int(pytest.main([*options, *argv], plugins=[reporter]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
