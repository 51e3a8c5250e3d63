# SPDX-License-Identifier: GPL-2.0-or-later
"""Metrics over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Self

from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from polltrace.errors import HostError
from polltrace.exporter.metrics import Reading, families


class MetricsServer(Collector):
    """Answers scrapes from __enter__ to __exit__, in threads of its own, with the last `reading`.

    Before there is one it answers with our own process's metrics alone. Raises HostError where
    the address is taken or not ours.
    """

    def __init__(self, host: str, port: int) -> None:
        self._address = host, port
        self.reading: Reading | None = None

    def __enter__(self) -> Self:
        registry = CollectorRegistry()
        registry.register(self)
        ProcessCollector(registry=registry)
        host, port = self._address
        try:
            self._server, self._thread = start_http_server(port, host, registry)
        except OSError as error:
            raise HostError(f"cannot listen on {host}:{port}: {error.strerror}") from error
        return self

    @property
    def url(self) -> str:
        host, port = self._server.server_address[:2]
        return f"http://{f'[{host!s}]' if ':' in str(host) else str(host)}:{port}/metrics"

    def collect(self) -> Iterator[Metric]:
        if self.reading is not None:
            yield from families(self.reading)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
