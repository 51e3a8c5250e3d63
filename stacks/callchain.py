# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a stack is a known chain of calls, also where frames or names are missing.

The caller chooses the chain and knows its meaning: a database engine's break check is one
(`nioqts > nsmore2recv > snttmoredata > sntpoltsts > poll`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from polltrace.stacks.function_names import function_name


@dataclass(frozen=True, slots=True)
class CallChain:
    """Functions that call one another, outermost first; each of `links` is one function's names.

    The last link is the wrapper of the system call (`poll`, `__poll`, `pollsys`, ...). A chain of a
    single link is one function that makes the call somewhere below it. Names are those of
    function_name().
    """

    links: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, *links: Iterable[str]) -> CallChain:
        """From the names of each link. ValueError for fewer than two links."""
        if len(links) < 2:
            raise ValueError("a call chain has at least two links")
        return cls(tuple(frozenset(link) for link in links))


class ChainMatch(Enum):
    """How a stack was matched with the chain, best first."""

    WHOLE = "every link by name"
    HIDDEN = "every link by name but the system call's direct caller, which libc hides"
    PARTIAL = "some links by name; the others have no name or the stack ends before them"
    INSIDE = "on its way through the chain, not at its system call"
    SHAPE = "no link has a name; nothing speaks against it"
    NONE = "another chain"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`evidence`: how it was matched; `named_links`: how many links were found by name, the system
    call's wrapper included."""

    evidence: ChainMatch
    named_links: int

    def __bool__(self) -> bool:
        """Whether the stack is the chain."""
        return self.evidence is not ChainMatch.NONE


def classify(names: Sequence[str], chain: CallChain, at_call: bool) -> Verdict:
    """Judge a stack of function names, innermost first; names in [brackets] are no names.

    at_call: the stack was taken at the chain's system call (for a break check: a poll of one
    descriptor with timeout 0). Only then may missing names be given the benefit of the doubt, and
    only then does SHAPE occur: the call's arguments, not the stack, speak for it.
    at_call=False is for on-CPU samples, which also catch a process on its way to the call and
    back: there the outermost link must be named, and call the next link or stand innermost.
    """
    if len(chain.links) == 1:
        return _below_one(names, chain.links[0], at_call)
    bare = [function_name(name) for name in names]
    caller = _behind_call(bare, chain.links[-1])
    wrapper = int(caller is not None)
    if caller is None and at_call:  # the wrapper has no name, or the call was made without one
        caller = 1 if bare and not _named(bare[0]) else 0
    if caller is not None:
        verdict = _from_call(bare[caller:], chain, wrapper)
        if at_call or verdict.evidence in (ChainMatch.WHOLE, ChainMatch.HIDDEN):
            return verdict
    return _on_the_way(bare, chain)


def _below_one(names: Sequence[str], function: frozenset[str], at_call: bool) -> Verdict:
    """The verdict for a chain of one function: it stands anywhere on the stack."""
    if any(function_name(name) in function for name in names):
        return Verdict(ChainMatch.WHOLE if at_call else ChainMatch.INSIDE, 1)
    nameless = at_call and not any(_named(name) for name in names)
    return Verdict(ChainMatch.SHAPE if nameless else ChainMatch.NONE, 0)


def _behind_call(names: Sequence[str], wrappers: frozenset[str]) -> int | None:
    """Index of the frame that called the system call's wrapper, None where no wrapper is.

    Frames inside of it are the kernel's; wrappers may call one another (poll, pollsys).
    """
    index = next((i for i, name in enumerate(names) if name in wrappers), None)
    while index is not None and index < len(names) and names[index] in wrappers:
        index += 1
    return index


def _from_call(names: Sequence[str], chain: CallChain, wrapper: int) -> Verdict:
    """Hold the frames from the call outwards against the links, with and without the hidden one."""
    links = chain.links[-2::-1]
    for skipped, complete in ((0, ChainMatch.WHOLE), (1, ChainMatch.HIDDEN)):
        expected = links[skipped:]
        steps = list(zip(names, expected, strict=False))
        if any(_named(name) and name not in link for name, link in steps):
            continue
        by_name = sum(_named(name) for name, _ in steps)
        if by_name == len(expected) > 0:
            return Verdict(complete, by_name + wrapper)
        evidence = ChainMatch.PARTIAL if by_name else ChainMatch.SHAPE
        return Verdict(evidence, by_name + wrapper)
    return Verdict(ChainMatch.NONE, 0)


def _on_the_way(names: Sequence[str], chain: CallChain) -> Verdict:
    outermost, following = chain.links[0], chain.links[1]
    for index in range(len(names) - 1, -1, -1):
        if names[index] in outermost and (index == 0 or names[index - 1] in following):
            by_name = sum(
                name in link for name, link in zip(names[index::-1], chain.links, strict=False)
            )
            return Verdict(ChainMatch.INSIDE, by_name)
    return Verdict(ChainMatch.NONE, 0)


def _named(name: str) -> bool:
    return not name.startswith("[")
