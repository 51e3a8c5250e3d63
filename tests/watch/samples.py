# SPDX-License-Identifier: GPL-2.0-or-later
"""Hosts, sessions and frames made up for the tests of `polltrace top`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from polltrace.breaks.break_mode import BreakMode
from polltrace.breaks.sqlnet import BreakSettings, default_settings
from polltrace.engines import BREAK_POLL, engine_of
from polltrace.intervals import Estimate
from polltrace.overhead.poll_cost import Knot
from polltrace.profiles.frames import PollRate
from polltrace.profiles.sampled import NamedStack
from polltrace.servers.client_socket import ClientSocket
from polltrace.servers.servers import Server
from polltrace.stacks import Frame
from polltrace.watch.snapshot import OwnCost, PollCosts, ServerRow, Snapshot, totals_of

ASKED = "the client did not ask for out-of-band breaks (its platform, driver or sqlnet.ora)"
KNOT = Knot(BREAK_POLL, 8)
COST = Estimate(500e-9, 450e-9, 550e-9)
COSTS = PollCosts({KNOT: COST})


def row(
    pid: int,
    *,
    polls: float | None = 0.0,
    cpu: float | None = 0.0,
    mode: BreakMode = BreakMode.OUT_OF_BAND,
    instance: str = "ORCL",
    client: str = "10.0.0.7",
    calibrated: bool = True,
    past: tuple[float, ...] = (),
    worst_gap_s: float | None = None,
    skip: int | None = 3,
    engine: str = "Oracle Database",
) -> ServerRow:
    return ServerRow(
        pid=pid,
        start_ticks=7,
        engine=engine,
        instance=instance,
        client=f"{client}:{40000 + pid}" if client else "",
        mode=mode,
        reason=ASKED if mode is BreakMode.IN_BAND else "",
        skip=skip,
        cpu_pct=cpu,
        rate=None if polls is None else PollRate(polls, polls, polls),
        knot=KNOT if polls else None,
        poll_cost_s=COST if polls and calibrated else None,
        past=past,
        worst_gap_s=worst_gap_s,
    )


ROWS = (
    row(101, cpu=12.5),
    row(
        102,
        polls=100_000,
        cpu=80.0,
        mode=BreakMode.IN_BAND,
        past=(0, 25e3, 50e3, 100e3),
        worst_gap_s=0.0467,
    ),
    row(103, polls=20_000, cpu=100.0, mode=BreakMode.IN_BAND, instance="SALES", client="10.0.0.9"),
    row(104, polls=None, cpu=None, mode=BreakMode.UNKNOWN, client="2001:db8::1428:57ab"),
    row(105, mode=BreakMode.LOCAL, client=""),
)


def snapshot(rows: Sequence[ServerRow] = ROWS, *, costs: PollCosts = COSTS) -> Snapshot:
    return Snapshot(
        host="dbhost",
        clock="12:34:56",
        t_s=42.0,
        rows=tuple(rows),
        costs=costs,
        cost=OwnCost(probe_pct=0.82, bpf_pct=0.11, screen_pct=0.43, probe_s=2.0, bpf_s=0.1),
        lost={},
        totals=totals_of(rows),
    )


def named_stack(names: str, count: int, *, check: bool = False, at: int = 0) -> NamedStack:
    """A stack of these functions, innermost first."""
    frames = tuple(Frame(name, "/lab", at, at) for name in names.split())
    return NamedStack(frames, count, truncated=False, is_break_check=check)


def postgresql_server(pid: int) -> Server:
    known = engine_of("postgres", f"postgres: scott sales 10.0.0.7({40000 + pid}) SELECT")
    assert known is not None
    engine, title = known
    peer = f"10.0.0.7:{engine.client_port(title)}"
    return Server(
        pid=pid,
        start_ticks=7,
        engine=engine,
        instance=engine.instance_of(title),
        local=engine.is_local(title),
        socket=ClientSocket(7, "10.0.0.1:5432", peer, 0),
        catches_sigurg=False,
        settings=default_settings(engine),
    )


def server(pid: int, start_ticks: int = 7, *, owner: int | None = 0) -> Server:
    known = engine_of("oracle", "oracleORCL (LOCAL=NO)")
    assert known is not None
    return Server(
        pid=pid,
        start_ticks=start_ticks,
        engine=known[0],
        instance="ORCL",
        local=False,
        socket=ClientSocket(14, "10.0.0.1:1521", f"10.0.0.7:{40000 + pid}", owner),
        catches_sigurg=owner != 0,
        settings=BreakSettings(Path("/u01/network/admin/sqlnet.ora"), 3, False, False),
    )


def process_line(pid: int, start_ticks: int = 7) -> bytes:
    record = {"type": "process", "pid": pid, "start_ticks": start_ticks}
    return _line(record | {"comm": "oracle", "cmdline": ["oracleORCL", "(LOCAL=NO)"]})


def exit_line(pid: int, start_ticks: int = 7) -> bytes:
    return _line({"type": "exit", "pid": pid, "start_ticks": start_ticks})


def frame_line(
    t_s: float,
    *processes: tuple[int, float, float],
    sockets: Sequence[dict[str, object]] = (),
) -> bytes:
    """A frame as the probe prints it: of (pid, CPU seconds, polls a second) since the start, with
    two equal windows of 10 ms a second. Each polls these `sockets`."""
    made = [
        {
            "pid": pid,
            "start_ticks": 7,
            "cpu_s": cpu_s,
            "break_polls": round(polls_per_s * 0.02 * t_s),
            "other_polls": 0,
            "sockets": list(sockets),
            "stacks": [],
            "cpu_samples": 0,
            "windows": windows([(polls_per_s * 0.01, 0.01 * cpu_s / t_s)] * round(2 * t_s)),
        }
        for pid, cpu_s, polls_per_s in processes
    ]
    lost = {"processes": 0, "stacks": 0, "runs": 0}
    cost = {"cpu_s": 0.01 * t_s, "bpf_s": 0.001 * t_s, "bpf_runs": 1}
    record = {"type": "frame", "seq": round(t_s), "t_s": t_s, "final": False, "processes": made}
    return _line(record | {"lost": lost, "own_cost": cost})


def windows(seen: Sequence[tuple[float, float]]) -> dict[str, object]:
    """Windows of 10 ms as the probe prints them: (polls, CPU seconds) of each."""
    return {
        "count": len(seen),
        "polls": sum(polls for polls, _ in seen),
        "seconds": 0.01 * len(seen),
        "cpu_s": sum(cpu_s for _, cpu_s in seen),
        "displaced_s": 0,
        "squares": [
            sum(polls**2 for polls, _ in seen),
            sum(polls * cpu_s for polls, cpu_s in seen),
            sum(cpu_s**2 for _, cpu_s in seen),
        ],
        "neighbours": [
            sum(polls * other for (polls, _), (other, _) in pairwise(seen)),
            sum((p * d + q * c) / 2 for (p, c), (q, d) in pairwise(seen)),
            sum(cpu_s * other for (_, cpu_s), (_, other) in pairwise(seen)),
        ],
        "stolen": 0,
        "cost_ns": 200,
    }


def _line(record: dict[str, object]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode()
