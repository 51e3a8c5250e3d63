# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks of a measurement, named, judged and printed, with their problems."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

import pytest

from polltrace.profiles.frames import Header, ProcessTotals, Stack, WatchedProcess
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import AT_POLL, ON_CPU
from polltrace.profiles.stack_profile import StackProfile, stack_profile
from polltrace.profiles.stacks_report import stacks_data, stacks_text
from polltrace.stacks.folded import Folded
from tests.profiles.listed_names import ListedNames

CHECK = ("poll", "sntpoltsts", "snttmoredata", "nsmore2recv", "nioqts", "kcbgtcr", "main")
OTHER = ("poll", "wait_a_while", "main")
CUT = ("poll", "deep")
LOST_WAY = ("poll", "[libold.so+0x10]")


FUNCTIONS = [*CHECK, *OTHER, *CUT, *LOST_WAY]


def at(names: Sequence[str]) -> tuple[int, ...]:
    return tuple(FUNCTIONS.index(name) for name in names)


def totals(pid: int, *stacks: Stack) -> ProcessTotals:
    return ProcessTotals(pid, 1, 0.9, 4000, 0, (), (), stacks)


def observed(*processes: ProcessTotals, **lost: int) -> Profile:
    header = Header("0.1", "db1", "6.1", "count", "tp_btf")
    known = {
        each.identity: WatchedProcess(*each.identity, "oracle", ("oracleORCL (LOCAL=NO)",))
        for each in processes
    }
    return Profile(header, 2.0, known, processes, frozenset(), lost, complete=True)


GOOD = observed(totals(7, Stack(AT_POLL, 1000, False, at(CHECK), "recovered")))


def printed(profile: Profile, kind: str = AT_POLL, **problems: str) -> tuple[StackProfile, str]:
    found = stack_profile(
        profile, ListedNames(FUNCTIONS, "/lib/libold.so", problems=problems), kind
    )
    return found, stacks_text(found, found.folded)


def test_complete_stacks_have_a_summary_without_warnings() -> None:
    assert printed(GOOD)[1].splitlines() == [
        "1,000 of 1,000 stacks at a break poll are the break check.",
        "Sampled: 1,000 of 4,000 break polls in 2.0 s.",
        "",
        "100.0 %  main > kcbgtcr > nioqts > nsmore2recv > snttmoredata > sntpoltsts > poll",
        "",
        "Every stack reaches the beginning of its program.",
    ]


def test_every_problem_is_reported() -> None:
    bad = replace(
        observed(
            totals(
                7,
                Stack(AT_POLL, 60, False, at(CHECK), "unknown"),
                Stack(AT_POLL, 20, False, at(OTHER), "recovered"),
                Stack(AT_POLL, 15, True, at(CUT), "recovered"),
                Stack(AT_POLL, 5, False, at(LOST_WAY), "not-needed"),
                Stack(ON_CPU, 99, False, at(OTHER)),
            ),
            totals(8, Stack(AT_POLL, 3, False, at(CHECK), "recovered")),
            stacks=11,
            kernel_stacks=6,
            runs=2,
        ),
        complete=False,
    )
    found, text = printed(bad, **{"/u01/lib/libold.so": "no symbols"})
    assert (found.samples, found.checks, found.by_shape) == (100, 65, 5)
    verdict, _, *rest = text.splitlines()
    assert (
        verdict
        == "65 of 100 stacks at a break poll are the break check, 5 by shape alone: no names."
    )
    assert rest[rest.index("", 1) + 1 :] == [
        "5.9 % of the stacks end early, 100 % of these in libold.so (no frame pointers?).",
        "15 stacks are deeper than the part that was kept.",
        "60 stacks may lack the function that called poll: where this libc keeps its return "
        "address is not known.",
        "11 stacks were lost: there was no room for more different ones.",
        "6 stacks lack their kernel part: there was no room for it.",
        "The kernel refused the probe 2 samples.",
        "3 stacks are left out: their processes ended before their memory maps could be read.",
        "The measurement was cut short: the probe ended without its last record.",
        "Names are missing in libold.so: no symbols.",
    ]
    quality = stacks_data(found, found.folded)["quality"]
    assert quality == {
        "early": {
            "samples": 85,
            "early": 5,
            "by_object": {"/lib/libold.so": 5},
            "nameless": 0,
            "by_reason": {},
            "guessed": 0,
        },
        "truncated": 15,
        "caller_unknown": 60,
        "unnamed": 3,
        "lost": 11,
        "no_kernel": 6,
        "skipped": 2,
        "problems": {"/u01/lib/libold.so": "no symbols"},
        "complete": False,
    }


@pytest.mark.parametrize("functions", [LOST_WAY, OTHER])
def test_a_program_of_no_known_engine_gets_no_verdict(functions: tuple[str, ...]) -> None:
    stacks = observed(totals(6, Stack(AT_POLL, 26, False, at(functions), "not-needed")))
    profile, text = printed(replace(stacks, processes={}))
    assert (profile.checks, profile.by_shape, profile.undecided) == (0, 0, 26)
    assert text.splitlines()[:2] == [
        "26 stacks at polls of a socket with timeout 0.",
        "Sampled: 26 of 4,000 such polls in 2.0 s.",
    ]
    assert "break" not in text
    data = stacks_data(profile, profile.folded)
    assert (data["break_checks"], data["undecided"], data["other_programs"]) == (None, 26, 26)
    assert data["unit"] == "polls"


def test_stacks_of_other_programs_are_counted_apart() -> None:
    stacks = observed(totals(6, Stack(AT_POLL, 26, False, at(LOST_WAY), "not-needed")))
    both = replace(GOOD, totals=(*stacks.totals, *GOOD.totals))
    assert printed(both)[1].startswith(
        "1,000 of 1,000 stacks at a break poll are the break check. 26 more are of other programs."
    )


def test_a_check_by_every_name_is_one_in_any_process() -> None:
    profile, text = printed(replace(GOOD, processes={}))
    assert text.startswith("1,000 of 1,000 stacks at a break poll are the break check.")
    assert profile.unit == "break polls"


def test_samples_whose_stacks_end_early_are_not_counted_as_no_check() -> None:
    cut = totals(7, Stack(ON_CPU, 40, False, at(CUT)), Stack(ON_CPU, 60, False, at(OTHER)))
    assert printed(observed(cut), ON_CPU)[1].startswith(
        "0.0 % [0.0, 6.0] of 60 on-CPU samples are in the break check. Cannot tell of 40 more: "
        "their stacks end early"
    )
    early = observed(totals(7, Stack(ON_CPU, 40, False, at(CUT))))
    assert printed(early, ON_CPU)[1].startswith(
        "Cannot tell whether 40 on-CPU samples are in the break check: their stacks end early"
    )
    other = printed(replace(early, processes={}), ON_CPU)[1]
    assert other.startswith("40 on-CPU samples.\n")


def test_without_stacks_losses_are_still_reported() -> None:
    text = printed(observed(totals(7), stacks=4))[1]
    assert text.splitlines() == [
        "No stacks: in 2.0 s no poll of a socket with timeout 0 was sampled.",
        "4 stacks were lost: there was no room for more different ones.",
    ]


def test_on_cpu_the_share_is_given_with_its_interval() -> None:
    profile = observed(
        totals(7, Stack(ON_CPU, 50, False, at(CHECK)), Stack(ON_CPU, 950, False, at(OTHER)))
    )
    first, second, *_ = printed(profile, ON_CPU)[1].splitlines()
    assert first == "5.0 % [3.8, 6.5] of 1,000 on-CPU samples are in the break check."
    assert second == "Sampled in 2.0 s, each of a process on CPU."


def test_kernel_frames_stand_inside_and_change_no_verdict() -> None:
    profile = observed(totals(7, Stack(AT_POLL, 9, False, at(CHECK), "recovered", (1, 2))))
    found, _ = printed(profile)
    assert found.checks == 9
    (functions,) = found.folded
    assert functions[-3:] == ("poll", "do_sys_poll_[k]", "do_sys_poll_[k]")


def test_shares_are_of_the_polls_that_samples_stand_for() -> None:
    """Two processes, as many samples each; one polls nine times as fast."""
    profile = observed(
        totals(6, Stack(AT_POLL, 100, False, at(CHECK), "recovered", polls=36_000)),
        totals(7, Stack(AT_POLL, 100, False, at(OTHER), "recovered", polls=4_000)),
    )
    found, text = printed(profile)
    assert (found.samples, found.checks) == (200, 100)
    assert sorted(found.folded.values()) == [4_000, 36_000]
    assert " 90.0 %  main > kcbgtcr" in text
    assert " 10.0 %  main > wait_a_while" in text
    assert stacks_data(found, found.folded)["unit"] == "break polls"


def test_a_partial_list_is_marked() -> None:
    found, _ = printed(GOOD)
    shown: Folded = {("nsmore2recv", "poll"): 400}
    assert "Shown: 40.0 % of the stacks; shares are of all." in stacks_text(found, shown)
    assert stacks_data(found, shown)["stacks"] == [
        {"count": 400, "functions": ["nsmore2recv", "poll"]}
    ]


@pytest.mark.parametrize("verb", ["ps", "stat"])
def test_commands_without_names_start_without_numpy(verb: str) -> None:
    script = (
        "import sys; from polltrace.cli import main\n"
        f"try: main(['{verb}', '--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
