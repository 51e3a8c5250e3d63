# SPDX-License-Identifier: GPL-2.0-or-later
"""The host that the probe runs on, and the facts about it beyond the probe's output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from polltrace.errors import PolltraceError
from polltrace.executables import find_executable
from polltrace.overhead.calibration import CheckCost, cost_per_check
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.host_store import this_host
from polltrace.overhead.poll_cost import Knot
from polltrace.profiles.frames import WatchedProcess
from polltrace.servers.servers import Server, servers
from polltrace.watch.identities import Identities

if TYPE_CHECKING:
    from polltrace.profiles.sampled import SymbolSource


class ProbeHost(Protocol):
    """A host with a probe on it."""

    def argv(self, options: Sequence[str]) -> list[str]:
        """The command that runs polltrace-probe there. Raises HostError where there is none."""
        ...

    def failure(self, code: int, message: str, /) -> PolltraceError | None:
        """The error that an exit code of that command means; None where it is the probe's own."""
        ...

    def note(self, process: WatchedProcess) -> None:
        """The probe announced a process."""
        ...

    def servers(self, pids: Iterable[int]) -> list[Server]:
        """The dedicated servers among these."""
        ...

    def check_cost(self, knot: Knot) -> CheckCost:
        """CPU seconds of a check there, at this knot. Raises HostError."""
        ...

    def factors(self) -> HostFactors | None:
        """The cost model's factors of the host; None where they were not measured."""
        ...

    def names(self) -> SymbolSource:
        """Names for the stacks of one process."""
        ...


class LocalHost:
    """This host."""

    def argv(self, options: Sequence[str]) -> list[str]:
        return [find_executable("polltrace-probe"), *options]

    def failure(self, _code: int, _message: str, /) -> PolltraceError | None:
        return None

    def note(self, process: WatchedProcess) -> None:
        """Nothing to keep: /proc has it."""

    def servers(self, pids: Iterable[int]) -> list[Server]:
        return servers(pids)

    def check_cost(self, knot: Knot) -> CheckCost:
        return cost_per_check(knot)

    def factors(self) -> HostFactors | None:
        return this_host()

    def names(self) -> SymbolSource:
        # Naming takes numpy, which neither the first screen nor the table needs.
        from polltrace.stacks import Symbolizer  # noqa: PLC0415 - numpy

        return Symbolizer()


LOCAL_HOST = LocalHost()


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """`interval_s` seconds between two frames of the probe on `probe_host`.

    `gaps`: the gaps between polls are timed now and then. `identities` reads the
    sessions of servers from the database. `recording`: options of `record` where a session is
    recorded from here.
    """

    interval_s: float
    probe_host: ProbeHost = LOCAL_HOST
    gaps: bool = True
    identities: Identities = field(default_factory=lambda: Identities(None))
    recording: Sequence[str] = ()
