# SPDX-License-Identifier: GPL-2.0-or-later
"""Metrics over HTTP, served to strangers: any process that can connect may try to keep others out.

A connection has a second for its request and ten for the answer; where too many are open the oldest
is dropped, so a scrape, whose request comes at once, is answered however many connect.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Collection, Iterator
from types import TracebackType
from typing import Self

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from polltrace.errors import HostError
from polltrace.exporter.listening import Address, bound_socket, remove_socket, url_of
from polltrace.exporter.metrics import HostReading, families, frame_age
from polltrace.exporter.request import LONGEST_HEAD, Request, refusal, response

_HEAD_S, _ANSWER_S = 1.0, 10.0
_MOST_CONNECTIONS = 256
# Connections accepted at a time: fewer than may be open, so a request is read before its connection
# is the oldest.
_BACKLOG = 64
# An answer is given to all who request it within this time.
_SAME_ANSWER_S = 0.5


class MetricsServer(Collector):
    """Answers scrapes from __enter__ to __exit__, in a thread, with the last `reading`.

    Without a reading the answer has the age of the data and our own process's metrics. `host_names`
    are the names that a request's Host header may have besides addresses and localhost. __enter__
    raises HostError where the address cannot be listened on.
    """

    def __init__(
        self,
        address: Address,
        *,
        host_names: Collection[str] = (),
        head_s: float = _HEAD_S,
        max_connections: int = _MOST_CONNECTIONS,
    ) -> None:
        self._address, self._host_names = address, frozenset(map(str.lower, host_names))
        self._head_s, self._max_connections = head_s, max_connections
        self._connections: dict[asyncio.StreamWriter, None] = {}
        self._answers: dict[str, tuple[float, bytes]] = {}
        self._reading: HostReading | None = None
        self._read_at = time.monotonic()
        self._registry = CollectorRegistry()

    @property
    def reading(self) -> HostReading | None:
        return self._reading

    @reading.setter
    def reading(self, reading: HostReading) -> None:
        self._reading, self._read_at = reading, time.monotonic()

    def __enter__(self) -> Self:
        self._registry.register(self)
        ProcessCollector(registry=self._registry)
        try:
            self._socket = bound_socket(self._address)
        except OSError as error:
            raise HostError(f"cannot listen on {self._address}: {error.strerror}") from error
        self._loop = asyncio.new_event_loop()
        # A client that went away needs no traceback.
        self._loop.set_exception_handler(lambda _loop, _context: None)
        serving = asyncio.start_server(
            self._serve, sock=self._socket, limit=LONGEST_HEAD, backlog=_BACKLOG
        )
        self._loop.run_until_complete(serving)
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        return self

    @property
    def url(self) -> str:
        return url_of(self._socket)

    def collect(self) -> Iterator[Metric]:
        yield frame_age(time.monotonic() - self._read_at)
        if self._reading is not None:
            yield from families(self._reading)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= self._max_connections:
            oldest = next(iter(self._connections))
            del self._connections[oldest]
            oldest.transport.abort()
        self._connections[writer] = None
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), self._head_s)
            writer.write(self._answer(Request.parsed(head)))
            writer.write_eof()
            await asyncio.wait_for(writer.drain(), _ANSWER_S)
            writer.close()
            await asyncio.wait_for(writer.wait_closed(), _ANSWER_S)
        except (TimeoutError, OSError, EOFError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.transport.abort()
            self._connections.pop(writer, None)

    def _answer(self, request: Request | None) -> bytes:
        refused = refusal(request, self._host_names if self._address.is_tcp else None)
        if refused or request is None:
            return refused
        made_at, answer = self._answers.get(request.accept, (0.0, b""))
        if not answer or time.monotonic() - made_at > _SAME_ANSWER_S:
            encode, content_type = choose_encoder(request.accept)
            answer = response("200 OK", encode(self._registry), content_type)
            # Every Accept header is another key.
            self._answers = {request.accept: (time.monotonic(), answer)}
        return answer

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        unfinished = asyncio.all_tasks(self._loop)
        for task in unfinished:
            task.cancel()
        if unfinished:
            self._loop.run_until_complete(asyncio.wait(unfinished))
        self._loop.close()
        self._socket.close()
        remove_socket(self._address)
