# SPDX-License-Identifier: GPL-2.0-or-later
"""Polls a socket of its own at a steady pace, and counts: `polltrace` is held to it.

It sleeps most of the time, so that its pace is the same on a busy host as on a quiet one: figures
of windows that do not coincide can be compared.

Prints a line of JSON whenever it reads one: polls and CPU seconds so far, elapsed time, and the CPU
seconds of a poll by its own measurement, stretches of work with and without polls in turn.
"""

from __future__ import annotations

import json
import select
import socket
import sys
import time

WORK = 150
STRETCH = 40
# Of a stretch with polls, one without, and the rest of it asleep: 20,000 polls a second.
PERIOD_S = 0.002

listening = socket.create_server(("127.0.0.1", 0))
theirs = socket.create_connection(listening.getsockname())
ours, _ = listening.accept()
waiting = select.poll()
waiting.register(ours, select.POLLIN)
asked = select.poll()
asked.register(sys.stdin, select.POLLIN)
polls, with_s, without_s = 0, 0.0, 0.0


def no_poll(_timeout: int) -> list[tuple[int, int]]:
    return []


def stretch(poll: object) -> float:
    before_s = time.thread_time()
    for _ in range(STRETCH):
        poll(0)  # type: ignore[operator]
        sum(range(WORK))
    return time.thread_time() - before_s


print("ready", flush=True)
due_s = time.monotonic()
while True:
    with_s += stretch(waiting.poll)
    polls += STRETCH
    without_s += stretch(no_poll)
    now_s = time.monotonic()
    due_s = max(due_s + PERIOD_S, now_s)
    time.sleep(due_s - now_s)
    if asked.poll(0):
        if not sys.stdin.readline():
            break
        totals = {
            "polls": polls,
            "cpu_s": time.process_time(),
            "at_s": time.monotonic(),
            "cost_s": (with_s - without_s) / polls,
        }
        print(json.dumps(totals), flush=True)
