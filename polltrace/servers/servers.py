# SPDX-License-Identifier: GPL-2.0-or-later
"""The dedicated server processes of this host, as seen from outside."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from polltrace import procfs
from polltrace.breaks.break_mode import BreakMode, Evidence
from polltrace.breaks.meaning import diagnosis, mode_of
from polltrace.breaks.sqlnet import BreakSettings, break_settings, unknown_settings, variables
from polltrace.breaks.why import Diagnosis
from polltrace.containers import hidden_processes
from polltrace.each_within import each_within, latest_within
from polltrace.engines import Engine, engine_of, engines, has_server_title
from polltrace.errors import HostError, NotPermittedError
from polltrace.profiles.frames import Identity, ProcessTotals, SocketPolls
from polltrace.servers.client_socket import (
    ClientSocket,
    Connections,
    clients_among,
    connections,
    tcp_sockets,
)


@dataclass(frozen=True, slots=True)
class ServerName:
    """Process `pid`, a server of database `instance`; `sid` of its session, where that database was
    asked."""

    pid: int
    instance: str
    sid: int | None = None

    def __str__(self) -> str:
        return f"{self.instance} {self.pid}" + (f" SID {self.sid}" if self.sid is not None else "")


@dataclass(frozen=True, slots=True)
class Server:
    """A dedicated server process of `engine`, serving database `instance`.

    `pid` with `start_ticks` is its identity. `local`: it was started without a listener.
    `catches_sigurg`: it has a handler for SIGURG; None: unknown.
    `looked_at` is False for a server of another host, whose /proc cannot be read and whose
    `settings` are the defaults. `socket` is likeliest the client's, `candidates` may be it
    too where the server owns no socket, and `sockets` are all of its TCP connections, those
    to other databases included. `linked_from` is the server of this host that is its client
    (client_servers.py). `started_at` is in seconds since the epoch, and `uid` the user that it runs
    as; None: unknown.
    """

    pid: int
    start_ticks: int
    engine: Engine
    instance: str
    local: bool
    socket: ClientSocket | None
    catches_sigurg: bool | None
    settings: BreakSettings
    looked_at: bool = True
    started_at: float | None = None
    candidates: tuple[ClientSocket, ...] = ()
    sockets: tuple[ClientSocket, ...] = ()
    linked_from: ServerName | None = None
    uid: int | None = None

    @property
    def identity(self) -> Identity:
        return self.pid, self.start_ticks

    @property
    def edited(self) -> bool:
        """True if the configuration file was changed after the server had read it."""
        return self.settings.changed_since(self.started_at)

    @property
    def configuration(self) -> str:
        """The file to set the engine's parameter in: its path, or its name and directory where
        the path is unknown."""
        settings, engine = self.settings, self.engine
        path = settings.path or settings.place
        if path or not engine.configuration_directories:
            return str(path or engine.configuration_file or "configuration")
        return f"{engine.configuration_file} in {engine.configuration_directories[-1]}"

    def why(self, polls_on_cpu: bool | None) -> Diagnosis:
        """Why it is in-band, if it is, by the polls that a probe saw (None: no probe)."""
        evidence = self.evidence(polls_on_cpu)
        return diagnosis(self.engine, evidence, self.settings, edited=self.edited)

    def mode(self, polls_on_cpu: bool | None) -> BreakMode:
        """The break mode; `polls_on_cpu` is from a probe, None without one."""
        return mode_of(self.engine, self.evidence(polls_on_cpu))

    def client_polls(self, totals: ProcessTotals) -> int:
        """The break polls of the client's socket: those of the cluster interconnect, a database
        link or any other connection of the server's are none."""
        if self.engine.sessions_are_threads:
            return totals.break_polls
        client = self.client(totals)
        if client is not None:
            return _polls(client, totals.sockets)
        # A session over a unix socket has no TCP socket of its client's; it may check that one.
        local = self.local and not self.engine.has_out_of_band
        return sum(socket.polls for socket in totals.sockets if local and socket.kind == "unix")

    def client(self, totals: ProcessTotals) -> ClientSocket | None:
        """The client's socket: where the server owns none, the one that it polls most."""
        return self.client_among(totals.sockets)

    def client_among(self, polled: Iterable[SocketPolls]) -> ClientSocket | None:
        """The client's socket, chosen among `polled` only; None for a server of many sessions."""
        if self.engine.sessions_are_threads:
            return None
        if self.socket is None or not self.candidates:
            return self.socket
        return max((self.socket, *self.candidates), key=lambda socket: _polls(socket, polled))

    def evidence(self, polls_on_cpu: bool | None) -> Evidence:
        """The evidence for a break mode, with a probe's totals (None: no probe was attached)."""
        owner = self.socket.owner if self.socket else None
        return Evidence(
            local=self.local,
            catches_sigurg=self.catches_sigurg,
            told_of_urgent_data=None if owner is None else owner != 0,
            polls_on_cpu=polls_on_cpu,
        )


def _polls(socket: ClientSocket, polled: Iterable[SocketPolls]) -> int:
    fd, peer = socket.fd, socket.peer
    return sum(socket.polls for socket in polled if socket.fd == fd or socket.peer == peer)


def servers(
    pids: Iterable[int] | None = None, patience_s: float = procfs.PATIENCE_S
) -> list[Server]:
    """The dedicated servers among `pids` (default: all of this host), by PID.

    Processes that end while they are read are left out, as are those that do not give their titles
    within `patience_s` (unanswered()). One whose files are not read in that time has settings that
    are not known.
    """
    networks: dict[str, Connections] = {}
    pids_sorted = sorted(procfs.pids() if pids is None else pids)
    inspections = latest_within(pids_sorted, lambda pid: _server(pid, networks), patience_s)
    return [server for _, server in inspections if server is not None]


def unanswered(pids: Iterable[int] | None = None) -> list[int]:
    """The processes among these that run a server's executable and do not give their titles in
    time: whether they are dedicated servers cannot be told."""
    candidates = sorted(procfs.pids() if pids is None else pids)
    running = [pid for pid in candidates if _runs_an_engine(procfs.executable(pid))]
    titles = each_within(running, procfs.title_unbounded, procfs.PATIENCE_S)
    return [pid for pid, title in titles if title is None]


def _runs_an_engine(executable: str) -> bool:
    return any(executable in engine.executables for engine in engines())


def _server(pid: int, networks: dict[str, Connections]) -> Iterator[Server]:
    """The server with unknown settings, then with those in its files, whose reading may never end.
    Nothing for a process that is no server."""
    executable = procfs.executable(pid)
    if not _runs_an_engine(executable):
        return
    match = engine_of(executable, procfs.title_unbounded(pid))
    start_ticks = procfs.start_ticks(pid)
    if match is None or start_ticks is None:
        return
    engine, title = match

    def connected() -> Connections:
        """Read once a network namespace, and only where it must be."""
        network = procfs.network(pid)
        if network not in networks:
            networks[network] = connections(pid)
        return networks[network]

    sockets = tcp_sockets(pid, connected)
    candidates = clients_among(pid, sockets)
    socket, *remaining = _of_port(candidates, engine.client_port(title)) or (None,)
    server = Server(
        pid=pid,
        start_ticks=start_ticks,
        started_at=procfs.started_at(start_ticks),
        engine=engine,
        instance=engine.instance_of(title),
        local=engine.is_local(title),
        socket=socket,
        candidates=tuple(filter(None, remaining)),
        sockets=sockets,
        catches_sigurg=procfs.catches(pid, signal.SIGURG),
        uid=procfs.effective_uid(pid),
        settings=unknown_settings(engine, f"no answer in {procfs.PATIENCE_S:g} s"),
    )
    yield server
    environ = procfs.environ(pid, variables(engine))
    settings = break_settings(engine, environ, procfs.root(pid), procfs.program(pid))
    yield replace(server, settings=settings)


def _of_port(sockets: Sequence[ClientSocket], port: str) -> Sequence[ClientSocket]:
    """The socket whose peer has the port that the server's title names; else all of them."""
    matches = [socket for socket in sockets if port and socket.peer.endswith(f":{port}")]
    return matches[:1] or sockets


def checks_by_timer() -> bool:
    """True if a process of an engine whose checks a timer starts runs on this host."""
    executables = [engine.executables for engine in engines() if not engine.polls_by_count]
    return any(procfs.executable(pid) in names for pid in procfs.pids() for names in executables)


def check_seen(pids: Iterable[int] | None = None) -> None:
    """Check that the absence of servers among these processes (None: all of the host) proves
    something.

    Raises NotPermittedError where there are processes with a dedicated server's title whose
    executables may not be seen, HostError where not all processes of the host are visible.
    """
    candidates = sorted(procfs.pids() if pids is None else pids)
    hidden = [pid for pid in candidates if not procfs.executable(pid)]
    unseen = [pid for pid, title in procfs.titles(hidden) if has_server_title(title)]
    if unseen:
        few = ", ".join(map(str, unseen[:3])) + (", …" if len(unseen) > 3 else "")
        raise NotPermittedError(
            f"not permitted to see what the processes with a dedicated server's title run ({few}):"
            " run as root"
        )
    if pids is None and (reason := hidden_processes()):
        raise HostError(f"whether this host has dedicated servers cannot be told: {reason}")
