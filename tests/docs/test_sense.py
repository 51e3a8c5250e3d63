# SPDX-License-Identifier: GPL-2.0-or-later
"""The outputs that the pages show make sense: they add up, and say one thing in one way."""

from __future__ import annotations

import re

import pytest

from docs.shown import PAGES, shown_on
from tests.docs.sense import doubts

SHOWN = [
    pytest.param(command, output, id=f"{page.stem}: {command}")
    for page in PAGES
    for command, output in shown_on(page.read_text())
]


@pytest.mark.parametrize(("command", "output"), SHOWN)
def test_figures_on_the_pages_agree(command: str, output: str) -> None:
    assert doubts(command, output) == []


CAPABILITIES = next(
    each.values[0]
    for each in SHOWN
    if str(each.values[0]).startswith("polltrace stat -p $PID -d 5")
)
# A slip in an output, and what finds it.
SLIPS = [
    ("polltrace ps", r" 0$", " 77,777", "with 77777.0 polls a second"),
    ("polltrace ps", r" in-band ", " out-of-band ", "not both break modes"),
    ("polltrace stat -p $PID -d 2", r"^(sys totals +)[\d,]+", r"\g<1>7", "7 in all"),
    ("polltrace stat -p $PID -d 2", r"^(poll +)[\d,]+", r"\g<1>7", "7 calls of poll"),
    ("polltrace stat -p $PID -d 2", r"^(  fd 3 +)[\d,]+", r"\g<1>7", "7.0 polls of sockets"),
    ("polltrace stacks -p $PID -d 2", r"^ *[\d.]+ %", " 55.5 %", "shares of"),
    ("polltrace stop-at poll -p $PID", r"main\+", "mine+", "a stack of"),
    ("polltrace advise -p $PID", r"polling takes [\d.]+", "polling takes 44.4", "in the first"),
    ("polltrace advise -p $PID", r"^( +10 +)[\d,]+", r"\g<1>7", "do not follow from"),
    ("polltrace advise -p $PID", r"^( +1 +[\d,]+ +)[\d.]+ \[[\d.]+", r"\g<1>0.01 [0.01", "% at 1"),
    (
        "polltrace advise -p $PID",
        r" (sav|cost)(e?)s [\d.]+ % \[[\d.]+",
        r" \1\2s 0.01 % [0.01",
        "at",
    ),
    ("polltrace advise -p $PID", r"^   undo ", "        ", "lacks undo"),
    ("polltrace demo", r"exactly", "hardly", "are not the lab's"),
    ("polltrace demo", r" 3\.00 ", " 3.33 ", "3.33 gets a poll at skip 3"),
    ("polltrace demo", r" (1,0|9)\d\d\.\d\d ", " 1,100.00 ", "1,100.00 gets a poll at skip 1000"),
    (
        "polltrace top -b -n 3 -d 2 | tail -n 6",
        r"polling: [\d.]+ CPUs \[[\d.]+, [\d.]+",
        "polling: 0.9 CPUs [0.8, 0.9",
        "other figures",
    ),
    (
        "polltrace ping --lab --count 20 --interval 100ms",
        r"^(ttc-ping +\d+ +\d+ +\d+ +)[\d.]+",
        r"\g<1>9.999",
        "not in order",
    ),
    ("polltrace why --slow -p $PID -d 2s", r"^(server +)[\d.]+", r"\g<1>11.1", "shares of"),
    ("polltrace why -p $PID", r"^cure:", "care:", "nor a cure"),
    ("polltrace dump -p $PID -d 2s", r"break check", "brake check", "not how much"),
    (
        "polltrace report demo",
        r"polling takes [\d.]+ CPUs",
        "polling takes 0.999 CPUs",
        "by the rows",
    ),
    ("polltrace report demo", r"Most is lost by \d+", "Most is lost by 1", "not in its row"),
    (CAPABILITIES, r"^(CapEff:\s+)\w+", r"\g<1>000000c000080000", "CapEff is c000080000"),
    ("polltrace advise -p $PID", r"\[[\d.]+, ", "[99.0, ", "is not within"),
    ("polltrace ps", r"LAB ", "nan ", "nonsense: nan"),
    ("polltrace stop-at poll -p $PID", r"runs on", "runs on; 1 stops before", "a plural"),
]


@pytest.mark.parametrize(("command", "pattern", "slip", "doubt"), SLIPS)
def test_a_wrong_figure_is_detected(command: str, pattern: str, slip: str, doubt: str) -> None:
    """The tests above would pass on outputs that nobody reads."""
    output = next(str(each.values[1]) for each in SHOWN if each.values[0] == command)
    spoiled, slips = re.subn(pattern, slip, output, count=1, flags=re.M)
    assert slips == 1
    assert any(doubt in each for each in doubts(command, spoiled))


def test_three_rounded_figures_agree_as_far_as_they_can() -> None:
    """10.00 gets a poll may be 10.005, of many polls more than one poll's difference."""
    command = "polltrace demo"
    output = next(str(each.values[1]) for each in SHOWN if each.values[0] == command)
    row = r"( 10 +\S+ \[.*?\] +)[\d,]+( +)[\d,]+( +10\.00 )"
    for polls, doubted in (("1,262", False), ("1,263", False), ("1,260", True)):
        large, slips = re.subn(row, rf"\g<1>12,626\g<2>{polls}\g<3>", output, count=1)
        assert slips == 1
        assert any("12,626 gets" in each for each in doubts(command, large)) == doubted


def test_a_change_with_an_exponent_is_a_number() -> None:
    row = "CPUs lost to break polling  0.0143 [0.009, 0.022]  {} [-0.00952, 0.00837] (noise)\n"
    assert doubts("polltrace diff a b", row.format("-2.82e-05")) == []
    assert doubts("polltrace diff a b", row.format("-2.82e-01")) != []
