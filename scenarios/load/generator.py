# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a workload: starts the clients, connects their sessions, feeds their plans, counts.

The clients do the work by themselves; this process only sends plans ahead and takes records, so it
may be late without delaying a transaction.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from polltrace.errors import DriverError
from polltrace.scenarios.clients import load_program
from polltrace.scenarios.load import sql_text
from polltrace.scenarios.load.load_client_process import LoadClient, Message
from polltrace.scenarios.load.session import LoadSession
from polltrace.scenarios.load.tally import Tally
from polltrace.scenarios.load.workload import Workload

START_MARGIN_S = 0.2
"""From sending an appointed time until it has come: every client must have read it by then."""
LONGEST_START_S = 120.0
LONGEST_END_S = 30.0
"""How long a transaction may go on after the load's end before its session is given up."""

Write = Callable[..., None]


class Generator:
    """The clients of a workload, from __enter__ to __exit__.

    `write` gets the lines of the load's file. `stop()` may be called at any moment, from a signal
    handler too.
    """

    def __init__(
        self,
        workload: Workload,
        seed: int,
        processors: Collection[int],
        start: Sequence[str],
        write: Write,
    ) -> None:
        self.workload = workload
        self._write = write
        self._stack = contextlib.ExitStack()
        self._selector = selectors.DefaultSelector()
        self._woken, self._wake = os.pipe()
        self._stopping = False
        self._clients = [
            LoadClient(name, numbers, processors, start, real_time=workload.real_time)
            for name, numbers in _shares(workload)
        ]
        self.sessions = [
            LoadSession(workload, number, client, seed)
            for number, client in sorted(
                ((n, client) for client in self._clients for n in client.sessions),
                key=lambda pair: pair[0],
            )
        ]
        self.drivers: dict[str, str] = {}
        self.first_failure = ""
        self.tally = Tally(workload)
        self._ready: set[LoadClient] = set()
        self._on_connected: Callable[[LoadSession], None] = lambda _: None

    def __enter__(self) -> Self:
        for fd in (self._woken, self._wake):
            self._stack.callback(os.close, fd)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._stack.callback(self._selector.close)
        try:
            for client in self._clients:
                self._stack.enter_context(client)
                self._selector.register(client, selectors.EVENT_READ, client)
                client.send("prepare", statements=_statements(self.workload))
            self._wait(lambda: len(self._ready) == len(self._clients), LONGEST_START_S)
            if len(self._ready) < len(self._clients) and not self._stopping:
                raise DriverError(f"a load client did not start within {LONGEST_START_S:g} s")
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.close()

    def stop(self) -> None:
        """End the load before its time."""
        self._stopping = True
        os.write(self._wake, b"!")

    @property
    def stopped(self) -> bool:
        return self._stopping

    def client_pids(self) -> list[int]:
        return [client.pid for client in self._clients]

    def connect(
        self,
        target: Mapping[str, Any],
        first: Callable[[int], list[str]],
        identify: Sequence[str],
        connected: Callable[[LoadSession], None],
    ) -> None:
        """Connect all sessions as the workload's connect mode has it; returns when all have
        connected or failed. `first` gives a session's first statements."""
        self._on_connected = connected
        begin = time.monotonic_ns()
        if self.workload.connect == "tsunami":
            begin += int(1e9 * START_MARGIN_S)
        delay_s = self.workload.connect_delay_s if self.workload.connect == "trickle" else 0.0
        for session in self.sessions:
            session.state = "connecting"
            session.client.send(
                "connect",
                session=session.number,
                at_ns=begin + int(1e9 * delay_s * session.number),
                first=first(session.number),
                identify=list(identify),
                **target,
            )
        longest_s = LONGEST_START_S + delay_s * len(self.sessions)
        self._wait(lambda: all(s.state != "connecting" for s in self.sessions), longest_s)
        for session in self.sessions:
            if session.state == "connecting" and not self._stopping:
                self._failed(session, f"no answer within {longest_s:g} s")

    def work(self, end_ns: int, each_second: Callable[[float], None]) -> None:
        """Run until all sessions are over; `each_second` gets the length of the second that is
        over, in seconds."""
        last = time.monotonic()
        give_up = end_ns / 1e9 + LONGEST_END_S
        told_to_stop = False
        while not self._over():
            now_s = time.monotonic()
            if self._stopping and not told_to_stop:
                told_to_stop, give_up = True, now_s + LONGEST_END_S
                self._stop_sessions()
            if now_s >= give_up:
                break
            if now_s - last >= 1.0:
                each_second(now_s - last)
                last = now_s
                for session in self.sessions:
                    session.second_over()
            self._take(min(last + 1.0, give_up) - time.monotonic())
        for session in self.sessions:
            if not session.over:
                self._lost(session, f"it still executed {LONGEST_END_S:g} s after the end")
        each_second(time.monotonic() - last)

    def _stop_sessions(self) -> None:
        for session in self.sessions:
            if session.state == "running":
                session.stop()
            elif not session.over:
                session.state = "ended"

    def _over(self) -> bool:
        return all(session.over for session in self.sessions)

    def _wait(self, until: Callable[[], bool], longest_s: float) -> None:
        end = time.monotonic() + longest_s
        while not until() and not self._stopping and (remaining_s := end - time.monotonic()) > 0:
            self._take(remaining_s)

    def _take(self, longest_s: float) -> None:
        """Messages of the clients, after a wait for the first."""
        with self._room_awaited():
            ready = self._selector.select(max(longest_s, 0.0))
        for key, _ in ready:
            client = key.data
            if key.fd == self._woken:
                os.read(self._woken, 4096)
                continue
            if key.events == selectors.EVENT_WRITE:
                client.flush()
                continue
            messages = client.read()
            if messages is None:
                self._selector.unregister(client)
                self._client_ended(client)
            for message in messages or ():
                self._message(client, message)

    @contextlib.contextmanager
    def _room_awaited(self) -> Iterator[None]:
        """Within, room in the pipe of a client that has yet to read something is waited for."""
        full = [client for client in self._clients if client.pending]
        for client in full:
            self._selector.register(client.input, selectors.EVENT_WRITE, client)
        try:
            yield
        finally:
            for client in full:
                self._selector.unregister(client.input)

    def _message(self, client: LoadClient, message: Message) -> None:
        if "driver" in message:
            self.drivers[client.name] = f"{message['driver']} {message['version']}"
            self._ready.add(client)
            return
        session = self.sessions[message["session"]]
        if "records" in message:
            records = message["records"]
            self.tally.add(session.number, records, message["errors"], session.clock)
            session.heard(records)
        elif "connected_ns" in message:
            self._connected(session, message)
        elif "failed" in message:
            self._failed(session, message["failed"])
        elif message["ended"] is None:
            session.state = "ended"
            if message.get("cache"):
                self._write("cache", session=session.number, statistics=message["cache"])
        else:
            self._lost(session, message["ended"])

    def _connected(self, session: LoadSession, message: Message) -> None:
        session.state = "connected"
        session.sid, session.spid = (
            int(word) if word and word.strip().isdecimal() else None for word in message["identity"]
        )
        self._write(
            "session",
            session=session.number,
            client=session.client.name,
            sid=session.sid,
            spid=session.spid,
            connect_ms=(message["connected_ns"] - message["began_ns"]) / 1e6,
            began_ns=message["began_ns"],
        )
        self._on_connected(session)

    def _failed(self, session: LoadSession, why: str) -> None:
        session.state = "failed"
        self.first_failure = self.first_failure or why
        self._write("session", session=session.number, client=session.client.name, failed=why)

    def _lost(self, session: LoadSession, why: str) -> None:
        began = session.start_ns / 1e9
        heard_s = max(session.heard_at - began, 0.0) if session.start_ns else 0.0
        session.state = "lost"
        self._write(
            "lost",
            session=session.number,
            client=session.client.name,
            why=why,
            at_s=time.monotonic() - began if session.start_ns else 0.0,
            heard_s=heard_s,
        )

    def _client_ended(self, client: LoadClient) -> None:
        why = client.how_it_ended()
        if client not in self._ready:
            raise DriverError(f"{client.name}: {why}")
        for number in client.sessions:
            session = self.sessions[number]
            if session.state in ("waiting", "connecting"):
                self._failed(session, why)
            elif not session.over:
                self._lost(session, why)


def _shares(workload: Workload) -> list[tuple[str, list[int]]]:
    """The driver and the sessions of each client process."""
    groups = []
    for name in dict.fromkeys(workload.clients):
        numbers = [n for n in range(workload.sessions) if workload.client_of(n) == name]
        per_process = load_program(name).sessions
        groups += [
            (name, numbers[start : start + per_process])
            for start in range(0, len(numbers), per_process)
        ]
    return groups


def _statements(workload: Workload) -> list[dict[str, Any]]:
    return [
        {
            "sql": statement.sql,
            "query": statement.kind == "query",
            "cacheable": sql_text.cacheable(statement.sql),
            "settings": sql_text.sets_session(statement.sql),
            "rows": statement.rows,
        }
        for statement in workload.statements
    ]
