# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording in several files: each is readable alone, together they are the whole."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from polltrace.recording import read
from polltrace.recording.journal import Journal
from polltrace.recording.parts import Parts
from polltrace.recording.probes import StreamRecord
from tests.recording.samples import (
    frame,
    probe,
    probe_header,
    process,
    stack,
    totals,
    trailer,
    written,
)

KEEP = 40


def ended(pid: int, start: int, polls: int) -> dict[str, Any]:
    return {
        "type": "exit",
        "pid": pid,
        "start_ticks": start,
        "cpu_s": 1.0,
        "break_polls": polls,
        "other_polls": 0,
    }


def recorded(path: Path, *, keep: int, frames: int = 30) -> dict[tuple[int, int], int]:
    """Write a made-up recording in parts; the totals of its processes. PID 100 is used twice."""
    chance = random.Random(5)
    now = [0.0]
    journal = Journal(("polltrace", "record", "--all"), 1.0, lambda: now[0])

    def entries(record: dict[str, Any]) -> list[dict[str, Any]]:
        return list(journal.record(StreamRecord("count", now[0], record)))

    early = entries(probe_header()) + entries(process(100, 7)) + entries(process(101, 8))
    parts = Parts(
        path,
        max_bytes=1 << 12,
        keep=keep,
        opening=journal.opening,
        closing=lambda reason: journal.quality(reason).data(),
    )
    parts.write(early)
    alive = {(100, 7): 0, (101, 8): 0}
    all_time = dict(alive)
    stacks: dict[tuple[int, ...], int] = {}
    for second in range(1, frames + 1):
        now[0] = float(second)
        if second == frames // 2:
            polls = alive.pop((100, 7))
            parts.write(entries(ended(100, 7, polls)))
            parts.write(entries(process(100, 9)))
            alive[100, 9] = 0
        for identity in alive:
            alive[identity] += chance.randrange(10_000)
        all_time |= alive
        for _ in range(40):
            taken = tuple(chance.randrange(1 << 40) for _ in range(8))
            stacks[taken] = stacks.get(taken, 0) + 1
        seen = [{**stack(n, *at), "polls": 3 * n} for at, n in stacks.items()]
        found = [
            totals(*each, 0.5 * second, polls, stacks=seen if each == (101, 8) else [])
            for each, polls in alive.items()
        ]
        parts.write(entries(frame(float(second), *found, stacks=second)))
    parts.finish("duration")
    return all_time


def test_the_parts_add_up(tmp_path: Path) -> None:
    whole = recorded(tmp_path / "a", keep=KEEP)
    paths = [tmp_path / f"a.{i}" for i in range(KEEP, 0, -1)] + [tmp_path / "a"]
    parts = [read(path) for path in paths if path.exists()]
    assert len(parts) > 3
    assert [part.header.part for part in parts] == list(range(1, len(parts) + 1))
    assert [part.tear for part in parts] == [""] * len(parts)
    polls: dict[tuple[int, int], int] = {}
    samples = lost = 0
    for part in parts:
        assert part.counted is not None
        lost += part.counted.lost["stacks"]
        for each in part.counted.totals:
            identity = each.pid, each.start_ticks
            polls[identity] = polls.get(identity, 0) + each.break_polls
            samples += sum(taken.count for taken in each.stacks)
            assert all(taken.polls == 3 * taken.count for taken in each.stacks)
            assert part.counted.processes[identity].comm == "oracle"
    assert polls == whole
    assert samples == 30 * 40
    assert lost == 30
    assert parts[-1].seconds + parts[-1].header.at_s == 30


def test_only_so_many_are_kept(tmp_path: Path) -> None:
    recorded(tmp_path / "a", keep=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "a.1", "a.2"]
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert all(size < 1 << 20 for size in sizes)


def test_processes_left_out_of_frames_were_at_rest(tmp_path: Path) -> None:
    """A process polls in the first second and in the hundredth; another, in every one."""
    busy = [totals(2, 2, 0.1 * second, 100 * second) for second in range(1, 101)]
    frames = [
        frame(second, *([totals(1, 1, 0.5 if second == 1 else 1.0, 50 if second == 1 else 100)]
                        if second in (1, 100) else []), busy[second - 1])
        for second in range(1, 101)
    ]  # fmt: skip
    records = [probe(each, each["t_s"]) for each in frames]
    path = written(tmp_path / "a", probe(probe_header(), 0.0), *records, trailer(100))
    spans = read(path).series[1, 1].spans()
    assert [(each.from_s, each.to_s, each.polls_per_s) for each in spans] == [
        (0.0, 1.0, 50.0), (1.0, 99.0, 0.0), (99.0, 100.0, 50.0)
    ]  # fmt: skip
