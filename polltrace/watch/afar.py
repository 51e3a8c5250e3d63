# SPDX-License-Identifier: GPL-2.0-or-later
"""Another host, by ssh: polltrace-probe runs there, and nothing else is needed there.

What only its /proc could tell (who is told of urgent data, the handler, sqlnet.ora) is not known
here, and this host's /proc is never asked about that host's processes.
"""

from __future__ import annotations

import secrets
import shlex
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import TYPE_CHECKING, Self

from polltrace.breaks.sqlnet import BreakSettings
from polltrace.engines import Engine, engines
from polltrace.errors import HostError, PolltraceError
from polltrace.intervals import Estimate
from polltrace.overhead.price import priced_by
from polltrace.profiles.frames import WatchedProcess
from polltrace.servers.servers import Server
from polltrace.watch.unnamed import Unnamed

if TYPE_CHECKING:
    from polltrace.profiles.sampled import Names

_SSH = [
    *("ssh", "-T", "-x"),
    # It has no terminal to ask on, and must not wait for an answer.
    *("-o", "BatchMode=yes"),
    # A host that is gone is noticed within a minute.
    *("-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"),
    # The probe of an open session goes through the connection that is there.
    *("-o", "ControlMaster=auto", "-o", "ControlPersist=no"),
]
_SSH_FAILED, _NO_COMMAND, _NOT_EXECUTABLE = 255, 127, 126


class Afar:
    """`destination` as ssh takes it, from __enter__ to __exit__; `probe` is the path there.

    `sudo`: run it by `sudo -n`, for a user who is not root and may.
    """

    def __init__(self, destination: str, probe: str, *, sudo: bool) -> None:
        self._destination, self._probe, self._sudo = destination, probe, sudo
        self._told: dict[int, Server] = {}

    def __enter__(self) -> Self:
        # A name that nobody can guess, in no folder of ours: ssh takes its socket away as it ends,
        # and it ends when its reader is gone, so that nothing stays even if we are killed.
        self._socket = Path(tempfile.gettempdir()) / f"polltrace-{secrets.token_hex(16)}"
        return self

    def argv(self, options: Sequence[str]) -> list[str]:
        return self._run([*(["sudo", "-n"] if self._sudo else []), self._probe, *options])

    def failure(self, code: int, said: str, /) -> PolltraceError | None:
        last = said.splitlines()[-1] if said else f"ssh ended with code {code}"
        if code == _SSH_FAILED:
            return HostError(
                f"ssh to {self._destination}: {last} (it must work without a question: "
                f"try 'ssh -o BatchMode=yes {self._destination} true')"
            )
        if code in (_NO_COMMAND, _NOT_EXECUTABLE) or said.startswith("sudo: "):
            return HostError(
                f"on {self._destination}: {last} (copy polltrace-probe there and say where it is "
                "with --probe PATH; --sudo where it is not root that logs in)"
            )
        return None

    def heard(self, process: WatchedProcess) -> None:
        if server := _server(process):
            self._told[process.pid] = server
        else:
            self._told.pop(process.pid, None)

    def look(self, pids: Iterable[int]) -> list[Server]:
        return [self._told[pid] for pid in pids if pid in self._told]

    def price_s(self, pace_s: float) -> Estimate:
        """By the polltrace-price that lies beside the probe, if there is one: another host's
        price is not this one's."""
        price = str(PurePosixPath(self._probe).with_name("polltrace-price"))
        try:
            return priced_by(self._run([price]), pace_s)
        except HostError:
            raise HostError(
                f"there is no polltrace-price beside polltrace-probe on {self._destination}"
            ) from None

    def names(self) -> Names:
        return Unnamed()

    def _run(self, command: Sequence[str]) -> list[str]:
        control = ["-o", f"ControlPath={self._socket}"]
        return [*_SSH, *control, "--", self._destination, shlex.join(command)]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._socket.unlink(missing_ok=True)


def _engine(process: WatchedProcess, title: str) -> Engine | None:
    """By its title, and among the engines with that title by its name: who may not see another
    user's executable has no better."""
    matching = [engine for engine in engines() if engine.title.match(title)]
    named = [e for e in matching if any(process.comm.startswith(x) for x in e.executables)]
    return next(iter(named or matching), None)


def _server(process: WatchedProcess) -> Server | None:
    title = " ".join(process.cmdline).strip()
    engine = _engine(process, title)
    match = engine.title.match(title) if engine else None
    if engine is None or match is None:
        return None
    return Server(
        pid=process.pid,
        start_ticks=process.start_ticks,
        engine=engine,
        instance=match["instance"],
        local=match["local"] == "YES",
        socket=None,
        catches_sigurg=None,
        settings=BreakSettings(None, engine.default_skip, False, True),
        looked_at=False,
    )
