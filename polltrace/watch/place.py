# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the probe runs, and what is known there besides what it says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from polltrace.errors import PolltraceError
from polltrace.executables import find_executable
from polltrace.intervals import Estimate
from polltrace.overhead.price import price_s
from polltrace.profiles.frames import WatchedProcess
from polltrace.servers.servers import Server, servers
from polltrace.watch.identities import Identities

if TYPE_CHECKING:
    from polltrace.profiles.sampled import Names


class Place(Protocol):
    """A host with a probe on it."""

    def argv(self, options: Sequence[str]) -> list[str]:
        """The command that runs polltrace-probe there. Raises HostError where there is none."""
        ...

    def failure(self, code: int, said: str, /) -> PolltraceError | None:
        """What an exit code of that command means, where it is not one of the probe's."""
        ...

    def heard(self, process: WatchedProcess) -> None:
        """The probe told of a process."""
        ...

    def look(self, pids: Iterable[int]) -> list[Server]:
        """The dedicated servers among these."""
        ...

    def price_s(self, pace_s: float) -> Estimate:
        """What a poll costs there. Raises HostError."""
        ...

    def names(self) -> Names:
        """Names for the stacks of one process."""
        ...


class Here:
    """This host."""

    def argv(self, options: Sequence[str]) -> list[str]:
        return [str(find_executable("polltrace-probe")), *options]

    def failure(self, _code: int, _said: str, /) -> PolltraceError | None:
        return None

    def heard(self, process: WatchedProcess) -> None:
        """Nothing to keep: what it is, is read from /proc."""

    def look(self, pids: Iterable[int]) -> list[Server]:
        return servers(pids)

    def price_s(self, pace_s: float) -> Estimate:
        return price_s(pace_s)

    def names(self) -> Names:
        # Naming takes numpy: not for the first screen, nor for who opens no session.
        from stacks import Symbolizer  # noqa: PLC0415

        return Symbolizer()


HERE = Here()


@dataclass(frozen=True, slots=True)
class Watch:
    """What to watch, and how: seconds between two frames, whether gaps are timed now and then, and
    who knows whom servers serve."""

    interval_s: float
    place: Place = HERE
    gaps: bool = True
    identities: Identities = field(default_factory=lambda: Identities(None))
