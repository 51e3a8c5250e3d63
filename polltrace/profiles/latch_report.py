# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stat --latches`: where all the time of processes goes, and the part that latches take,
as text and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from polltrace.profiles.latches import LatchPath, LatchTime
from polltrace.profiles.off_cpu_report import off_cpu_data, off_cpu_lines, off_cpu_notes

SHOWN = 10
LINKS = 4  # of a path: the function that gets the latch and three callers
_INSIDE_ONLY = (
    "Gets and misses that were over at once leave no trace outside of the server: v$latch counts "
    "them."
)


def latch_text(time: LatchTime) -> str:
    """The division of the threads' lives, then the paths to latches."""
    lines = latch_screen(time, names_latches=True)
    return "\n".join([*lines, "", *off_cpu_notes(time.whole), _INSIDE_ONLY])


def latch_screen(time: LatchTime, *, names_latches: bool) -> list[str]:
    """The report as lines without notes. `names_latches`: this server's waits are recognised."""
    lines = list(off_cpu_lines(time.whole, time.seconds))
    if not names_latches:
        return lines
    paths = ["", *latch_lines(time.paths, sample_ns=time.spun_ns(1))] if time.paths else []
    return [*lines, "", _verdict(time), *paths]


def latch_data(time: LatchTime) -> dict[str, Any]:
    """The latch time as JSON-ready data; paths begin with the outermost function."""
    share = time.spun_share
    return {
        "seconds": time.seconds,
        **off_cpu_data(time.whole),
        "cpu_samples": time.samples,
        "spun_samples": time.spun,
        "spun_percent": None if share is None else [share.low, share.value, share.high],
        "sleeps": time.sleeps,
        "slept_ns": time.slept_ns,
        "paths": latch_path_data(time.paths),
    }


def latch_path_data(
    paths: Iterable[LatchPath], *, spun: bool = True, slept: bool = True
) -> list[dict[str, Any]]:
    """Paths as JSON-ready data, with null for times that were not measured (`spun`, `slept`)."""
    return [
        {
            "path": list(path.path),
            "spun_samples": path.spun if spun else None,
            "sleeps": path.sleeps if slept else None,
            "slept_ns": path.slept_ns if slept else None,
        }
        for path in paths
    ]


def latch_lines(
    paths: Iterable[LatchPath], *, sample_ns: float, slept: bool = True
) -> Iterator[str]:
    """A table of paths, with a dash for times that were not measured. A sample on CPU stands for
    `sample_ns`, 0 if that is not known; `slept`: sleeps were measured."""
    listed = list(paths)
    yield f"{'slept s':>12}{'sleeps':>10}{'spun s':>10}  path to the latch"
    for path in listed[:SHOWN]:
        cut = "… > " if len(path.path) > LINKS else ""
        functions = cut + " > ".join(path.path[-LINKS:])
        time = f"{path.slept_ns / 1e9:,.6f}" if slept else "-"
        sleeps = f"{path.sleeps:,}" if slept else "-"
        spun = f"{path.spun * sample_ns / 1e9:,.3f}" if sample_ns else "-"
        yield f"{time:>12}{sleeps:>10}{spun:>10}  {functions}"
    if len(listed) > SHOWN:
        yield f"… {len(listed) - SHOWN} more paths; --json has them all"


def _verdict(time: LatchTime) -> str:
    all_ns = time.whole.thread_ns
    slept = f"{100 * time.slept_ns / all_ns:.2f} %" if all_ns else "0 %"
    if (share := time.spun_share) is None:
        spun = "no sample on CPU was taken"
    else:
        spun = (
            f"{share.value:.1f} % [{share.low:.1f}, {share.high:.1f}] of the CPU time spun, "
            f"{time.spun} of {time.samples:,} samples"
        )
    return f"Latches: {slept} of the time slept, {time.sleeps:,} sleeps; {spun}."
