# SPDX-License-Identifier: GPL-2.0-or-later
"""`make kernels` without a kernel: which tests are repeated, and the table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kernels import machine, matrix
from tests.kernels.packages import Unpacked, UnreachableError, Wanted
from tests.kernels.results import KernelResult, table

WANTED = Wanted("6.1 cloud", "linux-image")
COUNTS = "tests/probes/test_counts.py::test_counts[fentry-direct]"


class Guests:
    """Replaces machine.run: each prints these outcomes of one test, then exits with `code`."""

    def __init__(self, *outcomes: str, code: int = 0) -> None:
        self.outcomes, self.code, self.booted, self.script = list(outcomes), code, 0, ""

    def run(
        self, _kernel: Unpacked, script: str, on_line: Callable[[str], None], **_: object
    ) -> int:
        self.booted += 1
        self.script = script
        test = {"id": COUNTS, "outcome": self.outcomes.pop(0), "why": "", "seconds": 1.0}
        on_line(json.dumps({"type": "kernel", "release": "6.1.0", "variants": {"fentry": "yes"}}))
        on_line("noise")
        on_line(json.dumps({"type": "test", **test}))
        return self.code


@pytest.fixture
def boot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Guests, str], KernelResult]:
    probe = tmp_path / "probe"
    monkeypatch.setattr(matrix, "BUILD", tmp_path)
    monkeypatch.setattr(matrix, "ROOT", tmp_path)
    monkeypatch.setattr(matrix, "PROBE", probe)
    monkeypatch.setattr(matrix, "fetch", lambda _: Unpacked(tmp_path, "6.1.0", tmp_path / "image"))

    def boot_(guests: Guests, build: str) -> KernelResult:
        probe.write_text(build)
        monkeypatch.setattr(machine, "run", guests.run)
        return matrix.try_kernel(WANTED, ["tests"], 1, resume=True)

    return boot_


def test_passed_tests_are_not_run_again(boot: Callable[[Guests, str], KernelResult]) -> None:
    guests = Guests("passed", "passed")
    first, second = boot(guests, "a build"), boot(guests, "a build")
    assert (guests.booted, second) == (1, first)
    assert matrix.kept_result(WANTED) == first
    # AND with another probe they are
    assert boot(guests, "another build") == first
    assert guests.booted == 2


@pytest.mark.parametrize(("outcome", "code"), [("failed", 1), ("passed", 124), ("passed", 9)])
def test_a_failed_or_ended_run_is_repeated(
    boot: Callable[[Guests, str], KernelResult], outcome: str, code: int
) -> None:
    guests = Guests(outcome, outcome, code=code)
    assert boot(guests, "a build").is_bad
    assert boot(guests, "a build").is_bad
    assert guests.booted == 2
    # AND its passed tests are left out
    assert ("--deselect" in guests.script) == (outcome == "passed")
    # AND the kept result shows it
    kept = matrix.kept_result(WANTED)
    assert (kept.is_bad, [test.outcome for test in kept.tests][-1]) == (True, outcome)
    assert bool(kept.error) == (code != 1)


def test_the_table(boot: Callable[[Guests, str], KernelResult]) -> None:
    good = boot(Guests("passed"), "a build")
    bad = boot(Guests("failed", code=1), "another build")
    expected = boot(Guests("xfailed"), "a third build")
    printed = table(
        [good, bad, expected, KernelResult("7", mandatory=False, error="not tried: no suite")]
    )
    assert "| yes (1) | **1 of 1 fail** | **1 of 1 fail, as told below** |" in printed
    assert "- 7: not tried: no suite" in printed


def test_a_kernel_that_cannot_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(_: Wanted) -> Unpacked:
        raise UnreachableError("no such suite")

    monkeypatch.setattr(matrix, "fetch", fetch)
    elsewhere = Wanted("7", "linux-image", suite="trixie-backports")
    results = [matrix.try_kernel(each, [], 1, resume=False) for each in (WANTED, elsewhere)]
    assert [result.error for result in results] == ["not tried: no such suite"] * 2
    # AND only one of the machine's own package sources must be there
    assert [result.is_bad for result in results] == [True, False]
