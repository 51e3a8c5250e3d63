# SPDX-License-Identifier: GPL-2.0-or-later
"""The program of one stream of a test, `python -m polltrace.latency.net_test.stream`.

Reads one line of JSON, {"address", "plan", "interval_s", "timeout_s"}, connects, prints {"ready"}
and begins with the next line. Prints a line of JSON for each interval, {"at_s", "bytes",
"messages", "mean_s"}, and one with the result at the end. It ends with its stdin.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import socket
import sys
import threading
import time
from typing import Any

from polltrace.errors import HostError
from polltrace.latency.distribution import Distribution
from polltrace.latency.net_test.plan import GO, NetTestPlan, opened
from polltrace.latency.net_test.transfer import Payload, Sink
from polltrace.latency.tcp_info import tcp_info

_PATIENCE_S = 1.0


class ClientStream:
    """The client's end of a connection, which counts the bytes of messages and the latencies of
    answered ones.
    """

    def __init__(self, connection: socket.socket, plan: NetTestPlan, interval_s: float) -> None:
        self._connection, self._plan, self._interval_s = connection, plan, interval_s
        self._message, self._sink = Payload(plan.up), Sink()
        self._received = 0
        self._latency = Distribution()
        self._part = Distribution()
        self._ended = threading.Event()
        self._early = False

    def run(self) -> dict[str, Any]:
        """Exchange messages until the time is over; return the figures after the warm-up."""
        plan = self._plan
        exchange = threading.Thread(
            target=self._ask if plan.mode == "sync" else self._stream, daemon=True
        )
        self._began = time.monotonic()
        self._counted_from = self._began + plan.warm_up_s
        self._until = self._counted_from + plan.seconds
        exchange.start()
        self._wait_until(self._counted_from)
        base, cpu = self._bytes(), time.process_time()
        began = time.monotonic()
        self._intervals(began, base)
        if plan.mode == "sync":
            # The message in transit counts, so its answer is awaited.
            self._ended.wait(_PATIENCE_S)
        ended, bytes_ = time.monotonic(), self._bytes() - base
        latency = self._latency.data()
        if plan.mode == "sync":
            bytes_ = latency["samples"] * plan.payload
        cpu_s = time.process_time() - cpu
        info = tcp_info(self._connection)
        return {
            "seconds": ended - began,
            "ended_early": self._early,
            "bytes": bytes_,
            "latency": latency,
            "cpu_share": cpu_s / (ended - began),
            "retransmits": info.retransmits,
            "rtt_s": info.rtt_s,
            "send_buffer": self._connection.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF),
        }

    def _intervals(self, began: float, base: int) -> None:
        previous = base
        # On a busy host intervals end late; their number is the same, figures use the actual time.
        count = math.ceil(self._plan.seconds / self._interval_s - 1e-9)
        for number in range(1, count + 1):
            if self._early:
                return
            self._wait_until(min(self._counted_from + number * self._interval_s, self._until))
            total, part = self._bytes(), self._part
            self._part = Distribution()
            summary = part.summary() if part.samples else None
            at_s = time.monotonic() - began
            line = {"at_s": at_s, "bytes": total - previous, "messages": part.samples}
            print(json.dumps(line | {"mean_s": summary.mean if summary else None}), flush=True)
            previous = total

    def _bytes(self) -> int:
        """Bytes of messages that have arrived so far, in both directions."""
        plan = self._plan
        if plan.mode == "sync":
            return self._latency.samples * plan.payload
        # The acknowledged bytes include the line with the plan, which cancels out.
        sent = tcp_info(self._connection).bytes_acked if plan.direction != "to-client" else 0
        return sent + self._received

    def _wait_until(self, deadline: float) -> None:
        self._ended.wait(max(deadline - time.monotonic(), 0))

    def _over(self) -> None:
        """Note the end of the exchange, by the clock or because the other end is gone."""
        self._early = time.monotonic() < self._until
        self._ended.set()

    def _ask(self) -> None:
        """Send a message and wait for its answer, in turns."""
        with contextlib.suppress(OSError):
            while (sent_at := time.monotonic()) < self._until:
                began = time.perf_counter()
                self._message.send(self._connection)
                if not self._sink.receive(self._connection, self._plan.down):
                    break
                took_s = time.perf_counter() - began
                if sent_at >= self._counted_from:
                    self._latency.add(took_s)
                    self._part.add(took_s)
        self._over()

    def _stream(self) -> None:
        sender = None
        if self._plan.direction != "to-client":
            sender = threading.Thread(target=self._send, daemon=True)
            sender.start()
        if self._plan.direction != "to-server":
            with contextlib.suppress(OSError):
                if sender is None:
                    self._connection.sendall(GO)
                while came := self._sink.some(self._connection):
                    self._received += came
        if sender is not None:
            sender.join()
        self._over()

    def _send(self) -> None:
        with contextlib.suppress(OSError):
            while time.monotonic() < self._until:
                self._message.send(self._connection)


def main() -> None:
    request = json.loads(sys.stdin.readline())
    plan = NetTestPlan(**request["plan"])
    try:
        connection = opened(tuple(request["address"]), plan, request["timeout_s"])
    except HostError as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return
    with connection:
        connection.settimeout(request["timeout_s"])
        print(json.dumps({"ready": True}), flush=True)
        if not sys.stdin.readline():
            return
        threading.Thread(target=_end_with_stdin, daemon=True).start()
        print(json.dumps(ClientStream(connection, plan, request["interval_s"]).run()), flush=True)
        # A send may still be waiting for the other end.
        os._exit(0)


def _end_with_stdin() -> None:
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    main()
