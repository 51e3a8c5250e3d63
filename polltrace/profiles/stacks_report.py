# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stacks`: the commonest stacks, how many are the break check, and how good they are."""

from __future__ import annotations

import dataclasses
import json
import posixpath
import textwrap
from collections.abc import Iterator

from polltrace.intervals import proportion
from polltrace.profiles.sampled import AT_POLL
from polltrace.profiles.stack_profile import Quality, StackProfile
from stacks.folded import Folded, total

SHOWN = 5
SHOWN_PROBLEMS = 3


def stacks_text(found: StackProfile, shown: Folded) -> str:
    """Verdict first, then the commonest stacks outermost first, then what to hold against them.

    shown: the stacks, or those of them that were asked for, perhaps grouped.
    """
    if not found.samples:
        idle = "no break poll was sampled" if found.kind == AT_POLL else "no process was on CPU"
        nothing = f"No stacks: in {found.seconds:.1f} s {idle}."
        return "\n".join([nothing, *quality_notes(found.quality)])
    lines = [_verdict(found), _sampled(found)]
    whole, part = total(found.folded), total(shown)
    if part != whole:
        lines.append(f"Shown: {100 * part / whole:.1f} % of the stacks; shares are of all.")
    lines += ["", *commonest(shown, whole)]
    if len(shown) > SHOWN:
        lines.append(f"   …     {len(shown) - SHOWN} more stacks; --format folded has them all")
    ends = str(found.quality.early)
    return "\n".join([*lines, "", f"{ends[0].upper()}{ends[1:]}.", *quality_notes(found.quality)])


def commonest(shown: Folded, whole: int, most: int = SHOWN) -> Iterator[str]:
    """The commonest stacks, outermost first, each with its share of `whole`."""
    ordered = sorted(shown.items(), key=lambda item: (-item[1], item[0]))
    for functions, count in ordered[:most]:
        share = f"{100 * count / whole:5.1f} %  "
        yield textwrap.fill(
            " > ".join(functions) or "(no user stack)",
            width=100,
            initial_indent=share,
            subsequent_indent=" " * len(share),
            break_long_words=False,
            break_on_hyphens=False,
        )


def stacks_json(found: StackProfile, shown: Folded) -> str:
    """All of it as one JSON object; functions outermost first, commonest stacks first."""
    ordered = sorted(shown.items(), key=lambda item: (-item[1], item[0]))
    data = {
        "kind": found.kind,
        "seconds": found.seconds,
        "samples": found.samples,
        "break_checks": found.checks,
        "break_checks_by_shape": found.by_shape,
        "break_polls": found.break_polls,
        "quality": dataclasses.asdict(found.quality),
        "unit": found.unit,
        "stacks": [{"count": n, "functions": functions} for functions, n in ordered],
    }
    return json.dumps(data, indent=1) + "\n"


def _verdict(found: StackProfile) -> str:
    checks, samples = found.checks, found.samples
    if found.kind == AT_POLL:
        by_shape = f", {found.by_shape:,} by shape alone: no names" if found.by_shape else ""
        return f"{checks:,} of {samples:,} stacks at a break poll are the break check{by_shape}."
    share = proportion(checks, samples)
    return (
        f"{share.value:.1f} % [{share.low:.1f}, {share.high:.1f}] of {samples:,} on-CPU samples "
        "are in the break check."
    )


def _sampled(found: StackProfile) -> str:
    if found.kind != AT_POLL:
        return f"Sampled in {found.seconds:.1f} s, each of a process on CPU."
    return f"Sampled: {found.samples:,} of {found.break_polls:,} break polls" + (
        f" in {found.seconds:.1f} s." if found.seconds else "."
    )


def quality_notes(quality: Quality) -> Iterator[str]:
    """What is to be held against the stacks, a sentence each; nothing when all is well."""
    if quality.truncated:
        yield f"{quality.truncated:,} stacks are deeper than what was kept of them."
    if quality.caller_unknown:
        yield (
            f"{quality.caller_unknown:,} stacks may lack the function that called poll: where this "
            "libc keeps its return address is not known."
        )
    if quality.lost:
        yield f"{quality.lost:,} stacks were lost: there was no room for more different ones."
    if quality.no_kernel:
        yield f"{quality.no_kernel:,} stacks are shown without the kernel's part: no room for it."
    if quality.skipped:
        yield f"{quality.skipped:,} times the kernel did not let the probe take its sample."
    if quality.unnamed:
        yield (
            f"{quality.unnamed:,} stacks are left out: their processes ended before their memory "
            "maps could be read."
        )
    if not quality.complete:
        yield "The look was cut short: the probe did not say that it had seen everything."
    problems = sorted(quality.problems.items())
    for path, reason in problems[:SHOWN_PROBLEMS]:
        yield f"Names are missing in {posixpath.basename(path) or path}: {reason}."
    if len(problems) > SHOWN_PROBLEMS:
        more = len(problems) - SHOWN_PROBLEMS
        yield f"Names are missing in {more} more objects; see --format json."
