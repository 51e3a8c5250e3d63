# SPDX-License-Identifier: GPL-2.0-or-later
"""Which stacks are break checks: every one that was published, whole and damaged."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polltrace.stacks.callchain import CallChain, ChainMatch, Verdict, classify

CHAIN = CallChain.of(
    ["nioqts"],
    ["nsmore2recv"],
    ["snttmoredata"],
    ["sntpoltsts", "sntpoltst"],
    ["poll", "__poll", "ppoll", "pollsys"],
)


@dataclass(frozen=True)
class PublishedStack:
    what: str
    version: str
    frames: list[str]
    expected: str
    at_poll: bool


def published() -> list[PublishedStack]:
    data = tomllib.loads((Path(__file__).parent / "oracle_stacks.toml").read_text())
    return [
        PublishedStack(
            s["what"], s["version"], s["frames"].split(), s["expected"], bool(s["at_poll"])
        )
        for s in data["stack"]
    ]


def shipped() -> CallChain:
    """The chain that polltrace ships for Oracle."""
    file = Path(__file__).parents[2] / "polltrace" / "engines" / "oracle.toml"
    return CallChain.of(*tomllib.loads(file.read_text())["break_check"]["chain"])


ALL = published()
BREAK_CHECKS = [s for s in ALL if s.expected == "break check"]
OTHERS = [s for s in ALL if s.expected != "break check"]
NAMED = BREAK_CHECKS[0].frames
FIRST_LINK = NAMED.index("sntpoltsts")
LAST_LINK = NAMED.index("nioqts")


def test_fixtures_are_all_there() -> None:
    assert (len(BREAK_CHECKS), len(OTHERS)) == (1, 13)
    assert all(len(s.frames) > 4 for s in ALL)


@pytest.mark.parametrize("stack", ALL, ids=lambda s: f"{s.version}: {s.what}")
@pytest.mark.parametrize("at_call", [True, False])
@pytest.mark.parametrize("chain", [CHAIN, shipped()], ids=["here", "engine file"])
def test_published_stack(stack: PublishedStack, at_call: bool, chain: CallChain) -> None:
    verdict = classify(stack.frames, chain, at_call)
    if stack.expected == "break check":
        assert verdict.evidence is ChainMatch.WHOLE
    else:
        assert verdict == Verdict(ChainMatch.NONE, 0)


@pytest.mark.parametrize("stack", OTHERS, ids=lambda s: f"{s.version}: {s.what}")
@pytest.mark.parametrize("lost", ["poll", "poll caller"])
def test_others_stay_others_when_a_poll_is_put_inside(stack: PublishedStack, lost: str) -> None:
    """The worst case: the right system call, from anywhere except the break check."""
    frames = ["poll", *stack.frames[int(lost == "poll caller") :]]
    assert classify(frames, CHAIN, at_call=True) == Verdict(ChainMatch.NONE, 0)
    assert classify(frames, CHAIN, at_call=False) == Verdict(ChainMatch.NONE, 0)


def note(name: str) -> str:
    return f"[oracle+{sum(name.encode()):#x}]"


@pytest.mark.parametrize(
    ("damaged", "evidence", "named_links"),
    [
        (NAMED, ChainMatch.WHOLE, 5),
        (NAMED[1:], ChainMatch.WHOLE, 5),
        (["do_sys_poll", "__x64_sys_poll", "entry_SYSCALL_64", *NAMED[1:]], ChainMatch.WHOLE, 5),
        (["poll@plt", *NAMED[FIRST_LINK:]], ChainMatch.WHOLE, 5),
        (["poll", *(f"{n}.isra.0" for n in NAMED[FIRST_LINK:])], ChainMatch.WHOLE, 5),
        (["poll", "[libnio.so+0x12]", "snttmoredata.cold", *NAMED[4:]], ChainMatch.PARTIAL, 4),
        (["[libc.so.6+0xfc230]", *NAMED[FIRST_LINK:]], ChainMatch.WHOLE, 4),
        (NAMED[FIRST_LINK:], ChainMatch.WHOLE, 4),
        (["poll", *NAMED[FIRST_LINK + 1 :]], ChainMatch.HIDDEN, 4),
        (["[libc.so.6+0xfc230]", *NAMED[FIRST_LINK + 1 :]], ChainMatch.HIDDEN, 3),
        (["poll", note("a"), *NAMED[FIRST_LINK + 1 :]], ChainMatch.PARTIAL, 4),
        (["poll", note("a"), *NAMED[FIRST_LINK + 2 :]], ChainMatch.PARTIAL, 3),
        (["poll", "sntpoltsts"], ChainMatch.PARTIAL, 2),
        (["poll", "sntpoltsts", "snttmoredata"], ChainMatch.PARTIAL, 3),
        (["poll"], ChainMatch.SHAPE, 1),
        (["poll", *map(note, NAMED[2:])], ChainMatch.SHAPE, 1),
        ([note(n) for n in NAMED], ChainMatch.SHAPE, 0),
        ([], ChainMatch.SHAPE, 0),
    ],
)
def test_damaged_break_poll(damaged: list[str], evidence: ChainMatch, named_links: int) -> None:
    verdict = classify(damaged, CHAIN, at_call=True)
    assert (verdict.evidence, verdict.named_links) == (evidence, named_links)
    assert verdict


@pytest.mark.parametrize(
    ("frames", "evidence", "named_links"),
    [
        (NAMED[LAST_LINK:], ChainMatch.INSIDE, 1),
        (NAMED[LAST_LINK - 1 :], ChainMatch.INSIDE, 2),
        (NAMED[LAST_LINK - 1 : LAST_LINK + 1], ChainMatch.INSIDE, 2),
        (NAMED[LAST_LINK - 1 : LAST_LINK + 2], ChainMatch.INSIDE, 2),
        (NAMED[FIRST_LINK:], ChainMatch.INSIDE, 4),
        (["__memcpy_avx", "nsmore2recv", *NAMED[LAST_LINK:]], ChainMatch.INSIDE, 2),
        (["snttmoredata", note("a"), *NAMED[LAST_LINK:]], ChainMatch.NONE, 0),
        (["poll", *NAMED[FIRST_LINK + 1 :]], ChainMatch.HIDDEN, 4),
        (NAMED[LAST_LINK + 1 :], ChainMatch.NONE, 0),
        (["nsmore2recv", "other", *NAMED[LAST_LINK + 1 :]], ChainMatch.NONE, 0),
        (["other", *NAMED[LAST_LINK:]], ChainMatch.NONE, 0),
        (["poll", *map(note, NAMED[2:])], ChainMatch.NONE, 0),
        ([], ChainMatch.NONE, 0),
    ],
)
def test_sample_on_cpu(frames: list[str], evidence: ChainMatch, named_links: int) -> None:
    assert classify(frames, CHAIN, at_call=False) == Verdict(evidence, named_links)


@given(st.sets(st.sampled_from(range(len(NAMED)))), st.integers(1, len(NAMED)))
def test_missing_names_and_ends_never_hide_a_break_poll(nameless: set[int], depth: int) -> None:
    damaged = [note(n) if i in nameless else n for i, n in enumerate(NAMED)][1:depth]
    assert classify(damaged, CHAIN, at_call=True)


@given(
    st.sampled_from(OTHERS),
    st.sets(st.sampled_from(range(4))),
)
def test_one_contradicting_name_is_enough(stack: PublishedStack, nameless: set[int]) -> None:
    """Any of the four steps next to the call refutes it, unless all of them lost their names."""
    frames = [f"step{i}" for i in range(4)]
    damaged = ["poll", *(note(n) if i in nameless else n for i, n in enumerate(frames))]
    verdict = classify([*damaged, *stack.frames], CHAIN, at_call=True)
    first_named = next((i for i in range(4) if i not in nameless), None)
    # Behind a hidden frame only three steps are the chain's.
    assert bool(verdict) == (first_named is None or first_named == 3)


def test_a_chain_needs_a_caller() -> None:
    with pytest.raises(ValueError, match=r"^a call chain has at least two links$"):
        CallChain.of(["poll"])


def test_the_shortest_chain() -> None:
    chain = CallChain.of(["waits", "waits_long"], ["poll"])
    for caller in ("waits", "waits_long"):
        assert classify(["poll", caller, "main"], chain, at_call=True) == Verdict(
            ChainMatch.WHOLE, 2
        )
    # libc hides the caller: nothing is left that could speak for it, or against.
    assert classify(["poll", "main"], chain, at_call=True) == Verdict(ChainMatch.SHAPE, 1)


@pytest.mark.parametrize("form", ["{}+0x44", "{}()", "{}()+68", "{}@plt+0x1F", "{}.isra.0+0x4"])
@pytest.mark.parametrize("at_call", [True, False])
def test_names_as_other_tools_print_them(form: str, at_call: bool) -> None:
    frames = [form.format(name) for name in NAMED]
    assert classify(frames, CHAIN, at_call).evidence is ChainMatch.WHOLE
    assert not classify(["poll", form.format("wait"), "main"], CHAIN, at_call=True)
