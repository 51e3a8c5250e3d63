# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace record --sqltrace` on a session of the lab, against what the lab counted itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polltrace.errors import FileError
from polltrace.statements.trace_file import TraceFile
from tests.conftest import POLLTRACE
from tests.lab.conftest import LOTSLIOS, Lab, Session
from tests.lab.conftest import lab as lab  # noqa: PLC0414 - a fixture
from tests.lab.conftest import oralab as oralab  # noqa: PLC0414
from tests.lab.conftest import start_lab as start_lab  # noqa: PLC0414
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.usefixtures("quick_calibration")

TRACED = "select sql_trace from v$session where sid = :sid"
TRACE_FILE = "select value from v$diag_info where name = 'Default Trace File'"
Process = subprocess.Popen[str]


class TracedRecording:
    """`polltrace record --sqltrace` of a session; it has attached when it is made."""

    def __init__(self, lab: Lab, session: Session, file: Path, *options: str) -> None:
        self.file = file
        self.process: Process = subprocess.Popen(
            [
                *(POLLTRACE, "record", "--sqltrace", "--no-gaps", "-o"),
                *(str(file), "-p", str(session.spid)),
                *("--connect", f"scott@127.0.0.1:{lab.port}/LAB", *options),
            ],
            env=os.environ | {"POLLTRACE_PASSWORD": "tiger"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr
        first = self.process.stderr.readline()
        assert "attached" in first, first + self.process.stderr.read()

    def end(self) -> str:
        self.process.send_signal(signal.SIGINT)
        output, errors = self.process.communicate(timeout=PATIENCE_S)
        assert self.process.returncode == 0, errors
        return output


@pytest.fixture
def traced(probe: None, lab: Lab) -> Session:
    return lab.connect(disable_oob=True)


def test_each_statement_has_its_polls(traced: Session, lab: Lab, tmp_path: Path) -> None:
    # GIVEN a session whose two statements poll by known counts
    lab_polls = "lab break polls"
    recording = TracedRecording(lab, traced, tmp_path / "a", "--json")
    truth: dict[str, int] = {}
    first = LOTSLIOS.strip()
    statements = {first: 20_000, first.replace("ordered", "leading(a)"): 12_000}
    for sql, n in statements.items():
        truth[sql] = sum(traced.spent(sql, n=n)[lab_polls] for _ in range(3))
    joined = json.loads(recording.end())
    # THEN each has its executions, and the true count is within its bounds
    found = {each["sql"]: each for each in joined["statements"]}
    for sql, polls in truth.items():
        assert found[sql]["executions"] == 3
        assert found[sql]["polls"]["low"] <= polls <= found[sql]["polls"]["high"]
        assert found[sql]["check_s"]["value"] > 0
        assert found[sql]["on_cpu_s"]["value"] > 0
        # Where it was on a CPU: mostly in SQLite, whose functions have their names.
        assert sum(found[sql]["on_cpu_in"].values()) > 5
        assert any(name.startswith("sqlite3") for name in found[sql]["on_cpu_in"])
    # and nothing is lost between them.
    counted = sum(each["polls"]["value"] for each in joined["statements"])
    counted += sum(joined[rest]["polls"]["value"] for rest in ("between_calls", "after_last_call"))
    assert counted == pytest.approx(sum(truth.values()))
    assert joined["missing"] == []
    # The lab's clock is the host's, and seen to be.
    assert joined["clock"]["offset_us"] == 0
    assert joined["clock"]["error_us"] > 0
    # The trace is off again.
    assert lab.connect().one(TRACED, sid=traced.sid) == "DISABLED"


def test_what_no_wait_explains_is_told_by_system_call(
    traced: Session, lab: Lab, tmp_path: Path
) -> None:
    # GIVEN a statement whose process somebody stops for a while, and one that waits for a lock
    lab.connect().cursor.execute("create table held (a number)")
    holder = lab.connect()
    holder.cursor.execute("insert into held values (1)")
    server = traced.spid
    recording = TracedRecording(lab, traced, tmp_path / "a", "--json")
    slow = lab.running(traced, LOTSLIOS, n=30_000)
    os.kill(server, signal.SIGSTOP)
    time.sleep(0.5)
    os.kill(server, signal.SIGCONT)
    assert slow.join()
    waiting = lab.waiting(traced, "insert into held values (2)")
    time.sleep(0.5)
    holder.connection.commit()
    assert waiting.join()
    joined = json.loads(recording.end())
    # THEN the first was blocked for so long, and samples say in what; the wait of the second is in
    # its trace.
    found = {each["sql"]: each for each in joined["statements"]}
    stopped, waited = found[LOTSLIOS.strip()], found["insert into held values (2)"]
    assert stopped["blocked_s"] > 0.3
    assert sum(stopped["blocked_in"].values()) > 5
    assert waited["wait_s"] > 0.3
    assert sum(waited["blocked_in"].values()) <= 2


def test_a_trace_that_is_no_file_is_refused(tmp_path: Path) -> None:
    """The database says where it is; a FIFO would have its reader wait."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("fifo")
    for name in ("fifo", "link", "."):
        with pytest.raises(FileError, match="it is no regular file"):
            TraceFile(tmp_path / name).size()


def test_a_trace_that_comes_later_is_read(tmp_path: Path) -> None:
    file = TraceFile(tmp_path / "a.trc")
    assert (file.size(), file.end(9), file.name()) == (0, b"", None)
    (tmp_path / "a.trc").write_text("WAIT #1: tim=1\n")
    with file:
        assert (file.size(), file.end(6)) == (15, b"tim=1\n")
        name = file.name()
        assert name
        assert Path(name).read_text() == "WAIT #1: tim=1\n"


def identifier(session: Session, _: Path) -> None:
    session.cursor.execute("alter session set tracefile_identifier = 'elsewhere'")


def limit(session: Session, _: Path) -> None:
    session.cursor.execute("alter session set max_dump_file_size = 1")


def another_file(_: Session, trace: Path) -> None:
    trace.rename(trace.with_suffix(".old"))
    trace.touch()


def cut(_: Session, trace: Path) -> None:
    os.truncate(trace, 0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (identifier, "the trace goes on in another file (TRACEFILE_IDENTIFIER)"),
        (limit, "the trace reached MAX_DUMP_FILE_SIZE"),
        (another_file, "another file has taken its name"),
        (cut, "the file was cut"),
    ],
)
def test_a_trace_that_ends_elsewhere(
    traced: Session,
    lab: Lab,
    tmp_path: Path,
    change: Callable[[Session, Path], None],
    reason: str,
) -> None:
    """No poll that the trace cannot explain is said to be between calls."""
    # GIVEN a session with a known number of polls before and after its trace file changes
    trace = Path(traced.one(TRACE_FILE))
    recording = TracedRecording(lab, traced, tmp_path / "a", "--json")
    first, second = LOTSLIOS.strip(), LOTSLIOS.strip().replace("ordered", "leading(a)")
    polls = [traced.spent(first, n=4_000)["lab break polls"]]
    change(traced, trace)
    polls += [traced.spent(second, n=4_000)["lab break polls"] for _ in range(3)]
    # THEN what is missing is said, and why,
    joined = json.loads(recording.end())
    assert [each[: len(reason)] for each in joined["missing"]] == [reason]
    # the statements that the trace has are there,
    found = {each["sql"]: each for each in joined["statements"]}
    assert (first in found) == (change != cut)
    # and all polls; those of calls that are missing are not between calls.
    parts = [*joined["statements"], joined["between_calls"], joined["after_last_call"]]
    counted = sum(each["polls"]["value"] for each in parts)
    assert counted == pytest.approx(sum(polls))
    if second not in found:
        assert joined["after_last_call"]["polls"]["high"] >= sum(polls[1:])
        assert joined["after_last_call"]["seconds"] > 0


def test_a_trace_that_is_deleted_is_read_on(traced: Session, lab: Lab, tmp_path: Path) -> None:
    """The server writes on, and so is it read."""
    trace = Path(traced.one(TRACE_FILE))
    traced.cursor.execute("alter session set sql_trace = true")
    recording = TracedRecording(lab, traced, tmp_path / "a", "--json")
    traced.rows("select 1 from dual")
    trace.unlink()
    traced.rows("select 2 from dual")
    joined = json.loads(recording.end())
    assert joined["missing"] == []
    assert {f"select {n} from dual" for n in (1, 2)} <= {e["sql"] for e in joined["statements"]}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_trace_is_off_however_it_ends(
    traced: Session, lab: Lab, tmp_path: Path, number: signal.Signals
) -> None:
    sid, watcher = traced.sid, lab.connect()
    recording = TracedRecording(lab, traced, tmp_path / "a")
    assert watcher.one(TRACED, sid=sid) == "ENABLED"
    recording.process.send_signal(number)
    recording.process.communicate(timeout=PATIENCE_S)
    until(lambda: watcher.one(TRACED, sid=sid) == "DISABLED", "the end of the trace")


def test_a_trace_that_was_on_stays_on(traced: Session, lab: Lab, tmp_path: Path) -> None:
    sid, watcher = traced.sid, lab.connect()
    traced.cursor.execute("alter session set sql_trace = true")
    recording = TracedRecording(lab, traced, tmp_path / "a")
    traced.rows("select 1 from dual")
    assert "select 1 from dual" in recording.end()
    assert watcher.one(TRACED, sid=sid) == "ENABLED"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-p", "1"], "process 1 is no dedicated server"),
        (["--all", "--", "true"], "--sqltrace traces a session of the database, no COMMAND"),
    ],
)
def test_options_that_cannot_work_are_refused(
    run: Callable[..., Any], tmp_path: Path, options: list[str], message: str
) -> None:
    done = run("record", "--sqltrace", "-o", str(tmp_path / "a"), *options)
    assert done.returncode in (2, 5)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
