# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples and their names: which are the break check, and which of these polled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from polltrace.engines import Engine, engine_of
from polltrace.profiles.frames import Header, ProcessTotals, Stack, WatchedProcess
from polltrace.profiles.profile import Profile
from polltrace.profiles.recognition import engine_of_process
from polltrace.profiles.sampled import AT_POLL, ON_CPU, Shares, introduced, named_stacks, shares
from polltrace.stacks import Frame
from tests.profiles.listed_names import ListedNames
from tests.watch.samples import named_stack

CHECK = ("poll", "sntpoltsts", "snttmoredata", "nsmore2recv", "nioqts", "main")
FUNCTIONS = (*CHECK, "work", "[lost+0x1]", "__libc_start_call_main")


NAMES = ListedNames(FUNCTIONS)


def announced(pid: int, exe: str = "/u01/bin/oracle") -> WatchedProcess:
    return WatchedProcess(pid, 1, "oracle_7_orcl", ("oracleORCL (LOCAL=NO)",), exe)


def profile(*processes: tuple[int, list[Stack]], exe: str = "/u01/bin/oracle") -> Profile:
    totals = [ProcessTotals(pid, 1, 1.0, 9, 0, (), (), tuple(taken)) for pid, taken in processes]
    header = Header("0.1", "db1", "6.1", "count", "tp_btf")
    known = {(pid, 1): announced(pid, exe) for pid, _ in processes}
    return Profile(header, 2.0, known, tuple(totals), frozenset(), {}, complete=True)


def taken(kind: str, count: int, *addresses: int, kernel: tuple[int, ...] = ()) -> Stack:
    return Stack(kind, count, False, addresses, "recovered", kernel, 3 * count)


def test_stacks_of_one_kind_come_with_their_names_commonest_first() -> None:
    observed = profile(
        (7, [taken(AT_POLL, 1, 0), taken(ON_CPU, 5, 6, 5), taken(ON_CPU, 9, 3, 4, kernel=(1,))]),
        (8, [taken(ON_CPU, 100, 6)]),
        (9, [taken(ON_CPU, 6, 5)]),
    )
    found = named_stacks(observed, ListedNames(FUNCTIONS), ON_CPU)
    assert [each.count for each in found] == [9, 6, 5]
    assert [[frame.name for frame in each.frames] for each in found] == [
        ["nsmore2recv", "nioqts"],
        ["main"],
        ["work", "main"],
    ]
    assert [each.is_break_check for each in found] == [True, False, False]
    assert [[frame.name for frame in each.kernel] for each in found] == [["do_sys_poll"], [], []]
    assert [each.polls for each in found] == [27, 18, 15]


def test_a_stack_ends_where_its_program_began() -> None:
    (found,) = named_stacks(
        profile((7, [taken(ON_CPU, 1, 6, 5, 8, 0)])), ListedNames(FUNCTIONS), ON_CPU
    )
    assert [each.name for each in found.frames] == ["work", "main", "__libc_start_call_main"]


@pytest.mark.parametrize(
    ("addresses", "is_check", "by_shape"),
    [((0, 1, 2, 3, 4, 5), True, False), ((0, 7, 7), True, True), ((0, 6, 5), False, False)],
)
def test_at_a_poll_nameless_functions_leave_its_shape(
    addresses: tuple[int, ...], is_check: bool, by_shape: bool
) -> None:
    (found,) = named_stacks(
        profile((7, [taken(AT_POLL, 1, *addresses)])), ListedNames(FUNCTIONS), AT_POLL
    )
    assert (found.is_break_check, found.by_shape) == (is_check, by_shape)


def test_a_poll_of_a_stripped_program_that_is_no_server_is_unclassified() -> None:
    """Any program may poll one descriptor with timeout 0, under any title."""
    loop = profile((7, [taken(AT_POLL, 26, 0, 7, 7)]), exe="/usr/bin/python3.11")
    (found,) = named_stacks(loop, ListedNames(FUNCTIONS), AT_POLL)
    assert (found.is_break_check, found.by_shape, found.undecided) == (False, False, True)
    unknown = replace(loop, processes={})
    assert named_stacks(unknown, ListedNames(FUNCTIONS), AT_POLL)[0].undecided


def test_an_unknown_program_checks_only_where_every_name_says_so() -> None:
    for addresses, is_check, undecided in (
        ((0, 6, 5), False, False),
        ((0, 7, 3), False, True),
        ((0, 1, 2, 3, 4), True, False),
    ):
        polls = profile((7, [taken(AT_POLL, 1, *addresses)]), exe="/usr/bin/python3.11")
        (stack,) = named_stacks(polls, ListedNames(FUNCTIONS), AT_POLL)
        assert (stack.is_break_check, stack.undecided) == (is_check, undecided)
        assert not stack.of_engine


def test_a_guessed_frame_does_not_disprove_a_check() -> None:
    """A walk by frame pointers may skip callers, of the poll as of its caller."""
    for found, undecided in (("rttt", False), ("rtff", True), ("rfff", True), ("", False)):
        skipped = replace(taken(AT_POLL, 1, 0, 1, 6, 5), found=found)
        (stack,) = named_stacks(profile((7, [skipped])), ListedNames(FUNCTIONS), AT_POLL)
        assert (stack.is_break_check, stack.undecided) == (False, undecided)
    # AND the caller of the poll is certain, and of no chain
    other = replace(taken(AT_POLL, 1, 0, 6, 5), found="rtf")
    (stack,) = named_stacks(profile((7, [other])), ListedNames(FUNCTIONS), AT_POLL)
    assert not stack.undecided


def test_a_nameless_function_of_the_server_may_be_of_its_check() -> None:
    """Samples on CPU: the frame of a library says nothing about the server's own functions."""

    class Stripped(ListedNames):
        def __init__(self, module: str) -> None:
            super().__init__(FUNCTIONS)
            self.module = module

        def user(self, pid: int, addresses: Sequence[int]) -> Sequence[Frame]:
            return [replace(frame, module=self.module) for frame in super().user(pid, addresses)]

    samples = profile((7, [taken(ON_CPU, 1, 7, 5)]))
    for module, undecided in (("/u01/bin/oracle (deleted)", True), ("/lib/libm.so.6", False)):
        (stack,) = named_stacks(samples, Stripped(module), ON_CPU)
        assert (stack.is_break_check, stack.undecided) == (False, undecided)


@pytest.mark.parametrize(
    ("exe", "comm", "recognised"),
    [
        ("/u01/bin/oracle", "oracle_7_orcl", True),
        ("/u01/bin/oracle (deleted)", "oracle_7_orcl", True),
        ("/usr/bin/python3.11", "oracle_7_orcl", False),
        ("", "oracle_7_orcl", True),
    ],
)
def test_a_server_is_recognised_by_title_and_program(exe: str, comm: str, recognised: bool) -> None:
    process = WatchedProcess(7, 1, comm, ("oracleORCL (LOCAL=NO)", ""), exe)
    assert (engine_of_process(process) is not None) == recognised
    assert engine_of_process(replace(process, cmdline=("poller",))) is None


def test_an_address_in_no_mapping_is_no_frame() -> None:
    """A walk that went astray ends where it did, and its guess is not printed."""

    class Astray(ListedNames):
        def user(self, pid: int, addresses: Sequence[int]) -> Sequence[Frame]:
            at = addresses.index(9)
            guess = Frame("[0x100000002]", "", 9, 9)
            named = super().user
            return [*named(pid, addresses[:at]), guess, *named(pid, addresses[at + 1 :])]

    (found,) = named_stacks(profile((7, [taken(ON_CPU, 1, 6, 9, 5)])), Astray(FUNCTIONS), ON_CPU)
    assert [frame.name for frame in found.frames] == ["work"]


def test_processes_are_shown_while_they_live() -> None:
    names = ListedNames(FUNCTIONS)
    announced = [None, *(WatchedProcess(pid, 1, "oracle", ("oracle",)) for pid in (7, 8, 9))]
    assert list(introduced(announced, names)) == announced
    assert names.requests == [(7, []), (8, []), (9, [])]


def oracle() -> Engine:
    known = engine_of("oracle", "oracleORCL (LOCAL=NO)")
    assert known is not None
    return known[0]


def test_samples_under_the_check_that_poll_and_that_do_not() -> None:
    seen = [
        named_stack("poll sntpoltsts snttmoredata nsmore2recv nioqts main", 1, check=True),
        named_stack("snttmoredata.part.0 nsmore2recv nioqts main", 2, check=True),
        named_stack("sntpoltsts [oracle+0x1] nsmore2recv nioqts main", 4, check=True),
        named_stack("nsmore2recv nioqts main", 8, check=True),
        named_stack("memcpy nsmore2recv.cold nioqts main", 16, check=True),
        # A function of the outermost step alone runs out-of-band as well.
        named_stack("nioqts main", 32, check=True),
        # Called by another function it is no break check.
        named_stack("nsmore2recv other main", 64),
        named_stack("snttmoredata other main", 128),
        named_stack("work main", 256),
    ]
    assert shares(seen, oracle()) == Shares(7, 24, 511, named=True)


@pytest.mark.parametrize(
    ("functions", "named"),
    [
        ("nioqts main", True),
        ("nsmore2recv.isra.0 main", True),
        ("ntctst main", True),
        ("sntpoltst main", True),
        ("poll main", False),
        ("[oracle+0x1] main", False),
    ],
)
def test_a_program_has_names_if_any_function_of_the_chain_has(functions: str, named: bool) -> None:
    others = named_stack("work main", 1)
    for seen in ([named_stack(functions, 1), others], [others, named_stack(functions, 1)]):
        assert shares(seen, oracle()) == Shares(0, 0, 2, named=named)
    assert shares([], oracle()) == Shares(0, 0, 0, named=False)
