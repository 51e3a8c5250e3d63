# SPDX-License-Identifier: GPL-2.0-or-later
"""Folding, the text form, filters and the comparison of two profiles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polltrace.stacks import FormatError, Frame
from polltrace.stacks.compare import compare
from polltrace.stacks.folded import fold, parse_folded, write_folded
from polltrace.stacks.selecting import beneath, grouped, holding, lacking, matching

IN_BAND = {
    ("main", "qertbFetch", "kdst_fetch"): 60,
    ("main", "qertbFetch", "kdst_fetch", "nioqts", "poll"): 30,
    ("main", "opitsk"): 10,
}
OUT_OF_BAND = {("main", "qertbFetch", "kdst_fetch"): 45, ("main", "opitsk"): 5}


def frames(*names: str) -> list[Frame]:
    return [Frame(n, "/bin/oracle", 1, 0x1000) for n in names]


def test_fold_turns_stacks_outermost_first_and_adds_up() -> None:
    stacks = [(frames("poll", "main"), 3), (frames("poll", "main"), 4), (frames("main"), 5)]
    assert fold(stacks) == {("main", "poll"): 7, ("main",): 5}


def test_text_is_sorted() -> None:
    assert write_folded(IN_BAND) == (
        "main;opitsk 10\nmain;qertbFetch;kdst_fetch 60\nmain;qertbFetch;kdst_fetch;nioqts;poll 30\n"
    )


def test_names_cannot_break_the_text() -> None:
    hostile: dict[tuple[str, ...], int] = {
        ("std::map<int, char>", "a;b", "c\nd 9", "", "[libc.so.6+0x10]"): 2
    }
    text = write_folded(hostile)
    assert text == "std::map<int, char>;a:b;c d 9;[empty];[libc.so.6+0x10] 2\n"
    assert write_folded(parse_folded(text)) == text


@pytest.mark.parametrize(
    "line", ["main", "main;poll x", "main -3", " 5", "main 1e9", "a " + "9" * 19]
)
def test_malformed_line_is_named(line: str) -> None:
    with pytest.raises(FormatError, match="line 2 is not"):
        parse_folded(f"main 1\n{line}\n")


def test_equal_stacks_and_line_ends() -> None:
    assert parse_folded("\nmain;f 1\r\nmain;f 2") == {("main", "f"): 3}


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.dictionaries(st.lists(NAMES, min_size=1, max_size=4).map(tuple), st.integers(0, 10**9)))
def test_any_names_survive_as_stacks(folded: dict[tuple[str, ...], int]) -> None:
    """Stacks are read back as written, with every stack's depth and the total unchanged."""
    read = parse_folded(write_folded(folded))
    assert sum(read.values()) == sum(folded.values())
    assert {len(k) for k in read} == {len(k) for k in folded}
    assert parse_folded(write_folded(read)) == read


@given(st.text(max_size=200))
def test_parsing_hostile_text(text: str) -> None:
    try:
        read = parse_folded(text)
    except FormatError:
        return
    assert all(n >= 0 for n in read.values())


def test_filters() -> None:
    polling = matching("nioqts|nsmore2recv")
    assert holding(IN_BAND, polling) == {("main", "qertbFetch", "kdst_fetch", "nioqts", "poll"): 30}
    assert sum(lacking(IN_BAND, polling).values()) == 70
    assert beneath(IN_BAND, matching("kdst_.*")) == {
        ("kdst_fetch",): 60,
        ("kdst_fetch", "nioqts", "poll"): 30,
    }
    with pytest.raises(FormatError, match="not a regular expression"):
        matching("(")


def test_groups_merge_neighbours_only() -> None:
    folded = {("opitsk", "opiodr", "kpoal8", "opiodr"): 4, ("opiino", "kpoal8", "opidrv"): 1}
    assert grouped(folded, lambda n: n[:3]) == {("opi", "kpo", "opi"): 5}


def test_compare_uses_shares_and_orders_by_change() -> None:
    changes = compare(OUT_OF_BAND, IN_BAND)
    first = {c.name: c for c in changes}
    assert changes[0].name in ("kdst_fetch", "poll")
    assert first["kdst_fetch"].self_change == pytest.approx(0.6 - 0.9)
    assert first["kdst_fetch"].total_change == pytest.approx(0.0)
    assert first["poll"].self_before == 0.0
    assert first["poll"].self_change == pytest.approx(0.3)
    assert first["main"].total_before == first["main"].total_after == 1.0
    assert first["opitsk"].self_change == pytest.approx(0.0)


def test_compare_counts_recursion_once_and_takes_empty_profiles() -> None:
    changes = compare({}, {("f", "g", "f"): 2})
    assert {c.name: (c.self_after, c.total_after) for c in changes} == {
        "f": (1.0, 1.0),
        "g": (0.0, 1.0),
    }
    assert compare({}, {}) == ()
