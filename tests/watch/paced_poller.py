# SPDX-License-Identifier: GPL-2.0-or-later
"""Polls a socket of its own after each piece of work, and counts: `polltrace` is held to it.

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
STRETCH = 200

ours, theirs = socket.socketpair()
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
while True:
    for _ in range(20):
        with_s += stretch(waiting.poll)
        polls += STRETCH
        without_s += stretch(no_poll)
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
