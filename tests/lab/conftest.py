# SPDX-License-Identifier: GPL-2.0-or-later
"""A lab to test: built once, started as often as asked, gone at the end of each test."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import oracledb
import pytest

from tests.waiting import PATIENCE_S, until

if TYPE_CHECKING:
    from .links import LinkedLabs

LAB = Path(__file__).resolve().parents[2] / "lab"
ORALAB = LAB / "build" / "oralab"

LOTSLIOS = """
    select /*+ ordered use_nl(b) use_nl(c) use_nl(d) full(a) full(b) full(c) full(d) */ count(*)
    from sys.obj$ a, sys.obj$ b, sys.obj$ c, sys.obj$ d
    where a.owner# = b.owner# and b.owner# = c.owner# and c.owner# = d.owner# and rownum <= :n"""
FOR_EVER = 2_000_000
SOAK = bool(os.environ.get("LAB_SOAK"))  # make soak: as often as is promised, not as is quick
# What a statement returns does not depend on how the server hears of a cancel.
MODES = ("out-of-band", "in-band")
in_each_mode = pytest.mark.parametrize("mode", MODES)
CANCELS = 200 if SOAK else 20
SOON_S = 1.0 if SOAK else 10.0  # a soak is run on a machine with nothing else to do

STATISTICS = (
    "select n.name, m.value from v$mystat m, v$statname n where m.statistic# = n.statistic#"
)
STATISTIC_OF = (
    "select s.value from v$sesstat s, v$statname n where s.statistic# = n.statistic#"
    " and s.sid = :sid and n.name = :name"
)
ROW_LOCK = "enq: TX - row lock contention"
SLICES_OF = (
    "select nvl(sum(total_timeouts), 0) from v$session_event where sid = :sid and event = :event"
)
FROM_CLIENT = "SQL*Net message from client"
HOLDERS = "select sid, name, laddr from v$latchholder"
STATUS_OF = "select status from v$session where sid = :sid"
SPID_OF = "select p.spid from v$process p, v$session s where p.addr = s.paddr and s.sid = :sid"
SPID = (
    "select p.spid from v$process p, v$session s"
    " where p.addr = s.paddr and s.sid = sys_context('userenv','sid')"
)


def ended(pid: int, within_s: float) -> bool:
    """Whether the process `pid` is gone before `within_s` seconds have passed."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], within_s)[0])
    finally:
        os.close(handle)


@dataclass
class Session:
    """A connection, with what the tests want to know of it."""

    connection: Any
    cursor: Any = field(init=False)

    def __post_init__(self) -> None:
        self.cursor = self.connection.cursor()

    def rows(self, sql: str, **binds: object) -> list[tuple[Any, ...]]:
        self.cursor.execute(sql, binds)
        return list(self.cursor.fetchall())

    def one(self, sql: str, **binds: object) -> Any:
        """The only value of the only row."""
        [[value]] = self.rows(sql, **binds)
        return value

    def statistics(self) -> dict[str, int]:
        return dict(self.rows(STATISTICS))

    def spent(self, sql: str, **binds: object) -> dict[str, int]:
        """How the statistics change while `sql` runs."""
        before = self.statistics()
        self.rows(sql, **binds)
        return {name: value - before[name] for name, value in self.statistics().items()}

    def statistic_of(self, sid: int, name: str) -> int:
        """The value so far of a statistic of another session, `sid`."""
        return int(self.one(STATISTIC_OF, sid=sid, name=name))

    def spid_of(self, sid: int) -> int:
        """The server process of another session."""
        return int(self.one(SPID_OF, sid=sid))

    @property
    def spid(self) -> int:
        return int(self.one(SPID))

    @property
    def sid(self) -> int:
        return int(self.one("select sid from v$mystat where rownum = 1"))


def settle(watcher: Session, sid: int) -> None:
    """Wait until session `sid` waits for its client: an answer comes before it is booked."""
    state = "select event, status from v$session where sid = :sid and state = 'WAITING'"
    until(lambda: watcher.rows(state, sid=sid) == [(FROM_CLIENT, "INACTIVE")], "an idle session")


@dataclass
class RunningStatement:
    """A statement in a thread of its own, and the error it ended with."""

    session: Session
    thread: threading.Thread = field(init=False)
    error: str = ""

    def start(self, sql: str, **binds: object) -> None:
        def run() -> None:
            try:
                self.session.rows(sql, **binds)
            except oracledb.Error as e:
                self.error = str(e).splitlines()[0]

        self.thread = threading.Thread(target=run)
        self.thread.start()

    def join(self, within_s: float = PATIENCE_S) -> bool:
        """Whether it has ended; waits for that at most `within_s` seconds."""
        self.thread.join(within_s)
        return not self.thread.is_alive()


class Lab:
    """A running lab and the sessions connected to it."""

    def __init__(self, directory: Path, arguments: tuple[str, ...]) -> None:
        self.tns_admin = directory
        self.process = subprocess.Popen(
            [ORALAB, "--until-eof", "--tns-admin", directory, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.ready: dict[str, Any] = json.loads(self.process.stdout.readline())
        self.port: int = self.ready["port"]
        self.sessions: list[Session] = []
        self.watcher: Session | None = None

    def sqlnet_ora(self, text: str) -> None:
        (self.tns_admin / "sqlnet.ora").write_text(text)

    def connect(self, **parameters: Any) -> Session:
        defaults: dict[str, Any] = {
            "user": "scott",
            "password": "tiger",
            "host": "127.0.0.1",
            "port": self.port,
            "service_name": "LAB",
        }
        session = Session(oracledb.connect(**(defaults | parameters)))
        self.sessions.append(session)
        return session

    def running(self, session: Session, sql: str, **binds: object) -> RunningStatement:
        """Starts `sql` and waits until the server is in the middle of it."""
        self.watcher = self.watcher or self.connect()
        watcher, sid = self.watcher, session.sid
        before = watcher.statistic_of(sid, "consistent gets")
        statement = RunningStatement(session)
        statement.start(sql, **binds)

        def reads() -> bool:
            ended = not statement.thread.is_alive()  # asked first: it may be over any moment
            gets = watcher.statistic_of(sid, "consistent gets") - before
            assert gets >= 1000 or not ended, statement.error
            return gets >= 1000

        until(reads, "a thousand gets")
        return statement

    def active(self, session: Session, sql: str) -> RunningStatement:
        """Starts `sql`, which makes no gets, and waits until the server has it."""
        self.watcher = self.watcher or self.connect()
        watcher, sid = self.watcher, session.sid
        settle(watcher, sid)
        statement = RunningStatement(session)
        statement.start(sql)

        def has_it() -> bool:
            assert statement.thread.is_alive(), statement.error
            return bool(watcher.one(STATUS_OF, sid=sid) == "ACTIVE")

        until(has_it, "an active session")
        return statement

    def waiting(self, session: Session, sql: str) -> RunningStatement:
        """Starts `sql` and waits until its server waits for a lock."""
        self.watcher = self.watcher or self.connect()
        watcher, sid = self.watcher, session.sid
        statement = RunningStatement(session)
        statement.start(sql)

        def waits() -> bool:
            assert statement.thread.is_alive()
            state = watcher.rows("select state, event from v$session where sid = :sid", sid=sid)
            return state == [("WAITING", ROW_LOCK)]

        until(waits, "a wait for a lock")
        return statement

    def expect_waits_to_end_at_once(self, session: Session, sql: str) -> None:
        """Cancels `sql`, which another session's lock holds up, time and again."""
        watcher = self.watcher = self.watcher or self.connect()
        of_it = {"sid": session.sid, "event": ROW_LOCK}
        took = []
        for _ in range(CANCELS // 3):
            statement = self.waiting(session, sql)
            slices = watcher.one(SLICES_OF, **of_it)
            began = time.monotonic()
            session.connection.cancel()
            assert statement.join()
            took.append(time.monotonic() - began)
            assert statement.error.startswith("ORA-01013")
            # A slice is 3 s. Of a cancel that went unnoticed, one would have come to its end.
            assert watcher.one(SLICES_OF, **of_it) == slices
        assert statistics.median(took) < 1.0

    def stop(self) -> int:
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S)


@pytest.fixture(scope="session")
def oralab() -> Path:
    subprocess.run(["make", "-s", "-C", LAB], check=True)
    return ORALAB


@pytest.fixture
def start_lab(oralab: Path, tmp_path: Path) -> Iterator[Callable[..., Lab]]:
    assert oralab.exists()
    labs: list[Lab] = []

    def start(*arguments: str) -> Lab:
        labs.append(Lab(tmp_path, arguments))
        return labs[-1]

    yield start
    for lab in labs:
        lab.stop()


@pytest.fixture
def lab(start_lab: Callable[..., Lab]) -> Lab:
    return start_lab()


@pytest.fixture
def plain(lab: Lab) -> Session:
    return lab.connect()


@pytest.fixture
def numbers(plain: Session) -> Session:
    """A session with a table of 250 rows."""
    plain.cursor.execute("create table t (n number, v varchar2(20), d date)")
    plain.cursor.execute(
        "begin for i in 1..250 loop insert into t values (i, 'v' || i, date '2024-01-01' + i);"
        " end loop; commit; end;"
    )
    return plain


@pytest.fixture(params=MODES if SOAK else ["in-band"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def session(lab: Lab, mode: str) -> Session:
    """A session in the break mode `mode`: in one, where a test is not @in_each_mode."""
    return lab.connect(disable_oob=mode == "in-band")


EMP_TABLES = [
    "create table emp (id number(6) primary key, name varchar2(10) not null, dept number(3),"
    " sal number(7,2), boss number(6))",
    "insert into emp values (1, 'KING', 10, 5000, null)",
    "insert into emp values (2, 'BLAKE', 30, 2850, 1)",
    "insert into emp values (3, 'WARD', 30, null, 2)",
    "insert into emp values (4, 'ADAMS', null, 1100, 1)",
    "create table dep (id number(3), city varchar2(10))",
    "insert into dep values (10, 'PARIS')",
    "insert into dep values (20, 'ROMA')",
    "insert into dep values (30, 'OSLO')",
]


@pytest.fixture(scope="module")
def one_lab(oralab: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One lab for a module."""
    assert oralab.exists()
    lab = Lab(tmp_path_factory.mktemp("one"), ())
    yield lab
    lab.stop()


@pytest.fixture(scope="module")
def oracle(one_lab: Lab) -> Session:
    """A session of it, with the tables EMP and DEP."""
    session = one_lab.connect()
    for sql in EMP_TABLES:
        session.cursor.execute(sql)
    session.connection.commit()
    return session


@pytest.fixture
def labs(oralab: Path, tmp_path: Path) -> Iterator[LinkedLabs]:
    """Two labs, of which one has a link to the other."""
    from .links import linked_labs  # noqa: PLC0415 - which has its labs from here

    made = linked_labs(oralab, tmp_path / "local", tmp_path / "remote")
    yield made
    made.local.stop()
    made.remote.stop()


@pytest.fixture
def stopped_holder(lab: Lab) -> Iterator[tuple[int, Session]]:
    """A server that was stopped while it held the latch, and its session."""
    watcher, holder = lab.connect(), lab.connect()
    pid, sid, over = holder.spid, holder.sid, threading.Event()

    def get_it_often() -> None:
        with contextlib.suppress(oracledb.Error):  # it will be killed
            while not over.is_set():
                holder.cursor.execute("call dbms_result_cache.flush()")

    thread = threading.Thread(target=get_it_often)
    thread.start()

    def stopped_with_it() -> bool:
        os.kill(pid, signal.SIGSTOP)
        stat = Path(f"/proc/{pid}/stat")
        until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T", "a stopped server")
        if any(row[0] == sid for row in watcher.rows(HOLDERS)):
            return True
        os.kill(pid, signal.SIGCONT)
        return False

    end = time.monotonic() + PATIENCE_S
    while not stopped_with_it():
        assert time.monotonic() < end
        time.sleep(0.0007)
    yield pid, watcher
    over.set()
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    thread.join()
