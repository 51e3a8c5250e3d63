# SPDX-License-Identifier: GPL-2.0-or-later
"""Break poll or other poll, from the arguments as a tracer prints them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from polltrace.backends.traced import Poll, TracedCall
from polltrace.profiles.frames import SocketPolls

_STRACE = re.compile(
    r"(?P<fds>.*), (?P<count>\d+), "
    r"(?P<timeout>-?\d+|NULL|\{(?:tv_sec=)?-?\d+, (?:tv_nsec=)?-?\d+\}|0x[0-9a-f]+)"
    r"(?:, .*)?"
)
_ONE = re.compile(r"\[\{fd=(?P<fd>-?\d+)(?:<(?P<what>.*)>)?, events=.*\}\]")
# `strace -yy`; it shows both ends of what is connected, and in its own network namespace only.
_STREAM = re.compile(r"(?P<kind>TCP|TCPv6|UNIX-STREAM):\[(?P<local>.*?)->(?P<peer>.*)\]")
_KINDS = {"TCP": "tcp", "TCPv6": "tcp6", "UNIX-STREAM": "unix"}
_BARE_STREAM = re.compile(r"(TCP|TCPv6|UNIX-STREAM):\[\d+\]")
_TRUSS = re.compile(
    r"(?P<fds>\{.*?\}|[^,]*), *(?P<count>\d+|0x[0-9a-fA-F]+), *(?P<timeout>[^,]+)(?:,.*)?"
)
_DETAIL = re.compile(r"timeout: (\d+)\.(\d+) sec")
_DETAIL_FD = re.compile(r"fd=(-?\d+) ")


@dataclass(frozen=True, slots=True)
class JudgedPoll:
    """The kind of a `poll`, and its `socket` where it is known: with 0 polls and the descriptor;
    with addresses only where the text has them."""

    poll: Poll
    socket: SocketPolls | None = None


_OTHER, _UNDECIDED = JudgedPoll(Poll.OTHER), JudgedPoll(Poll.UNDECIDED)


def judge_strace(call: TracedCall) -> JudgedPoll:
    """Of strace's text: `poll([{fd=3, events=POLLIN}], 1, 0)`, with and without -y and -yy.

    Without -y what is behind the descriptor is not known: then one that is open is taken for a
    socket. A descriptor that is shown as anything except a connected stream socket is not.
    "UNIX" is a stream only before Linux 5.15, so there it is left open.
    """
    return _judged(call.arguments, call.result)


def _judge(arguments: str, result: str) -> JudgedPoll:
    match = _STRACE.fullmatch(arguments)
    if match is None:
        return _UNDECIDED  # cut short, or a shape that no version known here prints
    if match["count"] != "1" or not _is_zero(match["timeout"]):
        return _OTHER
    one = _ONE.fullmatch(match["fds"])
    if one is None or int(one["fd"]) < 0 or "POLLNVAL" in result:
        return _OTHER  # the kernel could not read it, or it is not open
    if (what := one["what"]) is None or what.startswith("socket:"):
        return JudgedPoll(Poll.BREAK, SocketPolls(int(one["fd"]), "", "", "", 0))
    stream = _STREAM.fullmatch(what)
    if stream is None:
        hidden = _BARE_STREAM.fullmatch(what) and "POLLHUP" not in result
        return _UNDECIDED if hidden or what.startswith("UNIX:") else _OTHER
    ends = (_KINDS[stream["kind"]], stream["local"], stream["peer"])
    return JudgedPoll(Poll.BREAK, SocketPolls(int(one["fd"]), *ends, 0))


_judged = lru_cache(1 << 12)(_judge)  # no decorator: mutmut leaves out what has one


def _is_zero(timeout: str) -> bool:
    return not timeout.startswith("0x") and set(re.findall(r"-?\d+", timeout)) == {"0"}


def judge_truss(call: TracedCall) -> JudgedPoll:
    """Of truss's text: `pollsys(0xFF…, 1, 0xFF…, 0x0)`, and the lines of `-v pollsys` below it.

    pollsys has its timeout behind a pointer, so that without -v it is unknown.
    """
    match = _TRUSS.fullmatch(call.arguments)
    if match is None:
        return _UNDECIDED
    if int(match["count"], 0) != 1:
        return _OTHER
    fds = [int(found[1]) for text in call.details if (found := _DETAIL_FD.match(text))]
    socket = SocketPolls(fds[0], "", "", "", 0) if fds else None
    if call.name == "poll":
        zero = match["timeout"].strip() in ("0", "0x0")
        return JudgedPoll(Poll.BREAK, socket) if zero else _OTHER
    if re.fullmatch(r"0(x0+)?", match["timeout"].strip()):
        return _OTHER  # no timeout at all: it waits
    for text in call.details:
        if found := _DETAIL.match(text):
            zero = not int(found[1]) and not int(found[2])
            return JudgedPoll(Poll.BREAK, socket) if zero else _OTHER
    return _UNDECIDED
