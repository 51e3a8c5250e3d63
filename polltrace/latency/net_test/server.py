# SPDX-License-Identifier: GPL-2.0-or-later
"""The server half: answers each connection's plan in a thread."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable

from polltrace.errors import HostError
from polltrace.latency.net_test.plan import GO, READY, NetTestPlan, plan_of, read_line, set_up
from polltrace.latency.net_test.transfer import Payload, Sink

MOST_CONNECTIONS = 256
# A silent client is disconnected after this time.
PATIENCE_S = 60.0

Say = Callable[[str], None]


def listen(host: str, port: int, say: Say, *, once: bool) -> None:
    """Serve until Ctrl-C, or with `once` until the first test's last connection has ended.

    Raises HostError where it cannot listen.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=MOST_CONNECTIONS)
    except OSError as error:
        why = str(error.strerror or error).partition(" (while")[0]
        raise HostError(f"cannot listen on {host}:{port}: {why}") from None
    with listener:
        host, port = listener.getsockname()[:2]
        say(f"listening on {host}:{port}")
        _Server(listener, say, once=once).run()


class _Server:
    def __init__(self, listener: socket.socket, say: Say, *, once: bool) -> None:
        self._listener, self._say, self._once = listener, say, once
        self._lock = threading.Lock()
        self._open = 0

    def run(self) -> None:
        while True:
            try:
                connection, peer = self._listener.accept()
            except OSError:  # closed by the last connection
                return
            with self._lock:
                self._open += 1
                accepted = self._open <= MOST_CONNECTIONS
            if accepted:
                threading.Thread(target=self._serve, args=(connection, peer), daemon=True).start()
            else:
                connection.close()
                self._ended(served=False)

    def _serve(self, connection: socket.socket, peer: tuple[str, int]) -> None:
        served = False
        with connection:
            try:
                connection.settimeout(PATIENCE_S)
                plan = plan_of(read_line(connection))
                served = True
                set_up(connection, plan)
                connection.sendall(READY)
                self._say(
                    f"{peer[0]}: {plan.mode}, {plan.length:,} bytes {plan.direction}, "
                    f"{plan.seconds:g} s"
                )
                # A client that has finished closes while data is still on its way.
                with contextlib.suppress(ConnectionResetError):
                    _ANSWERS[plan.mode](connection, plan)
            except (OSError, ValueError) as error:
                self._say(f"{peer[0]}: {getattr(error, 'strerror', None) or error}")
        self._ended(served=served)

    def _ended(self, *, served: bool) -> None:
        with self._lock:
            self._open -= 1
            if self._once and served and self._open == 0:
                # accept() in the other thread returns with an error.
                self._listener.shutdown(socket.SHUT_RDWR)


def _acknowledge(connection: socket.socket, plan: NetTestPlan) -> None:
    answer, sink = Payload(plan.down), Sink()
    while sink.receive(connection, plan.up):
        answer.send(connection)


def _stream(connection: socket.socket, plan: NetTestPlan) -> None:
    sender = None
    if plan.direction != "to-server":
        connection.recv(len(GO))
        sender = threading.Thread(target=_send_until, args=(connection, plan), daemon=True)
        sender.start()
    sink = Sink()
    while sink.some(connection):
        pass
    if sender is not None:
        sender.join()


def _send_until(connection: socket.socket, plan: NetTestPlan) -> None:
    message = Payload(plan.length)
    until = time.monotonic() + plan.warm_up_s + plan.seconds
    # A client that ends early closes the connection.
    with contextlib.suppress(OSError):
        while time.monotonic() < until:
            message.send(connection)
        connection.shutdown(socket.SHUT_WR)


_ANSWERS = {"sync": _acknowledge, "async": _stream}
