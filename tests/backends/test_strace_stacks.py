# SPDX-License-Identifier: GPL-2.0-or-later
"""The stacks of strace -k, in the shapes of its versions and unwinders."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polltrace.backends.strace_stacks import frames_of
from polltrace.backends.syscall_trace_file import evidence_of
from polltrace.backends.trace_evidence import TraceEvidence
from polltrace.backends.verdict import PollingKind, verdict
from polltrace.stacks import Frame

# Two polls of a server of the lab, by strace 6.1 with libunwind.
RECORDED = Path(__file__).parent / "fixtures" / "strace-k-lab.txt"
POLL = "71 poll([{fd=3, events=POLLIN}], 1, 0) = 0 (Timeout)\n"
CHAIN = ("poll", "sntpoltsts", "snttmoredata", "nsmore2recv", "nioqts")

Run = Callable[..., subprocess.CompletedProcess[str]]


def read(text: str) -> TraceEvidence:
    (found,) = evidence_of(iter(text.splitlines(keepends=True)), "strace", "it")
    return found


def below(*functions: str) -> str:
    return "".join(f" > /opt/oracle({name}+0x10) [0x4010]\n" for name in functions)


def judged(text: str) -> tuple[PollingKind, str]:
    evidence = read(text)
    found = verdict(evidence, evidence.profile.only())
    return found.kind, found.text


LINES = [
    # libunwind, 4.9 on; a note of where the object knows the address, where it has no symbol
    (" > /lib/libc.so.6(__poll+0x4f) [0xfc230]", Frame("__poll", "/lib/libc.so.6", 0x4F, 0xFC230)),
    (" > /usr/bin/timeout() [0x28f3]", Frame("[timeout+0x28f3]", "/usr/bin/timeout", 10483, 10483)),
    # libdw, 4.21 on, and what debug symbols add
    (" > /lib/libc.so(__GI___poll+0x4f) [0x9]", Frame("__poll", "/lib/libc.so", 0x4F, 9)),
    (" > /lib/libc.so(poll@@GLIBC_2.2.5+0x1) [0x9]", Frame("poll", "/lib/libc.so", 1, 9)),
    # demangled, 5.0 on
    (" > /a(std::f(int (*)(char), x)+0x1f) [0x9]", Frame("std::f(int (*)(char), x)", "/a", 31, 9)),
    # with its line in the source, -kk
    (" > /a(main+0x1f) [0x9] main.c:12", Frame("main", "/a", 31, 9)),
    # replaced on disk since
    (" > /a b (deleted)(main+0x1f) [0x9]", Frame("main", "/a b (deleted)", 31, 9)),
    (" > [vdso](clock_gettime+0x3) [0x9]", Frame("clock_gettime", "[vdso]", 3, 9)),
    (" > unexpected_backtracing_error [0x7f09]", Frame("[0x7f09]", "", 0x7F09, 0x7F09)),
]


@pytest.mark.parametrize(("line", "frame"), LINES)
def test_a_line_is_a_frame(line: str, frame: Frame) -> None:
    assert frames_of([line]) == ((frame,), False)


def test_a_line_that_is_no_frame() -> None:
    lines = [LINES[0][0], " > BUG IN print_call_cb", " > too many stack frames"]
    assert frames_of(lines) == ((LINES[0][1],), True)


PATHS = st.from_regex(r"/[\w./+ -]{1,30}", fullmatch=True)
NAMES = st.from_regex(r"[A-Za-z_][\w:~<>, .-]{0,30}(\([\w, *&]*\))?", fullmatch=True)


@given(PATHS, NAMES, st.integers(0, 2**63), st.integers(0, 2**63))
def test_whatever_was_printed_is_read(path: str, name: str, offset: int, address: int) -> None:
    ((frame,), _) = frames_of([f" > {path}({name}+{offset:#x}) [{address:#x}]"])
    assert (frame.name, frame.module) == (name.removeprefix("__GI_"), path)
    assert (frame.offset, frame.address) == (offset, address)


@given(st.lists(st.text(alphabet=st.characters(codec="utf-8"))))
def test_no_line_is_a_crash(lines: list[str]) -> None:
    frames_of([f" > {line}" for line in lines])


def test_a_recorded_file_is_judged_by_its_stacks(run: Run) -> None:
    ended = run("stat", "--from-strace", str(RECORDED), "--json")
    (seen,) = json.loads(ended.stdout)["processes"]
    assert (seen["verdict"], seen["break_polls"], seen["cost_ns"]) == ("break_polling", 2, None)
    assert "2 of 2 stacks at these are the break check" in seen["text"]
    (stack,) = seen["stacks"]
    assert (stack["count"], stack["break_check"]) == (2, True)
    assert tuple(stack["functions"][-5:]) == CHAIN[::-1]
    assert stack["functions"][0] == "_start"
    # AND in words
    ended = run("stat", "--from-strace", str(RECORDED))
    assert "commonest stacks at break polls\n100.0 %  _start > " in ended.stdout


def test_a_recorded_file_is_shown_as_stacks(run: Run) -> None:
    ended = run("stacks", "--from-strace", str(RECORDED), "--format", "folded", "--from", "nioqts")
    assert (ended.returncode, ended.stdout) == (0, f"{';'.join(CHAIN[::-1])} 2\n")
    ended = run("stacks", "--from-strace", str(RECORDED))
    assert ended.stdout.splitlines()[:2] == [
        "2 of 2 stacks at a break poll are the break check.",
        "Sampled: 2 of 2 break polls.",
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--at", "cpu"], "the user stack of every poll, and nothing else"),
        (["-p", "1"], "read either one FILE or watch processes, not both"),
    ],
)
def test_options_that_a_file_cannot_serve(run: Run, options: list[str], words: str) -> None:
    ended = run("stacks", "--from-strace", str(RECORDED), *options)
    assert ended.returncode == 2
    assert words in ended.stderr


def test_a_file_without_stacks(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "strace.txt"
    path.write_text(POLL)
    ended = run("stacks", "--from-strace", str(path))
    assert ended.returncode == 2
    assert "has no stacks at break polls" in ended.stderr


def test_few_polls_are_classified_by_their_stacks() -> None:
    assert judged(POLL)[0] is PollingKind.LOOKS_LIKE_IT
    assert judged(POLL + below(*CHAIN, "main"))[0] is PollingKind.BREAK_POLLING


def test_polls_of_somebody_else() -> None:
    kind, words = judged((POLL + below("poll", "wait_a_while", "main")) * 50)
    assert kind is PollingKind.LOOKS_LIKE_IT
    assert "none of 50 stacks" in words


def test_stacks_without_names_prove_nothing() -> None:
    kind, words = judged((POLL + " > /opt/oracle() [0x4010]\n") * 50)
    assert (kind, "stacks" in words) == (PollingKind.BREAK_POLLING, False)


def test_a_stack_is_that_of_the_call_above() -> None:
    evidence = read(
        POLL
        + below(*CHAIN)
        + "71 --- SIGALRM {si_signo=SIGALRM} ---\n"
        + below("handler", "main")
        + "71 poll([{fd=3, events=POLLIN}], 1, 0 <unfinished ...>\n"
        + "72 getpid() = 71\n"
        + below("getpid", "main")
        + "71 <... poll resumed>) = 0 (Timeout)\n"
        + below(*CHAIN)
        + "71 +++ exited with 0 +++\n"
        + below("exit", "main")
    )
    ((process, stacks),) = evidence.stacks.items()
    ((frames, count),) = [(stack.frames, stack.count) for stack in stacks]
    assert (process, count, tuple(each.name for each in frames)) == ((71, 0), 2, CHAIN)
    assert not evidence.doubts[:-1]  # except that the descriptor is a bare number


@given(st.lists(st.sampled_from([CHAIN, ("poll", "f"), ()]), min_size=1), st.data())
def test_a_torn_text_is_read_up_to_the_tear(
    stacks: list[tuple[str, ...]], data: st.DataObject
) -> None:
    text = "".join(POLL + below(*functions) for functions in stacks)
    whole, torn = read(text), read(text[: data.draw(st.integers(len(POLL), len(text)))])

    def counted(evidence: TraceEvidence) -> int:
        return sum(stack.count for each in evidence.stacks.values() for stack in each)

    assert counted(whole) == sum(map(bool, stacks))
    assert counted(torn) <= counted(whole)
    assert torn.profile.only().break_polls <= whole.profile.only().break_polls
