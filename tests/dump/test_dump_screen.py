# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole screen of `polltrace dump`, as text."""

from __future__ import annotations

from dataclasses import replace

from polltrace.dump.report import dump_text
from polltrace.dump.session_state import DatabaseState, SessionState
from polltrace.intervals import Estimate
from polltrace.latency.time_budget import TimeBudget
from polltrace.profiles.frames import ProcessTotals, SocketPolls
from polltrace.servers.activity import Activity, ActivityChange, Waited
from polltrace.servers.database_sessions import DatabaseSession
from polltrace.servers.ps_report import ObservedServer
from tests.watch.samples import named_stack, server

CHECK = "poll sntpoltsts snttmoredata nsmore2recv nioqts kcbgtcr opifch2 opiodr opitsk main"
ROW_LOCK = "enq: TX - row lock contention"
NOTHING = Estimate(0.0, 0.0, 0.0)
BUDGET = TimeBudget(
    seconds=0.5,
    cpu=0.8,
    queued=0.05,
    blocked=[("semtimedop", Estimate(0.1, 0.05, 0.2)), ("futex", Estimate(0.0004, 0.0, 0.001))],
    sending=NOTHING,
    idle=Estimate(0.03, 0.01, 0.06),
    samples=500,
)
ACTIVITY = Activity(
    at_s=10.0,
    status="ACTIVE",
    waiting=True,
    event=ROW_LOCK,
    event_s=3.14,
    blocker=12,
    sql_id="a5ks9fhw2v9s1",
    sql_text="select /*+ ordered use_nl(b) use_nl(c) */ count(*) from sys.obj$ a, sys.obj$ b,\n"
    "sys.obj$ c where a.owner# = b.owner# and rownum <= :n",
    executing=True,
    waited={},
    statistics={},
    unread=["v$sesstat: ORA-00942: table or view does not exist"],
)
CHANGE = ActivityChange(
    1.0,
    [(ROW_LOCK, Waited(2, 0.9)), *((f"event {n}", Waited(1, 0.001)) for n in range(5))],
    [("consistent gets", 200_000.0), ("execute count", 1.0)],
)
CLIENT, INTERCONNECT = (
    SocketPolls(fd, "tcp", local, peer, polls)
    for fd, local, peer, polls in (
        (14, "10.0.0.1:1521", "10.0.0.7:40102", 40_000),
        (15, "10.1.0.1:7000", "10.1.0.2:7000", 600),
    )
)
POLLED = ProcessTotals(102, 7, 0.4, 40_600, 0, (CLIENT, INTERCONNECT), (), ())
STATE = SessionState(
    session=ObservedServer(server(102), POLLED, 0.5),
    budget=BUDGET,
    stacks=[
        named_stack("sqlite3VdbeExec opifch2 opiodr opitsk main", 380),
        named_stack(CHECK, 20, check=True),
    ],
    samples=400,
    checks=Estimate(5.0, 3.3, 7.6),
    database=DatabaseState(
        DatabaseSession(102, "ORCL", 7, 4711, "SCOTT", "sqlplus.exe", "", "pc7", "a5ks9fhw2v9s1"),
        ACTIVITY,
        CHANGE,
    ),
)

SCREEN = """\
oracle      102 (ORCL, client 10.0.0.7:40102) is in-band because the client did not ask for
            out-of-band breaks (its platform, driver or sqlnet.ora).
seen        nobody owns the client's socket: the kernel signals urgent data to nobody
seen        the server does not catch SIGURG
seen        break polls were seen while it was on CPU
seen        /u01/network/admin/sqlnet.ora does not set DISABLE_OOB=ON
set         BREAK_POLL_SKIP=3: /u01/network/admin/sqlnet.ora
polls       80,000 break polls a second, and 1,200 of other sockets
time        of 0.5 s: on CPU 80.0 % (of that 5.0 % [3.3, 7.6] in the break check, by samples),
            waiting for a CPU 5.0 %, for its client 3.0 %, blocked in semtimedop 10.0 %, not
            accounted for 2.0 %
stack        95.0 % sqlite3VdbeExec < opifch2 < opiodr < opitsk < main
              5.0 % poll < sntpoltsts < snttmoredata < nsmore2recv < nioqts < kcbgtcr < opifch2 < o…
session     7,4711  SCOTT  sqlplus.exe from pc7
sql         a5ks9fhw2v9s1  select /*+ ordered use_nl(b) use_nl(c) */ count(*) from sys.obj$ a,
            sys.obj$ b, sys.obj$ c where a.owner# = b.owner# and rownum <= :n
state       ACTIVE, waits for enq: TX - row lock contention, 3.1 s so far, blocked by session 12
not read    v$sesstat: ORA-00942: table or view does not exist

TYPE  IN THE LAST 1.0 s                            CHANGE     PER SECOND  % TIME
WAIT  enq: TX - row lock contention              900.0 ms      2.0 waits    90.0
WAIT  event 0                                      1.0 ms      1.0 waits     0.1
WAIT  event 1                                      1.0 ms      1.0 waits     0.1
WAIT  event 2                                      1.0 ms      1.0 waits     0.1
STAT  consistent gets                             200,000      200,000.0
STAT  execute count                                     1            1.0
      and 2 more events
"""


def test_the_screen_of_a_session_with_its_database() -> None:
    assert dump_text(STATE) + "\n" == SCREEN


def test_without_a_database_and_at_rest() -> None:
    at_rest = replace(
        STATE,
        budget=replace(BUDGET, cpu=0.0, queued=0.0, blocked=[], idle=Estimate(1.0, 0.97, 1.0)),
        stacks=[],
        samples=0,
        checks=None,
        database=None,
    )
    lines = dump_text(at_rest).splitlines()
    assert lines == [
        *SCREEN[: SCREEN.index("time ")].splitlines(),
        "time        of 0.5 s: on CPU 0.0 %, waiting for a CPU 0.0 %, for its client 100.0 %",
        "stack       it was not on CPU",
    ]
