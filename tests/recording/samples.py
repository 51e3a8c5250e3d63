# SPDX-License-Identifier: GPL-2.0-or-later
"""Records of a recording, made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from polltrace.recording.file import RecordingFile


def header(**changes: Any) -> dict[str, Any]:
    return {
        "format": "polltrace-recording",
        "version": 2,
        "polltrace": "0.1.0",
        "host": "dbhost",
        "kernel": "6.1.0",
        "arch": "x86_64",
        "command": ["polltrace", "record", "--all"],
        "started": "2026-01-31T12:00:00Z",
        "interval_s": 1.0,
        "part": 1,
        "at_s": 0.0,
        **changes,
    }


def probe(record: dict[str, Any], at_s: float, stream: str = "count") -> dict[str, Any]:
    return {"type": "probe", "stream": stream, "at_s": at_s, "record": record}


def probe_header() -> dict[str, Any]:
    return {
        "type": "header",
        "format": 1,
        "probe": "0.1.0",
        "host": "dbhost",
        "kernel": "6.1.0",
        "arch": "x86_64",
        "time": "2026-01-31T12:00:00Z",
        "mode": "count",
        "variant": "fentry",
        "reads": "direct",
        "interval_s": 1.0,
        "argv": [],
    }


def frame(t_s: float, *processes: dict[str, Any], **lost: int) -> dict[str, Any]:
    return {
        "type": "frame",
        "seq": int(t_s),
        "t_s": t_s,
        "final": False,
        "processes": list(processes),
        "lost": {"processes": 0, "stacks": 0, **lost},
    }


CLIENT = {"fd": 15, "local": "10.0.0.5:1521", "peer": "10.0.0.9:50000"}


def totals(pid: int, start: int, cpu_s: float, polls: int, **more: Any) -> dict[str, Any]:
    return {
        "pid": pid,
        "start_ticks": start,
        "cpu_s": cpu_s,
        "break_polls": polls,
        "other_polls": 0,
        "sockets": [{**CLIENT, "kind": "tcp", "polls": polls}] if polls else [],
        **more,
    }


def process(pid: int, start: int, title: str = "oracleORCL (LOCAL=NO)") -> dict[str, Any]:
    return {
        "type": "process",
        "pid": pid,
        "start_ticks": start,
        "comm": "oracle",
        "cmdline": [title],
        "exe": "/u01/bin/oracle",
        "uid": 54321,
        "ns_pid": pid,
        "parent": 0,
    }


def server(pid: int, start: int, **changes: Any) -> dict[str, Any]:
    return {
        "type": "server",
        "at_s": 0.1,
        "pid": pid,
        "start_ticks": start,
        "engine": "Oracle Database",
        "instance": "ORCL",
        "local": False,
        "client": {**CLIENT, "owner": 0},
        "catches_sigurg": False,
        "settings": {
            "path": "/u01/network/admin/sqlnet.ora",
            "break_poll_skip": 3,
            "disable_oob": False,
            "skip_is_default": False,
        },
        **changes,
    }


def trailer(at_s: float, **changes: Any) -> dict[str, Any]:
    return {
        "type": "trailer",
        "at_s": at_s,
        "reason": "duration",
        "lost": {},
        "late_frames": 0,
        "probe_cpu_s": 0.1,
        "bpf_s": 0.1,
        "recorder_cpu_s": 0.2,
        "unnamed": 0,
        **changes,
    }


POLL_COST = {"type": "poll_cost", "at_s": 1.0, "interval_us": 8, "cost_s": [6e-7, 5e-7, 7e-7]}


def stack(count: int, *addresses: int, kind: str = "cpu") -> dict[str, Any]:
    return {
        "kind": kind,
        "count": count,
        "hidden": "recovered",
        "truncated": False,
        "addresses": list(addresses),
    }


def symbols(pid: int, start: int, names: dict[int, str], leaf: int) -> dict[str, Any]:
    rows = [[address, int(address != leaf), 0, name, 16] for address, name in names.items()]
    return {"type": "symbols", "pid": pid, "start_ticks": start, "modules": ["/o"], "frames": rows}


CHAIN = {1: "poll", 2: "sntpoltsts", 3: "snttmoredata", 4: "nsmore2recv", 5: "nioqts", 6: "main"}


def story(polls_per_s: int = 100_000, seconds: int = 4, checks: int = 10) -> list[dict[str, Any]]:
    """One busy in-band server; of a hundred samples a second `checks` are in the break check."""
    records = [
        probe(probe_header(), 0.0),
        probe(process(100, 7), 0.0),
        probe(probe_header(), 0.0, "cpu"),
        probe(process(100, 7), 0.0, "cpu"),
        server(100, 7),
        POLL_COST,
        symbols(100, 7, CHAIN, leaf=1),
        symbols(100, 7, {9: "work"}, leaf=9),
    ]
    for second in range(1, seconds + 1):
        stacks = [stack((100 - checks) * second, 9, 6)]
        if checks:
            stacks.append(stack(checks * second, *CHAIN))
        records += [
            probe(frame(second, totals(100, 7, 0.9 * second, polls_per_s * second)), second),
            probe(frame(second, totals(100, 7, 0.9 * second, 0, stacks=stacks)), second, "cpu"),
        ]
    return [*records, trailer(seconds)]


def written(path: Path, *records: dict[str, Any], head: dict[str, Any] | None = None) -> Path:
    """A file of these records, finished if the last is a trailer."""
    file = RecordingFile(path)
    file.write([head or header()])
    for record in records[:-1]:
        file.write([record])
    if records[-1]["type"] == "trailer":
        file.finish(records[-1])
    else:
        file.write(records[-1:])
        file.close()
    return path
