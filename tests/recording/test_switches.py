# SPDX-License-Identifier: GPL-2.0-or-later
"""Time off CPU in a recording: written, read again, in parts, and reported."""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from polltrace.profiles.off_cpu import LATCH
from polltrace.profiles.sampled import OFF_CPU
from polltrace.recording import Recording, read
from polltrace.recording.difference import difference
from polltrace.recording.journal import Journal
from polltrace.recording.probes import StreamRecord
from polltrace.recording.stream import SWITCHES, Stream
from polltrace.recording.summary import summary
from polltrace.recording.tables import rows
from polltrace.recording_report.data import report_data
from polltrace.recording_report.diff import diff_data, diff_text
from polltrace.recording_report.diff_page import diff_page
from polltrace.recording_report.page import report_page
from polltrace.recording_report.text import report_text
from polltrace.stacks.reasons import RUN_QUEUE, blocked_by
from tests.conftest import Run
from tests.recording.samples import (
    frame,
    probe,
    probe_header,
    process,
    server,
    stack,
    story,
    symbols,
    totals,
    trailer,
    written,
)

S = 1_000_000_000
PID, START = 100, 7
# What sleeps for a latch, innermost first, and what spins for it.
SLEEP = {11: "skgpwwait", 12: "kslges", 13: "kslgetl", 14: "qertbFetch", 15: "main"}
SPIN = {21: "kslges", 13: "kslgetl", 14: "qertbFetch", 15: "main"}


def off_stack(
    addresses: tuple[int, ...], state: str, blocked_s: float, **more: Any
) -> dict[str, Any]:
    """Seen once a second blocked."""
    times = {"blocked_ns": round(blocked_s * S), "queued_ns": 0, "open": 0, "before": 0}
    found = {**stack(round(blocked_s), *addresses, kind="offcpu"), "state": state, **times}
    return {**found, **more}


def switches(second: float) -> dict[str, Any]:
    """A frame: of each second half was slept for a latch, a tenth spent on CPU; the thread waited
    for a processor for the rest, with the stack on which it sleeps."""
    blocked, queued = 0.5 * second, 0.4 * second
    waiting = off_stack(tuple(SLEEP), "R", 0, count=round(2 * second), queued_ns=round(queued * S))
    off_cpu = {
        **{"threads": 1, "thread_ns": round(second * S), "cpu_ns": round(0.1 * second * S)},
        **{"on_cpu_ns": round(0.1 * second * S), "blocked_ns": round(blocked * S)},
        **{"queued_ns": round(queued * S), "switches": round(3 * second), "open": 1},
    }
    found = [off_stack(tuple(SLEEP), "S", blocked, count=round(second), open=1), waiting]
    return frame(second, totals(PID, START, 0.1 * second, 0, stacks=found, off_cpu=off_cpu))


def entries(stream: Stream, *records: dict[str, Any], at_s: float = 0.0) -> list[dict[str, Any]]:
    """As the recorder writes them."""
    return [stream.entry(each, each.get("t_s", at_s)) for each in records]


def latched(*more: dict[str, Any]) -> list[dict[str, Any]]:
    """Ten samples on CPU, four of which spin for a latch, and what else is given."""
    spun = [stack(4, *SPIN), stack(6, 14, 15)]
    return [
        *(probe(probe_header(), 0.0), probe(process(PID, START), 0.0)),
        *(probe(probe_header(), 0.0, "cpu"), probe(process(PID, START), 0.0, "cpu")),
        server(PID, START),
        symbols(PID, START, SLEEP, leaf=11),
        symbols(PID, START, SPIN, leaf=21),
        *more,
        probe(frame(4, totals(PID, START, 0.4, 0)), 4),
        probe(frame(4, totals(PID, START, 0.4, 0, stacks=spun)), 4, "cpu"),
        trailer(4),
    ]


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    stream = Stream(SWITCHES)
    frames = entries(stream, *map(switches, range(1, 5)))
    opening = entries(stream, probe_header(), process(PID, START))
    return read(written(tmp_path / "a", *latched(*opening, *frames)))


def test_all_of_it_is_read_again(recording: Recording) -> None:
    found = summary(recording)
    off_cpu = found.off_cpu
    assert off_cpu is not None
    assert (off_cpu.thread_ns, off_cpu.on_cpu_ns, off_cpu.switches) == (4 * S, 0.4 * S, 12)
    reasons = {each.reason: (each.ns, each.switches) for each in off_cpu.reasons}
    assert reasons == {LATCH: (2 * S, 4), RUN_QUEUE: (1.6 * S, 8)}
    assert off_cpu.unaccounted_ns == 0
    (session,) = found.sessions
    assert session.off_cpu == off_cpu
    (path,) = session.latches
    assert path.path == ("main", "qertbFetch", "kslgetl")
    assert (path.spun, path.sleeps, path.slept_ns) == (4, 4, 2 * S)


def test_the_report_has_both(recording: Recording) -> None:
    found = summary(recording)
    text = report_text(found)
    assert "Sleeping for latches took 2.000 s, in 4 sleeps" in text
    assert "1 thread in 4.0 s: 10.00 % of 4.000 s on CPU, 40.00 % on a run queue, 50.00 %" in text
    assert re.search(r"\nlatch +2\.000000 +50\.00 % +4\n", text)
    assert "\n    2.000000         4     0.160  main > qertbFetch > kslgetl\n" in text
    assert "Still off CPU at the end: 1 thread" in text
    data = json.loads(json.dumps(report_data(found)))
    assert data["off_cpu"]["blocked_ns"] == data["sessions"][0]["off_cpu"]["blocked_ns"] == 2 * S
    (path,) = data["sessions"][0]["latches"]
    assert (path["spun_samples"], path["sleeps"], path["slept_ns"]) == (4, 4, 2 * S)


def test_what_was_not_recorded_is_not_zero(tmp_path: Path) -> None:
    found = summary(read(written(tmp_path / "a", *latched())))
    assert found.off_cpu is None
    text = report_text(found)
    assert "Their sleeps for latches are recorded by 'record --offcpu'." in text
    assert "\n           -         -     0.160  main > qertbFetch > kslgetl\n" in text
    assert "run queue" not in text
    data = report_data(found)
    assert "off_cpu" not in data
    (path,) = data["sessions"][0]["latches"]
    assert (path["spun_samples"], path["sleeps"], path["slept_ns"]) == (4, None, None)


def test_a_part_has_its_own_share(tmp_path: Path) -> None:
    """Of what went on when it began, that from then on."""
    stream = Stream(SWITCHES)
    entries(stream, probe_header(), process(PID, START), switches(1), switches(2))
    frames = [*stream.opening(2.0), *entries(stream, switches(3), switches(4))]
    found = summary(read(written(tmp_path / "a", *latched(*frames))))
    assert found.followed_s == 2
    assert found.off_cpu is not None
    assert (found.off_cpu.thread_ns, found.off_cpu.switches) == (2 * S, 6)
    assert {each.reason: each.ns for each in found.off_cpu.reasons} == {
        LATCH: S,
        RUN_QUEUE: 0.8 * S,
    }
    assert (found.off_cpu.before, found.off_cpu.open) == (1, 1)
    (path,) = found.latches
    assert (path.sleeps, path.slept_ns) == (2, S)


def test_a_sleep_that_goes_on_is_written_again() -> None:
    """Its stack is not seen again meanwhile, but it is longer."""
    stream = Stream(SWITCHES)
    (first, second, third) = entries(stream, switches(1), switches(1), switches(1.25))
    assert first["record"]["processes"][0]["stacks"]
    assert second["record"]["processes"] == []
    (process_,) = third["record"]["processes"]
    assert [each["state"] for each in process_["stacks"]] == ["S", "R"]


def test_lost_events_make_no_count_low(tmp_path: Path) -> None:
    records = story()
    records[-1]["lost"] = {"wakeups": 3, "switches": 2}
    assert "Nothing lost." in report_text(summary(read(written(tmp_path / "a", *records))))


def test_stacks_of_a_recording(recording: Recording, run: Run) -> None:
    done = run("stacks", str(recording.path), "--at", "offcpu", "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    slept = ["main", "qertbFetch", "kslgetl", "kslges", "skgpwwait", f"[{LATCH}]"]
    assert {tuple(each["functions"]): each["count"] for each in found["stacks"]} == {
        tuple(slept): 2 * S,
        (*slept[:-1], f"[{RUN_QUEUE}]"): 1.6 * S,
    }
    assert found["latches"][0]["spun_samples"] is None


def test_the_page_has_a_graph_of_each(recording: Recording) -> None:
    page = html.unescape(report_page(summary(recording)))
    assert page.count("<iframe") == 2
    below = page.split("Where the time off CPU goes")[1]
    row = ["<td>latch</td>", "<td>2.000000</td>", "<td>50.00</td>", "<td>4</td>"]
    assert "".join(row) in re.sub(r" class=[^>]+", "", below)
    assert "Still off CPU at the end: 1 thread" in below
    assert f"{3_600_000_000:,} nanoseconds" in below
    assert f"[{LATCH}]" in below


def test_the_page_of_one_without_has_none(tmp_path: Path) -> None:
    page = report_page(summary(read(written(tmp_path / "a", *latched()))))
    assert page.count("<iframe") == 1
    assert "off CPU" not in page


@pytest.fixture
def busier(tmp_path: Path) -> Recording:
    """The same thread half on CPU, half blocked in qertbFetch, for no latch; it never queues."""
    stream = Stream(SWITCHES)

    def second(at: float) -> dict[str, Any]:
        half = round(0.5 * at * S)
        off_cpu = {
            **{"threads": 1, "thread_ns": round(at * S), "cpu_ns": half, "on_cpu_ns": half},
            **{"blocked_ns": half, "queued_ns": 0, "switches": round(at), "open": 0},
        }
        blocked = off_stack((14, 15), "S", 0.5 * at, count=round(at))
        return frame(at, totals(PID, START, 0.5 * at, 0, stacks=[blocked], off_cpu=off_cpu))

    frames = entries(stream, probe_header(), process(PID, START), *map(second, range(1, 5)))
    names = symbols(PID, START, {14: "qertbFetch", 15: "main"}, leaf=14)
    return read(written(tmp_path / "b", *latched(names, *frames)))


def test_the_difference_of_two(recording: Recording, busier: Recording) -> None:
    found = difference(summary(recording), summary(busier))
    data = json.loads(json.dumps(diff_data(found)))
    shares = {each["name"]: (each["before"][0], each["after"][0]) for each in data["off_cpu"]}
    assert shares == {
        "on CPU": (pytest.approx(10), pytest.approx(50)),
        LATCH: (pytest.approx(50), 0),
        RUN_QUEUE: (pytest.approx(40), 0),
        blocked_by((), "S"): (0, pytest.approx(50)),
    }
    functions = data["functions_off_cpu"]
    own = {each["name"]: (each["own_before"], each["own_after"]) for each in functions}
    assert (own["skgpwwait"], own["qertbFetch"], own["main"]) == ((1, 0), (0, 1), (0, 0))
    text = diff_text(found)
    assert re.search(r"\nlatch, % of the threads' time +50 +0 +-50\n", text)
    assert "\nFunctions, own share of the time off CPU, largest change first:\n" in text
    page = html.unescape(diff_page(found))
    assert page.count("<iframe") == 2
    assert "Waits, before and after" in page


def test_one_without_gives_no_difference(recording: Recording, tmp_path: Path) -> None:
    without = summary(read(written(tmp_path / "b", *latched())))
    for pair in ((summary(recording), without), (without, summary(recording))):
        found = difference(*pair)
        data = diff_data(found)
        assert (data["off_cpu"], data["functions_off_cpu"]) == ([], [])
        assert "off CPU" not in diff_text(found)
        assert diff_page(found).count("<iframe") == 1


def test_the_tables(recording: Recording, tmp_path: Path) -> None:
    found = summary(recording)
    (row,) = rows(found, "processes")
    assert [row[name] for name in ("thread_s", "blocked_s", "queued_s", "switches")] == [
        *(4, 2, pytest.approx(1.6), 12)
    ]
    slept = [row for row in rows(found, "stacks") if row["kind"] == OFF_CPU]
    assert {(row["waits_for"], row["off_cpu_ns"], row["count"]) for row in slept} == {
        (LATCH, 2 * S, 4),
        (RUN_QUEUE, 1.6 * S, 8),
    }
    assert {row["functions"][-1] for row in slept} == {"skgpwwait"}
    without = summary(read(written(tmp_path / "b", *latched())))
    (row,) = rows(without, "processes")
    assert row["thread_s"] is row["switches"] is None
    assert all(row["off_cpu_ns"] is row["waits_for"] is None for row in rows(without, "stacks"))


def test_a_recording_without_is_refused(tmp_path: Path, run: Run) -> None:
    path = written(tmp_path / "a", *latched())
    done = run("stacks", str(path), "--at", "offcpu")
    assert done.returncode == 2
    assert "'record --offcpu' takes them" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_process_keeps_its_names_for_the_last_frames() -> None:
    """Those of the other probes come after the first word of its end."""
    journal = Journal(("polltrace",), 1.0, lambda: 0.0)
    forgotten: list[tuple[int, int]] = []
    journal._naming.forget = forgotten.append  # type: ignore[method-assign, assignment]

    def take(record: dict[str, Any], at_s: float) -> None:
        list(journal.record(StreamRecord("count", at_s, record)))

    take(probe_header(), 0.0)
    take({"type": "exit", "pid": PID, "start_ticks": START}, 5.0)
    take(frame(6.0), 6.0)
    take(frame(8.0), 8.0)
    assert not forgotten
    take(frame(8.5), 8.5)
    assert forgotten == [(PID, START)]


def test_a_command_that_ends(probe: None, run: Run, tmp_path: Path) -> None:
    """Its sleeps are all there, though it was gone when they were read."""
    path = tmp_path / "a"
    program = "import time\nfor _ in range(37): time.sleep(0.005)"
    done = run("record", "--offcpu", "-o", str(path), "--", sys.executable, "-c", program)
    assert done.returncode == 0, done.stderr
    found = summary(read(path))
    assert found.off_cpu is not None
    slept = {each.reason: each for each in found.off_cpu.reasons}["sleep"]
    assert slept.ns > 37 * 5_000_000 / 2
    assert found.off_cpu.unaccounted_ns == 0
    assert found.recording.quality is not None
    assert found.recording.quality.unnamed == 0
