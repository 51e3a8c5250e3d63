# SPDX-License-Identifier: GPL-2.0-or-later
"""Polls of 32-bit programs are counted as exactly as others, or reported as not seen."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.probes.conftest import TARGETS, need_mode
from tests.probes.probe_process import Probe, Target, counts

StartProbe = Callable[..., Probe]

# One command of targets/poller32.c.
BREAK_POLLS = 20011 + 1009 + 1013
OTHER_POLLS = 3 + 1019 + 17 + 1021


@pytest.fixture(scope="session")
def poller32(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("targets") / "poller32"
    subprocess.run(
        [
            *("gcc", "-m32", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"),
            *("-nostdlib", "-static", "-ffreestanding", "-fno-pic", "-no-pie"),
            *("-fno-stack-protector", "-fno-omit-frame-pointer", "-Wl,--build-id=none"),
            *(str(TARGETS / "poller32.c"), "-o", str(output)),
        ],
        check=True,
    )
    return output


@pytest.fixture
def target32(poller32: Path) -> Iterator[Target]:
    try:
        target = Target.start(poller32)
    except OSError:
        pytest.skip("this kernel runs no 32-bit programs")
    yield target
    target.close()


@pytest.mark.parametrize("mode", [[], ["--latency"], ["-c"]], ids=["count", "time", "syscalls"])
def test_a_32bit_program(
    mode: list[str], variant: str, target32: Target, start_probe: StartProbe
) -> None:
    need_mode(variant, *mode or [""])
    probe = start_probe("-p", str(target32.pid), "--variant", variant, *mode)
    fd = target32.do("go")
    frame = probe.stop()
    found = counts(frame, target32.pid)

    assert (found["break_polls"], found["other_polls"]) == (BREAK_POLLS, OTHER_POLLS)
    assert [(s["fd"], s["kind"], s["polls"]) for s in found["sockets"]] == [
        (fd, "unix", BREAK_POLLS)
    ]
    assert frame["lost"]["user_reads"] == 0
    if mode == ["--latency"]:
        assert sum(bucket[2] for bucket in found["times_ns"]["duration"]) == BREAK_POLLS
    if mode == ["-c"]:
        # And 1031 of waitpid, the answer, and up to two reads.
        assert found["calls_32bit"] - (BREAK_POLLS + OTHER_POLLS + 1031 + 1) in (0, 1, 2)
        assert found["syscalls"] == []


def test_a_32bit_program_is_counted_in_windows(target32: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(target32.pid), "--watch", "--gap", "0.01", "-i", "0.1")
    target32.do("go")
    while counts(probe.read_until("frame"), target32.pid)["break_polls"] == 0:
        target32.do("go")
    probe.stop()


def test_a_64bit_program_may_make_32bit_calls(
    variant: str, target: Target, start_probe: StartProbe
) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--variant", variant)
    target.do(f"poll32 {fd} 2003")
    target.do(f"poll {fd} 1009 0")
    found = counts(probe.stop(), target.pid)
    assert (found["break_polls"], found["other_polls"]) == (2003 + 1009, 0)


def test_stacks_of_a_32bit_program(target32: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(target32.pid), "--stacks", "100")
    target32.do("go")
    found = counts(probe.stop(), target32.pid)
    polls = sum(stack["polls"] for stack in found["stacks"])
    assert 0.5 * BREAK_POLLS < polls < 2 * BREAK_POLLS
    assert all(address < 1 << 32 for stack in found["stacks"] for address in stack["addresses"])
