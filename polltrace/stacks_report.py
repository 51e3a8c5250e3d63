# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stacks`: the commonest stacks, how many are the break check, and how good they are."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from polltrace.intervals import proportion
from polltrace.profile import Profile
from polltrace.sampled import AT_POLL, NamedStack
from stacks import early_ends

SHOWN = 5


def stacks_text(stacks: Sequence[NamedStack], profile: Profile, kind: str) -> str:
    """Verdict first, then the commonest stacks outermost first, then what to hold against them."""
    samples = sum(stack.count for stack in stacks)
    if not samples:
        idle = "no break poll was sampled" if kind == AT_POLL else "no process was on CPU"
        return f"No stacks: in {profile.seconds:.1f} s {idle}."
    lines = [_verdict(stacks, samples, kind), ""]
    for stack in stacks[:SHOWN]:
        names = " > ".join(frame.name for frame in reversed(stack.frames)) or "(no user stack)"
        share = f"{100 * stack.count / samples:5.1f} %  "
        lines.append(
            textwrap.fill(
                names,
                width=100,
                initial_indent=share,
                subsequent_indent=" " * len(share),
                break_long_words=False,
                break_on_hyphens=False,
            )
        )
    if len(stacks) > SHOWN:
        lines.append(f"   …     {len(stacks) - SHOWN} more stacks; --format folded has them all")
    return "\n".join([*lines, "", *_quality(stacks, profile)])


def _verdict(stacks: Sequence[NamedStack], samples: int, kind: str) -> str:
    checks = sum(stack.count for stack in stacks if stack.is_break_check)
    if kind == AT_POLL:
        return f"{checks:,} of {samples:,} stacks at a break poll are the break check."
    share = proportion(checks, samples)
    return (
        f"{share.value:.1f} % [{share.low:.1f}, {share.high:.1f}] of {samples:,} on-CPU samples "
        "are in the break check."
    )


def _quality(stacks: Sequence[NamedStack], profile: Profile) -> list[str]:
    truncated = sum(stack.count for stack in stacks if stack.truncated)
    whole = [(stack.frames, stack.count) for stack in stacks if not stack.truncated]
    notes = [str(early_ends(whole)).capitalize() + "."]
    if truncated:
        notes.append(f"{truncated:,} stacks are deeper than what was kept of them.")
    if lost := profile.lost.get("stacks", 0):
        notes.append(f"{lost:,} stacks were lost: there was no room for more different ones.")
    return notes
