# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stacks`: the commonest stacks, how many are the break check, and how good they are."""

from __future__ import annotations

import dataclasses
import posixpath
import textwrap
from collections.abc import Iterator
from typing import Any

from polltrace.intervals import proportion
from polltrace.profiles.latch_report import latch_lines, latch_path_data
from polltrace.profiles.off_cpu_report import off_cpu_data, off_cpu_lines, off_cpu_notes
from polltrace.profiles.sampled import AT_POLL, OFF_CPU, ON_CPU
from polltrace.profiles.stack_profile import StackProfile, StackQuality
from polltrace.stacks.folded import Folded, total

SHOWN = 5
SHOWN_PROBLEMS = 3
_IDLE = {
    AT_POLL: "no poll of a socket with timeout 0 was sampled",
    ON_CPU: "no process was on CPU",
    OFF_CPU: "no thread was off CPU",
}
_WHY_AT_POLL = "frames between the poll and its callers may be missing"
_WHY_ON_CPU = "their stacks end early, or the server's functions have no names"


def stacks_text(profile: StackProfile, folded: Folded) -> str:
    """The verdict, then the commonest stacks outermost first, then the stacks' quality.

    `shown` are the stacks to print: all of them, or the chosen ones, perhaps grouped.
    """
    if not profile.folded:
        nothing = f"No stacks: in {profile.seconds:.1f} s {_IDLE[profile.kind]}."
        return "\n".join([nothing, *quality_notes(profile.quality)])
    if profile.off_cpu is None:
        lines = [_verdict(profile), _sampled(profile)]
    else:
        lines = [*off_cpu_lines(profile.off_cpu, profile.seconds)]
    if profile.latches:
        sample_ns = 1e9 / profile.hz if profile.hz else 0.0
        slept = profile.off_cpu is not None
        lines += ["", *latch_lines(profile.latches, sample_ns=sample_ns, slept=slept)]
    all_weight, part = total(profile.folded), total(folded)
    if part != all_weight:
        lines.append(f"Shown: {100 * part / all_weight:.1f} % of the stacks; shares are of all.")
    lines += ["", *commonest(folded, all_weight)]
    if len(folded) > SHOWN:
        lines.append(f"   …     {len(folded) - SHOWN} more stacks; --format folded has them all")
    return "\n".join([*lines, "", *all_notes(profile)])


def all_notes(profile: StackProfile) -> Iterator[str]:
    """The quality of the stacks, a sentence each: how many reach their beginning, then defects."""
    if profile.folded:
        ends = str(profile.quality.early)
        yield f"{ends[0].upper()}{ends[1:]}."
    yield from off_cpu_notes(profile.off_cpu)
    yield from quality_notes(profile.quality)


def commonest(folded: Folded, all_weight: int, limit: int = SHOWN) -> Iterator[str]:
    """The commonest stacks, outermost first, each with its share of `whole`."""
    ordered = sorted(folded.items(), key=lambda item: (-item[1], item[0]))
    for functions, count in ordered[:limit]:
        share = f"{100 * count / all_weight:5.1f} %  "
        yield textwrap.fill(
            " > ".join(functions) or "(no user stack)",
            width=100,
            initial_indent=share,
            subsequent_indent=" " * len(share),
            break_long_words=False,
            break_on_hyphens=False,
        )


def stacks_data(profile: StackProfile, folded: Folded) -> dict[str, Any]:
    """The stacks as JSON-ready data; functions outermost first, commonest stacks first."""
    ordered = sorted(folded.items(), key=lambda item: (-item[1], item[0]))
    return {
        "kind": profile.kind,
        "seconds": profile.seconds,
        "samples": profile.samples,
        "break_checks": None if profile.undecided == profile.samples else profile.checks,
        "break_checks_by_shape": profile.by_shape,
        "undecided": profile.undecided,
        "other_programs": profile.foreign,
        "break_polls": profile.break_polls,
        "quality": dataclasses.asdict(profile.quality),
        "unit": profile.unit,
        "stacks": [{"count": n, "functions": list(functions)} for functions, n in ordered],
        **off_cpu_data(profile.off_cpu),
        "latches": latch_path_data(
            profile.latches, spun=profile.off_cpu is None, slept=profile.off_cpu is not None
        ),
    }


def _verdict(profile: StackProfile) -> str:
    """The part of the stacks that are the break check; of programs of no known engine, only their
    number."""
    at_poll = profile.kind == AT_POLL
    if profile.foreign == profile.samples:
        taken = "stacks at polls of a socket with timeout 0" if at_poll else "on-CPU samples"
        return f"{profile.samples:,} {taken}."
    of_servers = profile.samples - profile.foreign
    judged = profile.samples - profile.undecided
    undecided = profile.undecided - profile.foreign
    why = _WHY_AT_POLL if at_poll else _WHY_ON_CPU
    taken = "stacks at a break poll" if at_poll else "on-CPU samples"
    if judged == 0:
        sentences = [f"Cannot tell whether {of_servers:,} {taken} are in the break check: {why}."]
    else:
        sentences = [_judged_part(profile, judged, taken)]
        if undecided:
            sentences.append(f"Cannot tell of {undecided:,} more: {why}.")
    if profile.foreign:
        sentences.append(f"{profile.foreign:,} more are of other programs.")
    return " ".join(sentences)


def _judged_part(profile: StackProfile, judged: int, taken: str) -> str:
    if profile.kind == AT_POLL:
        by_shape = f", {profile.by_shape:,} by shape alone: no names" if profile.by_shape else ""
        return f"{profile.checks:,} of {judged:,} {taken} are the break check{by_shape}."
    share = proportion(profile.checks, judged)
    interval = f"{share.value:.1f} % [{share.low:.1f}, {share.high:.1f}]"
    return f"{interval} of {judged:,} {taken} are in the break check."


def _sampled(profile: StackProfile) -> str:
    if profile.kind != AT_POLL:
        return f"Sampled in {profile.seconds:.1f} s, each of a process on CPU."
    polls = "break polls" if profile.engines else "such polls"
    return f"Sampled: {profile.samples:,} of {profile.break_polls:,} {polls}" + (
        f" in {profile.seconds:.1f} s." if profile.seconds else "."
    )


def quality_notes(quality: StackQuality) -> Iterator[str]:
    """The defects of a set of stacks, a sentence each; nothing where there are none."""
    if quality.truncated:
        yield f"{quality.truncated:,} stacks are deeper than the part that was kept."
    if quality.caller_unknown:
        yield (
            f"{quality.caller_unknown:,} stacks may lack the function that called poll: where this "
            "libc keeps its return address is not known."
        )
    if quality.lost:
        yield f"{quality.lost:,} stacks were lost: there was no room for more different ones."
    if quality.no_kernel:
        yield f"{quality.no_kernel:,} stacks lack their kernel part: there was no room for it."
    if quality.skipped:
        yield f"The kernel refused the probe {quality.skipped:,} samples."
    if quality.unnamed:
        yield (
            f"{quality.unnamed:,} stacks are left out: their processes ended before their memory "
            "maps could be read."
        )
    if not quality.complete:
        yield "The measurement was cut short: the probe ended without its last record."
    problems = sorted(quality.problems.items())
    for path, reason in problems[:SHOWN_PROBLEMS]:
        yield f"Names are missing in {posixpath.basename(path) or path}: {reason}."
    if len(problems) > SHOWN_PROBLEMS:
        hidden = len(problems) - SHOWN_PROBLEMS
        yield f"Names are missing in {hidden} more objects; see --format json."
