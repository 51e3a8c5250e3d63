# SPDX-License-Identifier: GPL-2.0-or-later
"""Metrics over HTTP: a few short connections at a time."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from prometheus_client import CollectorRegistry, MetricsHandler, ProcessCollector
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from polltrace.errors import HostError
from polltrace.exporter.metrics import Reading, families, frame_age

# A scrape takes milliseconds; one that takes longer is cut off.
_DEADLINE_S = 10.0
_MOST = 8


class MetricsServer(Collector):
    """Answers scrapes from __enter__ to __exit__, in threads of its own, with the last `reading`.

    Before there is one it answers with the age of what it has and our own process's metrics. No
    connection lasts longer than `deadline_s` seconds, and one more than `most` is refused. Raises
    HostError where the address is taken or not ours.
    """

    def __init__(
        self,
        host: str,
        port: int,
        *,
        deadline_s: float = _DEADLINE_S,
        max_requests: int = _MOST,
    ) -> None:
        self._address = host, port
        self._limits = deadline_s, max_requests
        self._reading: Reading | None = None
        self._read_at = time.monotonic()

    @property
    def reading(self) -> Reading | None:
        return self._reading

    @reading.setter
    def reading(self, reading: Reading) -> None:
        self._reading, self._read_at = reading, time.monotonic()

    def __enter__(self) -> Self:
        registry = CollectorRegistry()
        registry.register(self)
        ProcessCollector(registry=registry)
        host, port = self._address
        try:
            self._server = _LimitedHttpServer(
                host, port, MetricsHandler.factory(registry), *self._limits
            )
        except OSError as error:
            raise HostError(f"cannot listen on {host}:{port}: {error.strerror}") from error
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    @property
    def url(self) -> str:
        host, port = self._server.server_address[:2]
        return f"http://{f'[{host!s}]' if ':' in str(host) else str(host)}:{port}/metrics"

    def collect(self) -> Iterator[Metric]:
        yield frame_age(time.monotonic() - self._read_at)
        if self._reading is not None:
            yield from families(self._reading)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _LimitedHttpServer(ThreadingHTTPServer):
    """A thread for each of at most `most` connections; `service_actions` ends the overdue."""

    daemon_threads = True

    def __init__(
        self, host: str, port: int, handler: Any, deadline_s: float, max_requests: int
    ) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._deadline_s, self._most = deadline_s, max_requests
        self._lock = threading.Lock()
        self._ends_at: dict[Any, float] = {}
        super().__init__((host, port), handler)

    def verify_request(self, request: Any, _address: Any, /) -> bool:
        with self._lock:
            if len(self._ends_at) >= self._most:
                return False
            self._ends_at[request] = time.monotonic() + self._deadline_s
            return True

    def service_actions(self) -> None:
        now_s = time.monotonic()
        with self._lock:
            overdue = [request for request, ends_at in self._ends_at.items() if ends_at <= now_s]
            for request in overdue:
                with contextlib.suppress(OSError):
                    request.shutdown(socket.SHUT_RDWR)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._ends_at.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away needs no traceback."""
