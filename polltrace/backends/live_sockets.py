# SPDX-License-Identifier: GPL-2.0-or-later
"""What is behind the descriptors that strace -y names, asked of the living process once each.

strace -yy would ask the kernel at every call, which costs a poll a millisecond.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import lru_cache

from polltrace.backends.poll_arguments import JudgedPoll, judge_strace
from polltrace.backends.traced import Poll, TracedCall
from polltrace.profiles.frames import SocketPolls
from polltrace.stop_at.polled_socket import polled_socket
from polltrace.stop_at.threads import status

_SOCKET = re.compile(r"fd=(\d+)<(socket:\[\d+\])>")


@lru_cache(1 << 12)
def _named_socket(arguments: str) -> tuple[int, str] | None:
    """The descriptor, and what /proc says that it is."""
    named = _SOCKET.search(arguments)
    return None if named is None else (int(named[1]), named[2])


class LiveSockets:
    """Judges the polls of `pids` and of what they fork."""

    def __init__(self, pids: Sequence[int]) -> None:
        self._pids = tuple(pids)
        self._known: dict[tuple[int, str], JudgedPoll] = {}

    def judge(self, call: TracedCall) -> JudgedPoll:
        """As judge_strace, with the socket asked for: one that is no connected stream socket makes
        it another poll, one that is gone before we ask leaves it undecided."""
        judged = judge_strace(call)
        key = _named_socket(call.arguments)
        if judged.poll is not Poll.BREAK or key is None:
            return judged
        if key not in self._known:
            self._known[key] = self._ask(call.task, *key)
        return self._known[key]

    def _ask(self, task: int, fd: int, link: str) -> JudgedPoll:
        # A child that is gone had its socket from one of these, most likely.
        for pid in (status(task, "Tgid") if task else 0, *self._pids):
            try:
                if os.readlink(f"/proc/{pid}/fd/{fd}") != link:
                    continue
                pidfd = os.pidfd_open(pid)
            except OSError:
                continue
            try:
                polled = polled_socket(pidfd, pid, fd)
            finally:
                os.close(pidfd)
            if polled is None:
                return JudgedPoll(Poll.OTHER)
            return JudgedPoll(
                Poll.BREAK, SocketPolls(fd, polled.kind, polled.local, polled.peer, 0)
            )
        return JudgedPoll(Poll.UNDECIDED)
