# SPDX-License-Identifier: GPL-2.0-or-later
"""Output of `top` without a terminal: a table or a JSON object for each frame."""

from __future__ import annotations

import contextlib
import json
import selectors
import shutil
import sys
import time
from pathlib import Path

from rich.text import Text

from polltrace.printable import one_line
from polltrace.top.brief_measurement import GapSurvey
from polltrace.top.columns import shown
from polltrace.top.header import header
from polltrace.top.screen import table_row, titles
from polltrace.top.state import UIState, visible
from polltrace.watch.calibration import Calibration
from polltrace.watch.host_monitor import HostMonitor
from polltrace.watch.inspection import Inspector
from polltrace.watch.probe import LiveProbe
from polltrace.watch.probe_host import WatchOptions
from polltrace.watch.snapshot import Snapshot
from polltrace.watch.snapshot_report import snapshot_data

_PATIENCE_S = 30.0
# By then there were enough windows for a rate.
_RATES_S = 4.0
# Wide enough for every column.
_WIDTH = 200


def batch(state: UIState, watch: WatchOptions, iterations: int | None, *, as_json: bool) -> None:
    """Print `iterations` snapshots (None: until interrupted), one for each frame of the probe.

    The first comes when rates are known, and each when its cost per poll is, if all of that takes
    no longer than half a minute. Raises the probe's failure.
    """
    probe_host = watch.probe_host
    inspector, calibration = (
        Inspector(probe_host.servers),
        Calibration(probe_host.check_cost, host=probe_host.factors()),
    )
    host = HostMonitor(inspector, probe_host)
    survey = GapSurvey(probe_host if watch.gaps else None)
    printed, patience_s = 0, _PATIENCE_S
    with (
        contextlib.closing(survey),
        LiveProbe.of_host(watch.interval_s, probe_host) as probe,
        selectors.DefaultSelector() as waiting,
    ):
        waiting.register(probe, selectors.EVENT_READ)
        while iterations is None or printed < iterations:
            waiting.select(1.0)
            lines = probe.lines()
            if lines is None:
                raise probe.failure()
            frames = sum([host.feed(line) for line in lines])
            while inspector.due():
                host.inspected(inspector.inspect(1000))
            if not frames:
                continue
            snapshot = host.snapshot(calibration.poll_costs)
            rows = snapshot.rows
            early = not printed and snapshot.t_s is not None and snapshot.t_s < _RATES_S
            if early and any(row.polls_per_s is None for row in rows):
                continue
            watch.identities.follow(inspector.servers.values())
            watch.identities.wait()
            if watch.identities.follow(inspector.servers.values()):
                host.set_sessions(watch.identities.sessions)
            if survey.follow(rows):
                host.set_worst_gaps(survey.worst_s)
                host.set_timed_costs(survey.costs)
            calibration.want(snapshot.knots)
            # On an overloaded host measuring takes its time: late figures come with later prints.
            before_s = time.monotonic()
            calibration.wait(patience_s)
            patience_s = max(0.0, patience_s - (time.monotonic() - before_s))
            _print(
                host.snapshot(calibration.poll_costs), state, as_json=as_json, repeated=printed > 0
            )
            printed += 1


def batch_replay(state: UIState, path: Path, iterations: int | None, *, as_json: bool) -> None:
    """Print a recording frame by frame, as fast as it can be read."""
    # Reading recordings takes a library that watching does not.
    from polltrace.top.player import Player

    player = Player(path)
    printed = 0
    while (iterations is None or printed < iterations) and player.next_frame():
        _print(player.snapshot(), state, as_json=as_json, repeated=printed > 0)
        printed += 1


def _print(snapshot: Snapshot, state: UIState, *, as_json: bool, repeated: bool) -> None:
    if as_json:
        # In one piece: an interrupt leaves no torn line.
        line = json.dumps(snapshot_data(snapshot, visible(snapshot, state)))
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
        return
    width = max(_WIDTH, shutil.get_terminal_size((_WIDTH, 24)).columns)
    columns = shown(width, snapshot)
    lines: list[Text] = [*header(snapshot, width), titles(columns, width, state)]
    lines += [table_row(row, columns, width) for row in visible(snapshot, state)]
    if repeated:
        print()
    print("\n".join(one_line(line.plain).rstrip() for line in lines), flush=True)
