# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples and their names: which are the break check, and which of these polled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from polltrace.engines import Engine, engine_of
from polltrace.profiles.frames import Header, ProcessTotals, Stack, WatchedProcess
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import AT_POLL, ON_CPU, Shares, introduced, named_stacks, shares
from stacks import Frame, ProcessError
from tests.watch.samples import named_stack

CHECK = ("poll", "sntpoltsts", "snttmoredata", "nsmore2recv", "nioqts", "main")
FUNCTIONS = (*CHECK, "work", "[lost+0x1]")


class Names:
    """An address is a place in FUNCTIONS; process 8 is gone."""

    problems: Mapping[str, str] = {}

    def __init__(self) -> None:
        self.shown: list[tuple[int, list[int]]] = []

    def user(self, pid: int, addresses: Sequence[int]) -> Sequence[Frame]:
        self.shown.append((pid, list(addresses)))
        if pid == 8:
            raise ProcessError("gone")
        return [Frame(FUNCTIONS[at], "/oracle", 0, at) for at in addresses]

    def kernel(self, addresses: Sequence[int]) -> Sequence[Frame]:
        assert addresses, "there is nothing to name"
        return [Frame("do_sys_poll", "[kernel]", 0, at, kernel=True) for at in addresses]


def profile(*processes: tuple[int, list[Stack]]) -> Profile:
    totals = [ProcessTotals(pid, 1, 1.0, 9, 0, (), (), tuple(taken)) for pid, taken in processes]
    header = Header("0.1", "db1", "6.1", "count", "tp_btf")
    return Profile(header, 2.0, {}, tuple(totals), frozenset(), {}, complete=True)


def taken(kind: str, count: int, *addresses: int, kernel: tuple[int, ...] = ()) -> Stack:
    return Stack(kind, count, False, addresses, "recovered", kernel, 3 * count)


def test_stacks_of_one_kind_come_with_their_names_commonest_first() -> None:
    look = profile(
        (7, [taken(AT_POLL, 1, 0), taken(ON_CPU, 5, 6, 5), taken(ON_CPU, 9, 3, 4, kernel=(1,))]),
        (8, [taken(ON_CPU, 100, 6)]),
        (9, [taken(ON_CPU, 6, 5)]),
    )
    found = named_stacks(look, Names(), ON_CPU)
    assert [each.count for each in found] == [9, 6, 5]
    assert [[frame.name for frame in each.frames] for each in found] == [
        ["nsmore2recv", "nioqts"],
        ["main"],
        ["work", "main"],
    ]
    assert [each.is_break_check for each in found] == [True, False, False]
    assert [[frame.name for frame in each.kernel] for each in found] == [["do_sys_poll"], [], []]
    assert [each.polls for each in found] == [27, 18, 15]


@pytest.mark.parametrize(
    ("addresses", "is_check", "by_shape"),
    [((0, 1, 2, 3, 4, 5), True, False), ((0, 7, 7), True, True), ((0, 6, 5), False, False)],
)
def test_at_a_poll_nameless_functions_leave_its_shape(
    addresses: tuple[int, ...], is_check: bool, by_shape: bool
) -> None:
    (found,) = named_stacks(profile((7, [taken(AT_POLL, 1, *addresses)])), Names(), AT_POLL)
    assert (found.is_break_check, found.by_shape) == (is_check, by_shape)


def test_processes_are_shown_while_they_live() -> None:
    names = Names()
    said = [None, *(WatchedProcess(pid, 1, "oracle", ("oracle",)) for pid in (7, 8, 9))]
    assert list(introduced(said, names)) == said
    assert names.shown == [(7, []), (8, []), (9, [])]


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
        # What stands in the outermost alone runs out-of-band as well.
        named_stack("nioqts main", 32, check=True),
        # Called by somebody else it is no break check.
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
