# SPDX-License-Identifier: GPL-2.0-or-later
"""Break poll or other poll, from the arguments as a tracer prints them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from polltrace.backends.call_names import plain_name
from polltrace.backends.trace_events import CallEvent, Poll
from polltrace.profiles.frames import SocketPolls

_TIME = r"NULL|\{(?:tv_sec=)?-?\d+, (?:tv_[nu]?sec=)?-?\d+\}|0x[0-9a-f]+"
_POLL = re.compile(rf"(?P<fds>.*), (?P<count>\d+), (?P<timeout>-?\d+|{_TIME})(?:, .*)?")
_SELECT = re.compile(rf"\d+, (?P<sets>.*), (?P<timeout>{_TIME})(?:, .*)?")
_EPOLL_WAIT = re.compile(rf".*, \d+, (?P<timeout>-?\d+|{_TIME})(?:, .*)?")
_POLLFD = re.compile(r"\[\{fd=(?P<fd>-?\d+)(?:<(?P<target>.*)>)?, events=.*\}\]")
# A descriptor in a set of select; -y puts its target behind it.
_MEMBER = re.compile(r"(?<=[\[ ])(?P<fd>\d+)(?:<(?P<target>(?:[^<>]|->|<[^<>]*>)*)>)?(?=[\] ])")
# strace -yy shows both ends of a connection, and in strace's own network namespace only.
_STREAM = re.compile(r"(?P<kind>TCP|TCPv6|UNIX-STREAM):\[(?P<local>.*?)->(?P<peer>.*)\]")
_KINDS = {"TCP": "tcp", "TCPv6": "tcp6", "UNIX-STREAM": "unix"}
_BARE_STREAM = re.compile(r"(TCP|TCPv6|UNIX-STREAM):\[\d+\]")
_TRUSS = re.compile(
    r"(?P<fds>\{.*?\}|0x[0-9a-fA-F]+), *(?P<count>\d+|0x[0-9a-fA-F]+), *(?P<timeout>[^,]+)(?:,.*)?"
)
_TRUSS_SELECT = re.compile(r"[^,]+,[^,]+,[^,]+,[^,]+, *0(x0+)?")
_ZERO = re.compile(r"0(x0+)?")
_DETAIL = re.compile(r"timeout: (\d+)\.(\d+) sec")
_DETAIL_FD = re.compile(r"fd=(-?\d+)\s")


@dataclass(frozen=True, slots=True)
class JudgedPoll:
    """The kind of a `poll`, and its `socket` where it is known: with 0 polls and the descriptor;
    with addresses only where the text has them."""

    poll: Poll
    socket: SocketPolls | None = None


_OTHER, _UNDECIDED = JudgedPoll(Poll.OTHER), JudgedPoll(Poll.UNDECIDED)


def judge_strace(call: CallEvent) -> JudgedPoll:
    """The kind of a poll in strace's text: `poll([{fd=3, events=POLLIN}], 1, 0)`, with and without
    -y and -yy, or a select in the same case.

    Without -y the target of a descriptor is not known: an open one is taken for a socket then. A
    descriptor that is shown as anything except a connected stream socket is not a break poll's.
    "UNIX" is a stream only before Linux 5.15, so there the kind stays open, and so does that of an
    epoll set, whose members the call does not show.
    """
    return _judged(plain_name(call.name), call.arguments, call.result)


def _judge(name: str, arguments: str, result: str) -> JudgedPoll:
    if "select" in name:
        return _judge_select(arguments, result)
    if name.startswith("epoll"):
        match = _EPOLL_WAIT.fullmatch(arguments)
        return _OTHER if match and not _is_zero(match["timeout"]) else _UNDECIDED
    match = _POLL.fullmatch(arguments) if "poll" in name else None
    if match is None:
        return _UNDECIDED  # cut short, or a shape that no version known here prints
    if match["count"] != "1" or not _is_zero(match["timeout"]):
        return _OTHER
    pollfd = _POLLFD.fullmatch(match["fds"])
    if pollfd is None or int(pollfd["fd"]) < 0 or "POLLNVAL" in result:
        return _OTHER  # the kernel could not read it, or it is not open
    return _of_descriptor(int(pollfd["fd"]), pollfd["target"], result)


_judged = lru_cache(1 << 12)(_judge)  # no decorator: mutmut leaves out decorated functions


def _judge_select(arguments: str, result: str) -> JudgedPoll:
    match = _SELECT.fullmatch(arguments)
    if match is None:
        return _UNDECIDED
    if not _is_zero(match["timeout"]):
        return _OTHER
    members = {member["fd"]: member["target"] for member in _MEMBER.finditer(match["sets"])}
    if len(members) != 1:
        return _OTHER
    ((fd, target),) = members.items()
    return _of_descriptor(int(fd), target, result)


def _of_descriptor(fd: int, target: str | None, result: str) -> JudgedPoll:
    """The kind of a call that looks at one descriptor and does not wait."""
    if target is None or target.startswith("socket:"):
        return JudgedPoll(Poll.BREAK, SocketPolls(fd, "", "", "", 0))
    stream = _STREAM.fullmatch(target)
    if stream is None:
        hidden = _BARE_STREAM.fullmatch(target) and "POLLHUP" not in result
        return _UNDECIDED if hidden or target.startswith("UNIX:") else _OTHER
    ends = (_KINDS[stream["kind"]], stream["local"], stream["peer"])
    return JudgedPoll(Poll.BREAK, SocketPolls(fd, *ends, 0))


def _is_zero(timeout: str) -> bool:
    return not timeout.startswith("0x") and set(re.findall(r"-?\d+", timeout)) == {"0"}


def judge_truss(call: CallEvent) -> JudgedPoll:
    """The kind of a poll in truss's text: `pollsys(0xFF…, 1, 0xFF…, 0x0)`, and the lines of
    `-v pollsys` below it.

    pollsys has its timeout behind a pointer, so that without -v it is unknown; select has its
    descriptors there as well.
    """
    name = plain_name(call.name)
    if name == "select":
        return _OTHER if _TRUSS_SELECT.fullmatch(call.arguments) else _UNDECIDED
    match = _TRUSS.fullmatch(call.arguments)
    if match is None or name not in ("poll", "pollsys"):
        return _UNDECIDED
    zero_argument = _ZERO.fullmatch(match["timeout"].strip())
    if name == "poll":
        waits: bool | None = not zero_argument
    else:
        waits = True if zero_argument else _waits(call.details)  # a null pointer sets no limit
    if waits or int(match["count"], 16 if "x" in match["count"] else 10) != 1:
        return _OTHER
    return _UNDECIDED if waits is None else JudgedPoll(Poll.BREAK, _polled(call.details))


def _waits(details: Sequence[str]) -> bool | None:
    """True if the time limit among the lines of -v is not 0; None where there is no limit."""
    for text in details:
        if limit := _DETAIL.match(text):
            return bool(int(limit[1]) or int(limit[2]))
    return None


def _polled(details: Sequence[str]) -> SocketPolls | None:
    for text in details:
        if descriptor := _DETAIL_FD.match(text):
            return SocketPolls(int(descriptor[1]), "", "", "", 0)
    return None
