# SPDX-License-Identifier: GPL-2.0-or-later
"""The dedicated server processes of this host, each with what can be seen from outside."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from dataclasses import dataclass

from polltrace import procfs
from polltrace.breaks.break_mode import Evidence
from polltrace.breaks.sqlnet import VARIABLES, BreakSettings, break_settings
from polltrace.breaks.why import Why, why
from polltrace.engines import Engine, engine_of, has_server_title
from polltrace.errors import NotPermittedError
from polltrace.profiles.frames import ProcessTotals
from polltrace.servers.client_socket import ClientSocket, Connections, client_socket, connections


@dataclass(frozen=True, slots=True)
class Server:
    """One dedicated server: `pid` with `start_ticks` is its identity.

    Not `looked_at`: it is on another host, and all that its /proc would tell is not known; its
    `settings` are the defaults. `started_at` is seconds since the epoch; None: not known.
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

    @property
    def edited(self) -> bool:
        """Whether the server's sqlnet.ora was changed after it had read it."""
        return self.settings.changed_since(self.started_at)

    def why(self, polls_on_cpu: bool | None) -> Why:
        """Why it is in-band, if it is, with what a probe saw (None: nobody looked)."""
        return why(self.evidence(polls_on_cpu), self.settings, edited=self.edited)

    def client_polls(self, totals: ProcessTotals) -> int:
        """The break polls of the client's socket: those of the cluster interconnect, a database
        link or any other connection of the server's are none."""
        if self.socket is None:
            return 0
        fd, peer = self.socket.fd, self.socket.peer
        return sum(each.polls for each in totals.sockets if each.fd == fd or each.peer == peer)

    def evidence(self, polls_on_cpu: bool | None) -> Evidence:
        """What speaks for a break mode, with what a probe saw (None: nobody looked)."""
        owner = self.socket.owner if self.socket else None
        return Evidence(
            local=self.local,
            catches_sigurg=self.catches_sigurg,
            told_of_urgent_data=None if owner is None else owner != 0,
            polls_on_cpu=polls_on_cpu,
        )


def servers(pids: Iterable[int] | None = None) -> list[Server]:
    """The dedicated servers among `pids` (default: all of this host), by PID.

    Processes that end while we look are left out.
    """
    networks: dict[str, Connections] = {}
    found = []
    for pid in sorted(procfs.pids() if pids is None else pids):
        known = engine_of(procfs.executable(pid), procfs.title(pid))
        start_ticks = procfs.start_ticks(pid)
        if known is None or start_ticks is None:
            continue
        engine, title = known

        def connected(pid: int = pid) -> Connections:
            """Read once a network namespace, and only where it must be."""
            network = procfs.network(pid)
            if network not in networks:
                networks[network] = connections(pid)
            return networks[network]

        found.append(
            Server(
                pid=pid,
                start_ticks=start_ticks,
                started_at=procfs.started_at(start_ticks),
                engine=engine,
                instance=title["instance"],
                local=title["local"] == "YES",
                socket=client_socket(pid, connected),
                catches_sigurg=procfs.catches(pid, signal.SIGURG),
                settings=break_settings(
                    engine, procfs.environ(pid, VARIABLES), procfs.root(pid), procfs.program(pid)
                ),
            )
        )
    return found


def check_seen(pids: Iterable[int] | None = None) -> None:
    """Raises NotPermittedError where there are processes with a dedicated server's title among
    these whose executables we may not see: that none was found says nothing then."""
    unseen = [
        pid
        for pid in sorted(procfs.pids() if pids is None else pids)
        if not procfs.executable(pid) and has_server_title(procfs.title(pid))
    ]
    if unseen:
        some = ", ".join(map(str, unseen[:3])) + (", …" if len(unseen) > 3 else "")
        raise NotPermittedError(
            f"not permitted to see what the processes with a dedicated server's title run ({some}):"
            " run as root"
        )
