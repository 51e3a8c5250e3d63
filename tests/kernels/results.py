# SPDX-License-Identifier: GPL-2.0-or-later
"""The results of one kernel, and the table of all of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

VARIANTS = ("fentry", "tp_btf", "raw_tp", "kprobe")
# The tests of each row of the table, by a pattern of their names. The first that matches has it.
ROWS = {
    "BTF hidden": "without_btf",
    "CAP_BPF and CAP_PERFMON alone": r"test_capabilities",
    "the hidden frame is found": r"no_frame_is_missing",
    "off CPU": r"tests/probes/test_off_cpu",
    **{name: rf"tests/probes/.*\[(?:.*-)?{name}(?:-.*)?\]" for name in VARIANTS},
    "attach, end, `kill -9`": r"tests/probes/test_life",
    "the probe's other tests": r"tests/probes/",
    "backend bcc": r"tests/backends/.*bcc",
    "backend ptrace": r"tests/backends/.*ptrace",
    "backend ebpf, `polltrace stat`": r"tests/(backends|polltrace)/",
    "`stop-at` (ptrace)": r"tests/stop_at/",
    "network paths by `tc netem`": r"tests/scenarios/test_network",
}


@dataclass(frozen=True)
class TestResult:
    id: str
    outcome: str
    why: str
    seconds: float


@dataclass
class KernelResult:
    """One kernel's; `error` is why it could not be tried, or to its end, else empty."""

    name: str
    mandatory: bool
    release: str = ""
    variants: dict[str, str] = field(default_factory=dict)
    tests: list[TestResult] = field(default_factory=list)
    cost: dict[str, float] = field(default_factory=dict)
    error: str = ""

    def take(self, record: dict[str, Any]) -> None:
        """A record of guest.py."""
        rest = {key: value for key, value in record.items() if key != "type"}
        match record["type"]:
            case "kernel":
                self.release, self.variants = rest["release"], rest["variants"]
            case "test":
                self.tests.append(TestResult(**rest))
            case "cost":
                self.cost = rest

    def take_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.take(json.loads(line))

    @property
    def failures(self) -> list[TestResult]:
        return [test for test in self.tests if test.outcome == "failed"]

    @property
    def is_bad(self) -> bool:
        """A test failed, or a kernel that must be tried was not tried to the end."""
        return bool(self.failures or (self.error and (self.mandatory or self.release)))


def row_of(test: TestResult) -> str:
    return next((title for title, pattern in ROWS.items() if re.search(pattern, test.id)), "rest")


def _cell(result: KernelResult, title: str) -> str:
    tests = [test for test in result.tests if row_of(test) == title]
    count = Counter(test.outcome for test in tests)
    if count["failed"]:
        return f"**{count['failed']} of {len(tests)} fail**"
    if count["xfailed"]:
        return f"**{count['xfailed']} of {len(tests)} fail, as told below**"
    if count["passed"]:
        skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
        return f"yes ({count['passed']}{skipped})"
    return "skipped" if tests else "not run" if result.error else "no"


def table(results: Sequence[KernelResult]) -> str:
    """Markdown: what works on which kernel, and below it what was left out, failed or skipped."""
    tried = [result for result in results if result.tests]
    lines = [
        "| | " + " | ".join(result.name for result in tried) + " |",
        "|---|" + "---|" * len(tried),
        "| `uname -r` | " + " | ".join(result.release for result in tried) + " |",
    ]
    lines += [
        f"| {title} | " + " | ".join(_cell(result, title) for result in tried) + " |"
        for title in ROWS
        if any(row_of(test) == title for result in tried for test in result.tests)
    ]
    notes = [note for result in results for note in _notes(result)]
    return "\n".join([*lines, "", *(f"- {note}" for note in notes), ""])


def _notes(result: KernelResult) -> Iterable[str]:
    if result.error:
        yield f"{result.name}: {result.error}"
    for variant, answer in result.variants.items():
        if answer != "yes":
            yield f"{result.name}: {variant}: {answer}"
    for outcome in ("failed", "xfailed", "skipped"):
        reasons: dict[str, list[str]] = {}
        for test in result.tests:
            if test.outcome == outcome:
                reasons.setdefault(test.why, []).append(test.id.rpartition("::")[2])
        for why, names in reasons.items():
            shown = ", ".join(f"`{name}`" for name in names[:3])
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            yield f"{result.name}: {outcome.removeprefix('x')}: {shown}{more}: {why}"
    if result.cost:
        yield (
            f"{result.name}, emulated, so only as ratios: a poll of the watched process takes "
            f"{result.cost['watched']} under fentry, {result.cost['watched_kprobe']} under kprobe "
            f"and {result.cost['watched_untraced']} with nothing attached, tp_btf being 1; a "
            f"system call of a process that is not watched {result.cost['others']}, "
            f"{result.cost['others_kprobe']} and {result.cost['others_untraced']}."
        )
