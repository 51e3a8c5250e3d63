# SPDX-License-Identifier: GPL-2.0-or-later
"""The latency of a session: a round measures every layer, one after the other."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from polltrace import procfs
from polltrace.errors import DriverError, HostError
from polltrace.latency.tcp_info import TcpInfo, tcp_info
from polltrace.scenarios.run.client import Binds, DriverClient
from polltrace.scenarios.run.latency.layers import (
    CALLING,
    CONNECTING,
    PING,
    ROW,
    RTT,
    SEED,
    TCP,
    TNS,
    Sample,
)
from polltrace.scenarios.run.latency.probe_process import ConnectProber
from polltrace.scenarios.run.latency.server_time import ServerTime, ServerTimeReader
from polltrace.servers.client_socket import duplicate_socket

ONE_ROW = "select 1 from dual"
ONE_ROW_TIMES = 5
# As ociping does: the fourth of four pings in a row, the second where a ping takes long.
WARM_PINGS, FEWER_PINGS, LONG_PING_S = 4, 2, 0.05


@dataclass(frozen=True, slots=True)
class Rows:
    """The query whose rows are fetched one by one: `sql` and its `binds`."""

    sql: str = "select level from dual connect by level <= :n"
    binds: Binds = field(default_factory=lambda: {"n": 10})


@dataclass(frozen=True, slots=True)
class PingTarget:
    """The database and the user of a session.

    - `host`, `port`, `service`: of the listener
    - `user`, `password`
    - `timeout_s`: how long a connect may take
    - `disable_oob`: whether the client asks for in-band breaks
    """

    host: str
    port: int
    service: str
    user: str
    password: str = field(repr=False)
    timeout_s: float = 5.0
    disable_oob: bool = False

    @property
    def dsn(self) -> str:
        return f"{self.host}:{self.port}/{self.service}"


@dataclass(frozen=True, slots=True)
class LayerFailure:
    """A measurement of `layer` that failed, and why."""

    layer: str
    reason: str


class LatencySession:
    """The connections of one session, from __enter__ to __exit__.

    A warm channel for pings and single rows; one that fetches a row per round trip; one that reads
    the V$ views about both; and a prober that connects anew. `start` is the command that starts
    programs in the network namespace that they measure from.
    """

    def __init__(
        self,
        target: PingTarget,
        client: str = "python-oracledb",
        layers: Collection[str] = (*CONNECTING, *CALLING),
        start: Sequence[str] = (),
        rows: Rows | None = None,
    ) -> None:
        self._target = target
        self._layers = frozenset(layers)
        self._calls = [layer for layer in CALLING if layer in self._layers]
        self._fetched = rows or Rows()
        self._clients = [DriverClient(client, start=start) for _ in range(3)]
        self._channel, self._fetcher, self._watcher = self._clients
        self._prober = ConnectProber(start)
        self._readers: list[ServerTimeReader] = []
        self._broken = False
        self._ping_s = 0.0
        self.no_server_time = ""
        """Why there is no server time; empty where there is."""

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._prober)
            if self._calls:
                for client in self._clients:
                    stack.enter_context(client)
                self._first_connect()
            self._open = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._open.close()

    @property
    def driver(self) -> str:
        """The driver's name and version; empty if no layer needs a driver."""
        return self._channel.about.title if self._calls else ""

    def round(self) -> Iterator[Sample | LayerFailure]:
        """A measurement of every layer, or why it failed; one that failed does not end the rest."""
        if self._layers & {*CONNECTING}:
            yield from self._connects()
        calls = self._calls
        if not calls:
            return
        try:
            if self._broken:
                self._reconnect()
            for layer in calls:
                yield from {PING: self._pings, ROW: self._rows, SEED: self._seed}[layer]()
        except DriverError as error:
            self._broken = True
            yield from (LayerFailure(layer, str(error)) for layer in calls)

    def kernel(self) -> TcpInfo | None:
        """The kernel's figures about the warm channel; None where they cannot be read."""
        for fd in procfs.socket_fds(self._channel.pid) if self._calls else ():
            duplicate = duplicate_socket(self._channel.pid, fd)
            if duplicate is None:
                continue
            with duplicate, contextlib.suppress(OSError):
                internet = duplicate.family in (socket.AF_INET, socket.AF_INET6)
                if internet and duplicate.getpeername()[1] == self._target.port:
                    return tcp_info(duplicate)
        return None

    def _first_connect(self) -> None:
        """Raises DriverError, with the reason of the socket where the driver names none."""
        to = self._target
        try:
            self._connect()
        except DriverError as error:
            try:
                self._prober.connect((to.host, to.port), to.host, None, to.timeout_s)
            except HostError as reason:
                raise DriverError(f"{error} {reason}") from None
            raise

    def _connect(self) -> None:
        to = self._target
        for client in self._clients:
            fetch_size = 1 if client is self._fetcher else 0
            client.connect(
                to.dsn, to.user, to.password, disable_oob=to.disable_oob, fetch_size=fetch_size
            )
        try:
            watched = (self._channel, self._fetcher)
            self._readers = [ServerTimeReader(client, self._watcher) for client in watched]
        except DriverError as error:
            self._readers, self.no_server_time = [], str(error)

    def _reconnect(self) -> None:
        for client in self._clients:
            client.restart()
        self._connect()
        self._broken = False

    def _connects(self) -> Iterator[Sample | LayerFailure]:
        to, service = self._target, self._target.service if TNS in self._layers else None
        try:
            connect = self._prober.connect((to.host, to.port), to.host, service, to.timeout_s)
        except HostError as error:
            yield from (LayerFailure(e, str(error)) for e in CONNECTING if e in self._layers)
            return
        seconds = {TCP: connect["tcp_connect_s"], RTT: connect["kernel_rtt_s"]}
        for layer, layer_s in seconds.items():
            if layer in self._layers:
                yield Sample(layer, layer_s)
        if service is not None:
            yield Sample(TNS, connect["tns_connect_s"], connect["tns_round_trips"])

    def _pings(self) -> Iterator[Sample]:
        times = FEWER_PINGS if self._ping_s > LONG_PING_S else WARM_PINGS
        self._ping_s = self._channel.ping(times)[-1]
        yield Sample(PING, self._ping_s)

    def _rows(self) -> Iterator[Sample]:
        elapsed_s, spent = self._timed(0, self._channel, Rows(ONE_ROW, {}), ONE_ROW_TIMES)
        trips, db_s = 1.0, None
        if spent is not None:
            trips, db_s = spent.trips / ONE_ROW_TIMES, spent.db_s / ONE_ROW_TIMES
        yield from (Sample(ROW, row_s, trips, db_s) for row_s in elapsed_s)

    def _seed(self) -> Iterator[Sample | LayerFailure]:
        if not self._readers:
            yield LayerFailure(SEED, self.no_server_time)
            return
        elapsed_s, spent = self._timed(1, self._fetcher, self._fetched, 1)
        if spent is None or spent.trips < 1:
            yield LayerFailure(SEED, "the session's round trips did not grow")
            return
        yield Sample(SEED, (elapsed_s[0] - spent.db_s) / spent.trips, spent.trips, spent.db_s)

    def _timed(
        self, reader: int, client: DriverClient, query: Rows, times: int
    ) -> tuple[list[float], ServerTime | None]:
        """Seconds of each execution, and the growth of the session's totals in all of them."""
        if not self._readers:
            return client.execute(query.sql, query.binds, times=times).elapsed_s, None
        earlier = self._readers[reader].read()
        elapsed_s = client.execute(query.sql, query.binds, times=times).elapsed_s
        return elapsed_s, self._readers[reader].read().since(earlier)
