# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stop-at` shows the stack at the call, of programs with frame pointers and without."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polltrace.stop_at.arguments import call_text
from polltrace.stop_at.callframes import Rules, rules_at
from polltrace.stop_at.capture import Capture, StackCopy
from polltrace.stop_at.syscalls import NAMES
from polltrace.stop_at.unwind import MOST_FRAMES, walk
from tests.stop_at.stopped_target import FLAGS, StoppedTarget
from tests.waiting import until

Run = Callable[..., subprocess.CompletedProcess[str]]
PATIENT = ("-d", "60", "--longest-stop", "10s")  # this machine may be busy
CHAIN = ["poll", "sntpoltsts", "snttmoredata", "nsmore2recv", "poll_often"]


def stop(run: Run, target: StoppedTarget, *options: str) -> dict[str, object]:
    ended = run("stop-at", "poll", "-p", str(target.pid), "--json", *PATIENT, *options)
    assert ended.stderr == ""
    assert ended.returncode == 0
    found: dict[str, object] = json.loads(ended.stdout)
    return found


def functions(seen: dict[str, object]) -> list[str]:
    frames = seen["frames"]
    assert isinstance(frames, list)
    return [frame["function"] for frame in frames]


@pytest.mark.parametrize("kind", FLAGS)
def test_whole_stack_and_the_socket(
    run: Run, start_target: Callable[..., StoppedTarget], kind: str
) -> None:
    target = start_target(kind)
    fd = target.poll_for_ever()
    seen = stop(run, target)
    assert functions(seen)[:6] == [*CHAIN, "main"]
    assert functions(seen)[-1] == "_start"
    assert seen["whole"]
    assert seen["syscall"] == "poll"
    assert isinstance(seen["arguments"], list)
    assert seen["arguments"][1:] == ["0x1", "0x0"]
    assert isinstance(seen["socket"], dict)
    assert (seen["socket"]["fd"], seen["socket"]["kind"]) == (fd, "tcp")
    assert seen["socket"]["peer"].startswith("127.0.0.1:")
    target.assert_free()


def test_in_a_thread_libc_polls_in_another_way(run: Run, target: StoppedTarget) -> None:
    fd = target.do("open unix")
    target.begin(f"threads {fd} {10**12} 3")
    seen = stop(run, target)
    assert functions(seen)[: len(CHAIN)] == CHAIN
    assert "poll_share" in functions(seen)
    target.assert_free()


def test_the_stop_is_short(run: Run, poller: StoppedTarget) -> None:
    # On a busy machine many a stop is as long as the wait for a processor; some are not.
    until(lambda: float(str(stop(run, poller)["stopped_ms"])) < 50, "a short stop")
    poller.assert_free()


def test_only_break_polls_stop_it(run: Run, target: StoppedTarget) -> None:
    # GIVEN a process that polls a pipe, two descriptors, and with a timeout, then exits
    pipe, tcp = target.do("open pipe"), target.do("open tcp")
    for command in (f"poll {pipe} 7 0", f"poll {tcp} 7 1", f"many {tcp} 7"):
        target.begin(command)
    target.begin(f"ppoll {tcp} 7 soon")
    target.begin(f"ppoll {tcp} {10**12} zero")
    # THEN it is stopped at the ppoll that is a break poll
    seen = stop(run, target)
    assert seen["syscall"] == "ppoll"
    target.assert_free()


def test_any_system_call(run: Run, target: StoppedTarget) -> None:
    target.begin(f"getppid 0 {10**12}")
    seen = stop(run, target, "--syscall", "getppid")
    assert (seen["syscall"], seen["arguments"], seen["socket"]) == ("getppid", [], None)
    target.assert_free()


def test_the_text(run: Run, poller: StoppedTarget) -> None:
    ended = run("stop-at", "-p", str(poller.pid), *PATIENT)
    first, second, *rest = ended.stdout.splitlines()
    assert first.startswith(f"{poller.pid}: ")
    assert second.startswith("break poll of fd ")
    assert rest[0].split()[1].startswith("poll+0x")
    fd = second.split("fd ")[1].partition(":")[0]
    assert rest[0].endswith(f"poll(ufds=<pollfd fd={fd}, events=1, revents=0>, nfds=1, timeout=0)")
    assert rest[1].split()[1].startswith("sntpoltsts+0x")
    assert "runs on" in rest[-1]


@given(st.binary(), st.integers(0, 1 << 64), st.integers(0, 1 << 64))
def test_call_frame_rules_are_hostile_input(data: bytes, fde: int, pc: int) -> None:
    for at in (0, fde):
        try:
            rules_at(data, 0, at, pc)
        except ValueError:
            continue


WORDS = st.integers(0, (1 << 64) - 1)
STACK = 0x7FFD0000


@settings(max_examples=1000, deadline=None)
@given(st.sampled_from(sorted(NAMES)), st.lists(WORDS, min_size=6, max_size=6), st.binary())
def test_arguments_are_hostile_input(number: int, words: list[int], memory: bytes) -> None:
    # GIVEN arguments of which every other points into the stack
    arguments = tuple(STACK + word % 64 if at % 2 else word for at, word in enumerate(words))
    copy = StackCopy(0x400000, STACK, {}, memory)
    with io.StringIO() as errors, contextlib.redirect_stderr(errors):
        text = call_text(Capture(1, number, arguments, copy, None, 0, 0, 0))
        assert errors.getvalue() == ""
    # THEN it is text of a bounded length
    assert text.startswith(NAMES[number])
    assert len(text) < 10_000


@given(st.binary(max_size=256), WORDS, st.integers(-64, 64), st.integers(0, 512))
def test_a_walk_ends(memory: bytes, rbp: int, offset: int, near: int) -> None:
    stack = 0x7FFD0000
    kept = {6: stack + near if offset > 0 else rbp}
    copy = StackCopy(0x400000, stack, kept, memory)
    found = walk(copy, lambda _: Rules(6, offset, {16: -8, 6: -16}), lambda _: True)
    assert 1 <= len(found.addresses) <= MOST_FRAMES
