# SPDX-License-Identifier: GPL-2.0-or-later
"""`make kernels`: the tests of the probe and of the other backends on each stock kernel."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.kernels import machine
from tests.kernels.packages import BUILD, UnreachableError, Wanted, fetch, matrix
from tests.kernels.results import KernelResult, table
from tests.marked_page import replace_part
from tests.probes.probe_process import PROBE

PAGE = ROOT / "docs/evidence/kernels.md"
# By name, so that one that is renamed is missed. Not all there are: a guest is emulated, and some
# twenty times slower than its host.
TESTS = (
    "tests/probes/test_counts.py",
    "tests/probes/test_checks.py::test_every_call_is_counted_by_every_variant",
    "tests/probes/test_32bit.py::test_a_64bit_program_may_make_32bit_calls",
    *(
        f"tests/probes/test_modes.py::{name}"
        for name in (
            "test_no_frame_is_missing_from_the_stack_at_a_break_poll",
            "test_watch_rates_and_samples",
        )
    ),
    *(
        f"tests/probes/test_life.py::{name}"
        for name in (
            "test_a_target_that_exits_is_reported_and_ends_the_probe",
            "test_exec_keeps_the_process_and_reports_it_again",
            "test_the_probe_ends_at_once_when_its_reader_is_killed",
            "test_a_killed_probe_leaves_no_bpf_programs",
            "test_privileges_are_given_up",
            "test_two_probes_do_not_disturb_each_other",
        )
    ),
    *(
        f"tests/probes/test_choice.py::{name}"
        for name in (
            "test_processes_selected_by_name_running_and_new",
            "test_processes_selected_by_cgroup",
        )
    ),
    *(
        f"tests/probes/test_off_cpu.py::{name}"
        for name in (
            "test_blocked_as_long_as_the_sleeper_measures[tp_btf-nanosleep]",
            "test_blocked_as_long_as_the_sleeper_measures[raw_tp-nanosleep]",
            "test_blocked_as_long_as_the_sleeper_measures[tp_btf-futex]",
            "test_blocked_as_long_as_the_sleeper_measures[tp_btf-vfork]",
            "test_time_on_the_run_queue_agrees_with_the_scheduler",
            "test_a_thread_that_yields_is_queued_and_not_blocked",
            "test_a_sleep_that_began_before_the_probe_counts_from_the_start",
            "test_a_thread_on_a_cpu_until_the_end_has_all_its_time",
        )
    ),
    *(
        f"tests/probes/test_off_cpu_lives.py::{name}"
        for name in (
            "test_a_thread_killed_in_its_sleep_was_blocked_until_then",
            "test_threads_that_come_and_go",
            "test_a_thread_that_executes_a_program_is_followed",
            "test_user_and_kernel_frames",
        )
    ),
    "tests/probes/test_capabilities.py",
    "tests/backends/test_live.py",
    *(
        f"tests/stop_at/{name}"
        for name in (
            "test_stack.py::test_whole_stack_and_the_socket",
            "test_stack.py::test_only_break_polls_stop_it",
            "test_release.py::test_signals_reach_it_all_the_same",
            "test_release.py::test_a_stopped_process_stays_stopped",
        )
    ),
    "tests/profiles/test_stat.py::test_a_kernel_without_btf",
    "tests/scenarios/test_network.py",
)


def try_kernel(wanted: Wanted, tests: list[str], timeout_s: float, resume: bool) -> KernelResult:
    """Run these tests on a kernel, and what else is asked for it. The records are kept: with
    `resume`, what passed on this kernel with this probe is not run again."""
    result = KernelResult(wanted.name, wanted.mandatory)
    try:
        kernel = fetch(wanted)
    except UnreachableError as reason:
        result.error = f"not tried: {reason}"
        return result
    name = wanted.name.replace(" ", "-")
    console, kept = BUILD / f"{name}.console", BUILD / f"{name}.results"
    digest = hashlib.sha256(PROBE.read_bytes()).hexdigest()
    run_of = json.dumps({"probe": digest, "kernel": kernel.release})
    whole = json.dumps({"type": "whole", "tests": tests})
    lines = _need_not_be_made_again(kept, run_of, whole) if resume else []
    result.take_all(lines)
    if whole in lines:
        return result
    passed = [f"--deselect={test.id}" for test in result.tests]

    with kept.open("w", buffering=1) as keep:
        keep.writelines(f"{line}\n" for line in [run_of, *lines])

        def on_line(line: str) -> None:
            if line.startswith("{"):
                keep.write(line + "\n")
                result.take(json.loads(line))

        def run(*module: str, **options: bool) -> int:
            script = _script(module)
            return machine.run(
                kernel, script, on_line, console=console, timeout_s=timeout_s, **options
            )

        code = run("tests.kernels.guest", *tests, *passed)
        if code == machine.TIMED_OUT:
            result.error = f"not ended within {timeout_s:.0f} s; see {console.relative_to(ROOT)}"
        elif code not in (0, 1, 5) or not result.tests:  # 1: tests failed; 5: none was left
            result.error = f"exit code {code}; see {console.relative_to(ROOT)}"
        elif (
            wanted.fentry_cost
            and not result.cost
            and run("tests.kernels.fentry_cost", count_instructions=True)
        ):
            result.error = f"fentry's cost was not measured; see {console.relative_to(ROOT)}"
        else:
            keep.write(whole + "\n")
    return result


def kept_result(wanted: Wanted) -> KernelResult:
    """The result of the last run on a kernel, with whatever probe; nothing is run."""
    result = KernelResult(wanted.name, wanted.mandatory)
    kept = BUILD / f"{wanted.name.replace(' ', '-')}.results"
    _, *lines = kept.read_text().splitlines() if kept.exists() else [""]
    result.take_all(lines)
    if not lines:
        result.error = "not tried"
    elif json.loads(lines[-1])["type"] != "whole":
        result.error = "broken off before its end"
    return result


def _need_not_be_made_again(kept: Path, run_of: str, whole: str) -> list[str]:
    """The records of a run of the same: all, with the mark `whole` among them, where it came to
    its end and nothing failed; else those of what passed, or failed as was expected: what was
    skipped may have been for want of time."""
    first, *lines = kept.read_text().splitlines() if kept.exists() else [""]
    if first != run_of:
        return []
    records = [json.loads(line) for line in lines]
    if whole in lines and all(each.get("outcome") != "failed" for each in records):
        return lines
    tests = tuple(json.loads(whole)["tests"])

    def is_done(record: dict[str, Any]) -> bool:
        if record["type"] != "test":
            return bool(record["type"] != "whole")
        return bool(record["outcome"] in {"passed", "xfailed"} and record["id"].startswith(tests))

    return [line for line, record in zip(lines, records, strict=True) if is_done(record)]


def _script(module: Sequence[str]) -> str:
    command = [sys.executable, "-m", *module]
    return f"""
        export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
        export LANG=C.UTF-8 PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONDONTWRITEBYTECODE=1
        export POLLTRACE_PATIENCE_S=900
        cd {shlex.quote(str(ROOT))} && exec {shlex.join(command)}
    """


def main() -> int:
    parser = argparse.ArgumentParser(prog="make kernels", description=__doc__)
    parser.add_argument("--only", metavar="REGEX", default="", help="kernels of that name")
    parser.add_argument("--timeout", type=float, default=2400, help="seconds for each [2400]")
    parser.add_argument("--resume", action="store_true", help="leave out what passed before")
    parser.add_argument("--kept", action="store_true", help="run nothing: the last runs' table")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    parser.add_argument("tests", nargs="*", default=list(TESTS), help="other tests than the usual")
    arguments = parser.parse_args()
    if lacks := machine.missing_tools():
        print(f"kernels: missing {', '.join(lacks)}: ./setup.sh --tests", file=sys.stderr)
        return 4
    results = []
    for wanted in matrix():
        if not re.search(arguments.only, wanted.name):
            continue
        start = time.monotonic()
        if arguments.kept:
            result = kept_result(wanted)
        else:
            result = try_kernel(wanted, arguments.tests, arguments.timeout, arguments.resume)
        took = time.monotonic() - start
        passed = sum(test.outcome == "passed" for test in result.tests)
        summary = (
            result.error or f"{result.release}: {passed} passed, {len(result.failures)} failed"
        )
        print(f"kernels: {wanted.name}: {summary} ({took:.0f} s)", flush=True)
        results.append(result)
    print("\n" + table(results))
    if arguments.write:
        replace_part(PAGE, "make kernels", table(results))
    return int(any(result.is_bad for result in results))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
