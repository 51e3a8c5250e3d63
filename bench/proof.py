# SPDX-License-Identifier: GPL-2.0-or-later
"""The forecast compared with the truth: `python -m bench.proof` (as root).

For every driver: `advise`'s own code measures one in-band session at skip 3 and forecasts the
saving of every other skip and of being out-of-band. Before and after, that session executes the
same statement at each skip and with no checks at all, interleaved in random order, and each
execution's server CPU time is measured with nothing attached. The session changes its own skip (the
lab's ALTER SESSION), because two server processes differ by per cents, also in the cost of a poll,
by where their memory happens to lie.

Prints progress, rewrites the table after every driver, and takes five minutes a driver.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bench.proof_report import ForecastCell, proof_table
from polltrace import procfs
from polltrace.errors import DriverError, LabError, PolltraceError
from polltrace.intervals import median
from polltrace.overhead.advice import Advice
from polltrace.overhead.measurements import Durations, advise_session
from polltrace.scenarios.clients import PROGRAMS
from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.session_views import OracleViews
from polltrace.servers.servers import servers

PROFILED = 3
OUT_OF_BAND = 0  # as the lab's ALTER SESSION has it: no checks at all
SKIPS = (1, 3, 10, 100, 1000)
# Short: a virtual machine's speed changes by a quarter from one hundredth of a second to the next.
BLOCKS, TURNS, EXECUTION_S = 48, 200, 0.003


@dataclass(frozen=True, slots=True)
class Size:
    """The number of `blocks`, of executions of each cell in one (`turns`), and the seconds of
    on-CPU sampling (`sampled_s`)."""

    blocks: int
    turns: int
    sampled_s: float


def proved(lab: LabServer, name: str, size: Size) -> tuple[list[ForecastCell], Advice]:
    """The cells of one driver, and the advice they were forecast by."""
    first, *_, last = processors = sorted(os.sched_getaffinity(0))
    with DriverClient(name, processors=processors[:-1] or [first]) as client:
        title, spid = _session(lab, client, last)
        rows = _rows(client)
        before = size.blocks // 2
        saved = _measured(client, spid, rows, replace(size, blocks=before))
        # In the middle of them: what a poll takes changes with what else the host does.
        given = _profiled(client, spid, size.sampled_s)
        saved += _measured(client, spid, rows, replace(size, blocks=size.blocks - before))
        client.close()
    measured = {skip: median([block[skip] for block in saved]) for skip in SKIPS}
    by_skip = {each.break_poll_skip: each.saved_pct for each in given.forecast}
    by_skip[PROFILED] = given.out_of_band_saved
    return [ForecastCell(title, skip, by_skip[skip], measured[skip]) for skip in SKIPS], given


def _session(lab: LabServer, client: DriverClient, processor: int) -> tuple[str, int]:
    """A new in-band session at skip 3 on a processor of its own: the driver, the server's PID."""
    title = lab.connect(client, break_poll_skip=PROFILED, disable_oob=True)
    spid = OracleViews().spid(client)
    if spid is None:
        raise LabError("the lab's session has no server process here")
    os.sched_setaffinity(spid, {processor})
    client.execute(LOTSLIOS, {"n": 300})
    return title, spid


def _rows(client: DriverClient) -> int:
    rows, elapsed_s = 10, 0.0
    while elapsed_s < 20 * EXECUTION_S:  # long enough that the round trip does not count
        rows *= 2
        elapsed_s = client.execute(LOTSLIOS, {"n": rows}).elapsed_s[0]
        if rows > 10**8:
            raise LabError("the lab answers lotslios without doing any work")
    return round(rows * EXECUTION_S / elapsed_s)


def _profiled(client: DriverClient, spid: int, sampled_s: float) -> Advice:
    """The output of `advise` for the session while it executes the statement without an end."""
    client.execute(f"alter session set break_poll_skip = {PROFILED}")
    client.begin(LOTSLIOS, {"n": 10**9})
    try:
        (server,) = servers([spid])
        return advise_session(server, Durations(sampled=sampled_s))
    finally:
        client.send_break()
        client.finish()


def _measured(client: DriverClient, spid: int, rows: int, size: Size) -> list[dict[int, float]]:
    """By skip, what it takes less CPU than skip 3; at skip 3, what being out-of-band takes less.

    A block's median counts once, whatever its turns have in common.
    """
    order = random.Random()
    saved = []
    for block in range(size.blocks):
        _say(f"{client.name}: block {block + 1} of {size.blocks}")
        cpu_s: dict[int, list[float]] = {skip: [] for skip in (OUT_OF_BAND, *SKIPS)}
        parse_s: list[float] = []
        for _ in range(size.turns):
            parse_s.append(_cpu_s(client, spid, 1))
            for skip in order.sample(list(cpu_s), len(cpu_s)):
                client.execute(f"alter session set break_poll_skip = {skip}")
                cpu_s[skip].append(_cpu_s(client, spid, rows))
        # Parsing and answering take up to a sixth of executions as short as these. They are no
        # part of the statement that was measured: it ran without an end.
        for values in cpu_s.values():
            values[:] = [value - statistics.median(parse_s) for value in values]
        cpu_s_other = {skip: cpu_s[OUT_OF_BAND if skip == PROFILED else skip] for skip in SKIPS}
        saved.append({s: _saved_pct(cpu_s[PROFILED], other) for s, other in cpu_s_other.items()})
    return saved


def _cpu_s(client: DriverClient, spid: int, rows: int) -> float:
    before = procfs.running_s(spid)
    client.execute(LOTSLIOS, {"n": rows})
    after = procfs.running_s(spid)
    if before is None or after is None:
        raise DriverError("a session ended before its time")
    return after - before


def _saved_pct(base: Sequence[float], other: Sequence[float]) -> float:
    """Of executions side by side: whatever the machine did then, it did to both."""
    return statistics.median(100 * (1 - b / a) for a, b in zip(base, other, strict=True))


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def _written(output: Path, cells: Sequence[ForecastCell], notes: Mapping[str, Advice]) -> None:
    draft = output.with_suffix(".new")
    draft.write_text(proof_table(cells, notes))
    draft.replace(output)
    output.with_suffix(".json").write_text(
        json.dumps([asdict(cell) | {"inside": cell.inside} for cell in cells], indent=1) + "\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.proof", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/forecast-proof.md"))
    parser.add_argument("--driver", action="append", choices=list(PROGRAMS), help="default: all")
    parser.add_argument("--blocks", type=int, default=BLOCKS, help="blocks of turns (%(default)s)")
    parser.add_argument("--turns", type=int, default=TURNS, help="of each (%(default)s)")
    parser.add_argument(
        "--look", dest="sampled", type=float, default=24.0, help="seconds sampled (%(default)s)"
    )
    args = parser.parse_args()
    cells: list[ForecastCell] = []
    notes: dict[str, Advice] = {}
    with ExitStack() as stack:
        lab = stack.enter_context(LabServer())
        for name in args.driver or PROGRAMS:
            if reason := PROGRAMS[name].missing():
                _say(f"left out: {reason}")
                continue
            try:
                found, given = proved(lab, name, Size(args.blocks, args.turns, args.sampled))
            except PolltraceError as error:
                _say(f"left out: {name}: {error}")
                continue
            cells += found
            notes[found[0].driver] = given
            _written(args.output, cells, notes)
    if not cells:
        _say("no driver, no proof")
        return 1
    print(proof_table(cells, notes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
