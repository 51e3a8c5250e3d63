# SPDX-License-Identifier: GPL-2.0-or-later
"""Another host, by ssh: polltrace-probe runs there, and nothing else is needed there.

Facts that only its /proc has (the socket's owner, the handler) and a configuration file are not
known here, and this host's /proc is never read for that host's processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from polltrace.breaks.sqlnet import default_settings
from polltrace.errors import HostError, PolltraceError
from polltrace.overhead.calibration import CheckCost, cost_per_check
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.poll_cost import Knot
from polltrace.profiles.frames import WatchedProcess
from polltrace.profiles.recognition import engine_of_process, title_of
from polltrace.servers.servers import Server
from polltrace.watch.ssh import Ssh
from polltrace.watch.unnamed import Unnamed

if TYPE_CHECKING:
    from polltrace.profiles.sampled import SymbolSource


class SshHost:
    """The host that `ssh` reaches; `probe` is the path of polltrace-probe there.

    `sudo`: run it by `sudo -n`, for a user that is not root.
    """

    def __init__(self, ssh: Ssh, probe: str, *, sudo: bool) -> None:
        self._ssh, self._probe, self._sudo = ssh, probe, sudo
        self._servers: dict[int, Server] = {}

    def argv(self, options: Sequence[str]) -> list[str]:
        return self._ssh.argv([self._probe, *options], sudo=self._sudo)

    def failure(self, code: int, message: str, /) -> PolltraceError | None:
        return self._ssh.failure(
            code,
            message,
            "copy polltrace-probe there and give its path with --probe PATH; --sudo where it is "
            "not root that logs in",
        )

    def note(self, process: WatchedProcess) -> None:
        if server := _server(process):
            self._servers[process.pid] = server
        else:
            self._servers.pop(process.pid, None)

    def servers(self, pids: Iterable[int]) -> list[Server]:
        return [self._servers[pid] for pid in pids if pid in self._servers]

    def factors(self) -> HostFactors | None:
        """None: the factors are on that host's disk, which is not read."""
        return None

    def check_cost(self, knot: Knot) -> CheckCost:
        """The cost per check, measured by the polltrace-calibrate of that host."""
        calibrate = str(PurePosixPath(self._probe).with_name("polltrace-calibrate"))
        try:
            return cost_per_check(knot, self._ssh.argv([calibrate]))
        except HostError:
            raise HostError(
                "there is no polltrace-calibrate next to polltrace-probe on "
                f"{self._ssh.destination}"
            ) from None

    def names(self) -> SymbolSource:
        return Unnamed()


def _server(process: WatchedProcess) -> Server | None:
    engine = engine_of_process(process)
    match = engine.titled(title_of(process)) if engine else None
    if engine is None or match is None:
        return None
    return Server(
        pid=process.pid,
        start_ticks=process.start_ticks,
        engine=engine,
        instance=engine.instance_of(match),
        local=engine.is_local(match),
        socket=None,
        catches_sigurg=None,
        settings=default_settings(engine),
        looked_at=False,
    )
