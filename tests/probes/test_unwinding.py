# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks of programs with and without frame pointers, address by address against gdb's.

All programs run at once, so that each of gdb and the three kinds of stacks is started once.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import missing
from tests.probes.conftest import TARGETS
from tests.probes.probe_process import Probe, Record, counts, read_line

StartProbe = Callable[..., Probe]

WITHOUT, WITH = "-fomit-frame-pointer", "-fno-omit-frame-pointer"
PROGRAMS = [
    *(
        ("plain", level, pointers)
        for level in ("-O0", "-O1", "-O3")
        for pointers in (WITHOUT, WITH)
    ),
    ("plain", "-O2", WITHOUT, "-no-pie"),
    ("plain", "-O2", WITHOUT, "-static"),
    ("plain", "-O2", WITHOUT, "-fcf-protection=full", "-Wl,-z,lazy"),
    ("thread", "-O2", WITHOUT),
    ("thread", "-O2", WITHOUT, "-static"),
    ("signal", "-O2", WITHOUT),
    ("altstack", "-O2", WITHOUT),
]
GDB = """
import gdb, json
for inferior_thread in gdb.selected_inferior().threads():
    inferior_thread.switch()
    frame, frames = gdb.newest_frame(), []
    while frame is not None:
        # The others are functions that were inlined, or left by a jump: not on the stack.
        if frame.type() in (gdb.NORMAL_FRAME, gdb.SIGTRAMP_FRAME):
            frames.append([frame.pc(), frame.name()])
        frame = frame.older()
    print("STACK", json.dumps(frames))
"""


@dataclass(frozen=True)
class RunningProgram:
    """A program, and the addresses outwards of `lib_poll` as gdb finds them."""

    pid: int
    title: str
    callers: tuple[int, ...]


def gdb_callers(pid: int, script: Path) -> tuple[int, ...]:
    done = subprocess.run(
        [
            *("gdb", "-nx", "-batch", "-p", str(pid)),
            *("-ex", "set backtrace past-main on", "-ex", "set backtrace past-entry on"),
            *("-x", str(script)),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    stacks = [json.loads(line[6:]) for line in done.stdout.splitlines() if line[:5] == "STACK"]
    for stack in stacks:
        names = [name for _, name in stack]
        if "lib_poll" in names:
            return tuple(pc for pc, _ in stack[names.index("lib_poll") + 1 :])
    raise AssertionError(f"gdb found no lib_poll: {stacks}")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RunningProgram]]:
    if shutil.which("gdb") is None:
        missing("gdb is not installed: ./setup.sh --tests")
    folder = tmp_path_factory.mktemp("callers")
    script = folder / "frames.py"
    script.write_text(GDB)
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for number, (where, *flags) in enumerate(PROGRAMS):
            output = folder / f"callers{number}"
            source = str(TARGETS / "callers.c")
            warnings = ("-Wall", "-Wextra", "-Werror")
            command = ["gcc", "-std=gnu11", *warnings, "-pthread", *flags, source]
            subprocess.run([*command, "-o", str(output)], check=True)
            processes.append(subprocess.Popen([output, where], stdout=subprocess.PIPE, bufsize=0))
            assert read_line(processes[-1].stdout) == "ready\n"
        yield [
            RunningProgram(
                process.pid,
                " ".join(program),
                gdb_callers(process.pid, script),
            )
            for process, program in zip(processes, PROGRAMS, strict=True)
        ]
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def callers_of(stack: Record, program: RunningProgram) -> bool:
    return tuple(stack["addresses"][-len(program.callers) :]) == program.callers


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("poll", ["--stacks", "1"]),
        ("cpu", ["--watch", "--hz", "999", "--gap", "0.05"]),
        ("offcpu", ["--off-cpu"]),
    ],
)
def test_every_stack_has_the_callers_that_gdb_finds(
    kind: str, options: list[str], programs: list[RunningProgram], start_probe: StartProbe
) -> None:
    pids = ",".join(str(program.pid) for program in programs)
    probe = start_probe("-p", pids, "-i", "0.3", *options)
    assert probe.records[0]["unwinder"] == "tables"

    def seen_often(frame: Record) -> bool:
        return all(
            sum(
                stack["count"]
                for stack in counts(frame, program.pid)["stacks"]
                if callers_of(stack, program)
            )
            >= 5
            for program in programs
        )

    frame = probe.wait_for("frame", seen_often)
    assert frame["lost"]["unwind_tables"] == 0
    for program in programs:
        for stack in counts(frame, program.pid)["stacks"]:
            if not stack["addresses"]:  # out before the probe attached
                continue
            assert stack["kind"] == kind
            assert stack["stop"] == "start", (program.title, stack)
            assert "f" not in stack["found"], (program.title, stack)
            assert len(stack["found"]) == len(stack["addresses"])
