# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the observations, with two sessions of polltrace's own on the user's database."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.engines import Engine
from polltrace.errors import DriverError, HostError, NoSuchProcessError, PolltraceError
from polltrace.servers.login import Login
from polltrace.servers.login_process import LoginProcess
from polltrace.servers.servers import Server, servers
from polltrace.servers.session_trace import SessionTrace
from polltrace.sqltrace.file_scan import ScanOptions
from polltrace.sqltrace.scanner import TraceScan
from polltrace.stacks import ElfError, ProcessError
from polltrace.stacks.errors import UnansweredError
from polltrace.stacks.locating import locate_function
from polltrace.verify_oracle.observations import CountedWork, Observations, OutOfBand
from polltrace.verify_oracle.process_facts import function_facts, owns_sockets

_READ_S = 2.0
_BURST_S = 0.4
_MODULE = "polltrace.verify_oracle.client"


class VerifiedSession:
    """A session of polltrace's own; `pid` is its server."""

    def __init__(self, process: LoginProcess, pid: int, release: str) -> None:
        self._process = process
        self.pid = pid
        self.release = release

    def read(self, seconds: float) -> int:
        """Logical reads of a loop of about `seconds`."""
        return int(self._process.ask({"seconds": seconds})["gets"])


def observe(login: Login, progress: Callable[[str], None]) -> Observations:
    """All observations that this host and this login allow. Raises DriverError where there is no
    session at all."""
    seen = Observations()
    with _session(login, out_of_band=False, makes_table=True) as session:
        seen.release = session.release
        server = _server(session.pid)
        progress("the program")
        with _noted(seen, "functions"):
            seen.functions = function_facts(session.pid, _program_steps(server.engine))
        progress("logical reads, break polls and checks")
        with _noted(seen, "work"), EbpfProbe([session.pid], ProbeOptions()) as probe:
            gets = session.read(_READ_S)
            seen.work = CountedWork(gets, probe.stop().only().break_polls)
        seen.skip = server.settings.known_skip
        with _noted(seen, "burst"):
            seen.burst = _burst(session, server.engine)
        progress("out-of-band breaks")
        with _noted(seen, "out_of_band"):
            seen.out_of_band = _out_of_band(login)
        seen.failures |= {
            "sigurg": "/proc/PID/status of the server is not readable",
            "owner": "the server's descriptors cannot be duplicated (pidfd_getfd)",
        }
        progress("the SQL trace")
        with _noted(seen, "traced_calls"):
            _trace(login, session, seen)
    return seen


@contextlib.contextmanager
def _session(login: Login, *, out_of_band: bool, makes_table: bool) -> Iterator[VerifiedSession]:
    with LoginProcess(_MODULE, login, "verify") as process:
        answer = process.log_in(out_of_band=out_of_band, makes_table=makes_table)
        try:
            yield VerifiedSession(process, answer["pid"], answer["release"])
        finally:
            process.hang_up()


@contextlib.contextmanager
def _noted(seen: Observations, name: str) -> Iterator[None]:
    """Note the kind of failure: the text of an error may have names in it."""
    try:
        yield
    except (PolltraceError, ProcessError, ElfError, UnansweredError, OSError) as error:
        seen.failures[name] = _REASONS.get(type(error), type(error).__name__)


_REASONS: dict[type[BaseException], str] = {
    DriverError: "the database refused it, or did not answer",
    HostError: "this host lacks something that it takes (see polltrace doctor)",
    NoSuchProcessError: "the server is not a process of this host",
    PermissionError: "not permitted",
    FileNotFoundError: "the file is not on this host",
}


def _server(pid: int) -> Server:
    found = servers([pid], 10.0)
    if not found:
        raise NoSuchProcessError(
            "the session's server is no dedicated server of this host: run it on the database's "
            "host, with a dedicated connection (SERVER=DEDICATED), as root"
        )
    return found[0]


def _program_steps(engine: Engine) -> list[list[str]]:
    """The functions of the break check by their names, without the last: it is the C library's."""
    return [sorted(names) for names in engine.chains[0][:-1]]


def _burst(session: VerifiedSession, engine: Engine) -> tuple[int, int] | None:
    """Calls of the check function, and break polls among them, while the session reads."""
    place = locate_function(session.pid, engine.check_function)
    if place is None:
        raise HostError("no check function")
    reader = threading.Thread(target=session.read, args=(4 * _BURST_S + 1,))
    reader.start()
    try:
        time.sleep(_BURST_S)  # it is then reading
        options = ProbeOptions(_BURST_S, functions=((place.path, place.offset),))
        with EbpfProbe([session.pid], options) as probe:
            burst = probe.profile().only().burst
    finally:
        reader.join()
    if burst is None or burst.error:
        raise HostError("no burst")
    return burst.calls, burst.break_polls


def _out_of_band(login: Login) -> OutOfBand:
    with _session(login, out_of_band=True, makes_table=False) as session:
        server = _server(session.pid)
        with EbpfProbe([session.pid], ProbeOptions()) as probe:
            session.read(_READ_S / 2)
            polls = probe.stop().only().break_polls
        return OutOfBand(server.catches_sigurg, owns_sockets(session.pid), polls)


def _trace(login: Login, session: VerifiedSession, seen: Observations) -> None:
    with SessionTrace(login, [session.pid]) as trace:
        session.read(0.2)
        file = trace.sessions[0].file
    scan = TraceScan([file], ScanOptions(("name",)), threads=1)
    for _ in scan.batches():
        pass
    (summary,) = scan.summaries
    seen.traced_calls = summary.calls
    seen.unread_lines = sum(summary.not_understood.values())
