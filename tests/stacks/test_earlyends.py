# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks that end early, from a program that has frame pointers and one that has lost them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polltrace.stacks import Frame, Symbolizer
from polltrace.stacks.earlyends import (
    Walk,
    early_ends,
    is_complete,
    to_its_end,
    up_to_beginning,
)
from polltrace.stacks.walked import StackStop
from tests.stacks.conftest import TARGETS

LIBC = "/usr/lib/x86_64-linux-gnu/libc.so.6"


def frame(name: str, module: str = "/opt/bin/oracle") -> Frame:
    return Frame(name, module, 0, 0)


def test_real_walks(build: Callable[..., Path], run: Callable[..., Any]) -> None:
    target = build("nofp")
    whole, broken = run(target), run(target, "without")
    symbolizer = Symbolizer()
    stacks = [
        Walk(symbolizer.user(whole.pid, whole.addresses), 3),
        Walk(symbolizer.user(broken.pid, broken.addresses), 1),
    ]
    assert [f.name for f in stacks[0].frames][:2] == ["walks", "main"]
    assert [f.name for f in stacks[1].frames] == ["walks", "overwrites"]
    found = early_ends(stacks)
    assert (found.samples, found.early) == (4, 1)
    assert found.by_object == {str(target): 1}
    assert str(found) == (
        "25.0 % of the stacks end early, 100 % of these in nofp (no frame pointers?)"
    )


def test_a_static_program(build: Callable[..., Path], run: Callable[..., Any]) -> None:
    whole = run(build("nofp", "-static"))
    frames = Symbolizer().user(whole.pid, whole.addresses)
    assert [f.name for f in frames][:2] == ["walks", "main"]
    assert is_complete(frames)


def test_nothing_is_before_the_beginning() -> None:
    # GIVEN what a walk finds in a static program: libc's code before main has the address of
    # .init_array in the register, so an entry of that looks like a return address
    found = [frame("f"), frame("main"), frame("__libc_start_call_main"), frame("frame_dummy")]
    assert up_to_beginning(found) == found[:3]
    assert up_to_beginning(found[:3]) == found[:3]


def test_what_starts_the_start_of_a_thread_is_kept() -> None:
    thread = [frame("f"), frame("start_thread", LIBC), frame("clone3", LIBC)]
    assert up_to_beginning(thread) == thread
    # AND a program may call its own main
    again = [frame("f"), frame("main"), frame("g"), frame("main")]
    assert up_to_beginning(again) == again


def test_a_static_program_without_names_may_have_ended_early(
    build: Callable[..., Path], run: Callable[..., Any]
) -> None:
    running = run(build("nofp", "-static", "-s"))
    frames = Symbolizer().user(running.pid, running.addresses)
    assert not any(f.named for f in frames)
    assert str(early_ends([Walk(frames, 2)])) == (
        f"100.0 % of the stacks end early, 100 % of these in {Path(frames[-1].module).name} "
        "(without names it may be the beginning)"
    )


def test_a_goroutine(tmp_path: Path, run: Callable[..., Any]) -> None:
    if (go := shutil.which("go")) is None:
        pytest.skip("go is not installed")
    program, source = tmp_path / "goroutine", TARGETS / "goroutine.go"
    subprocess.run([go, "build", "-o", program, source], check=True)
    running = run(program)
    frames = Symbolizer().user(running.pid, running.addresses)
    assert [f.name for f in frames] == ["main.walks", "runtime.goexit.abi0"]
    assert is_complete(frames)
    assert not is_complete(frames[:1])


def test_a_thread_start_is_no_beginning_where_it_was_called() -> None:
    # GIVEN a stack that stands in clone, of a program without frame pointers
    assert not is_complete([frame("clone", LIBC), frame("pthread_create", LIBC), frame("f")])
    assert not is_complete([frame("clone3", LIBC)])
    assert is_complete([frame("f"), frame("start", "/lib/ld-musl-x86_64.so.1"), frame("__clone")])


def test_all_complete() -> None:
    found = early_ends([Walk([frame("poll", LIBC), frame("main")], 7)])
    assert found.share == 0.0
    assert str(found) == "every stack reaches the beginning of its program"
    assert early_ends([]).share == 0.0


def test_beginnings_without_names() -> None:
    nameless_libc = frame("[libc.so.6+0x2724a]", LIBC)
    assert is_complete([frame("[oracle+0x10]"), nameless_libc])
    assert not is_complete([nameless_libc])
    assert not is_complete([frame("[libc.so.6+0x10]", LIBC), nameless_libc])
    assert not is_complete([frame("poll", LIBC), frame("[oracle+0x10]")])
    assert not is_complete([])


def test_empty_stacks_are_early_nowhere_known() -> None:
    found = early_ends([Walk([], 2)])
    assert found.by_object == {"": 2}
    assert str(found).endswith("100 % of these in unknown memory (no frame pointers?)")


def test_guessed_frames_are_counted_although_the_stack_reaches_main() -> None:
    stack = [frame("f"), frame("g"), frame("main")]
    ends = early_ends([Walk(stack, 3, "rtt", StackStop.START), Walk(stack, 1, "rtf")])
    assert (ends.early, ends.guessed) == (0, 1)
    assert str(ends) == (
        "every stack reaches the beginning of its program; frames may be missing in 25.0 % of them,"
        " by frame pointers alone"
    )


def test_a_start_by_the_rules_needs_no_name() -> None:
    nameless = [frame("[oracle+0x10]"), frame("[oracle+0x20]")]
    ends = early_ends([Walk(nameless, 1, "rt", StackStop.START)])
    assert str(ends) == "every stack reaches the beginning of its program"
    assert to_its_end(nameless, StackStop.START) == nameless


def test_a_stack_that_ends_early_says_why() -> None:
    cut = [frame("f"), frame("g")]
    assert [f.name for f in to_its_end(cut, StackStop.NO_RULES)] == [
        "f",
        "g",
        "[stack ends: no unwind table]",
    ]
    assert to_its_end(cut, StackStop.UNKNOWN)[-1].name == "[stack ends: no frame pointer?]"
    assert to_its_end([*cut, frame("main")], StackStop.UNKNOWN)[-1].name == "main"
    assert list(to_its_end([], StackStop.UNKNOWN)) == []
    ends = early_ends([Walk(cut, 3, "rt", StackStop.NO_RULES), Walk(cut, 1)])
    assert ends.by_reason == {"no unwind table": 3}
    assert str(ends).endswith("100 % of these in oracle (no unwind table)")


def test_every_reason_has_words() -> None:
    assert {to_its_end([frame("f")], stop)[-1].name for stop in StackStop} > {"f"}
    assert len({to_its_end([frame("f")], stop)[-1].name for stop in StackStop}) == len(StackStop)
