# SPDX-License-Identifier: GPL-2.0-or-later
"""Events in the text of truss of Solaris, AIX and FreeBSD (also with -f, -l, -d, -D, -v), a line
at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from polltrace.backends.trace_events import CallEvent, TimeStamp, TraceEvent, Unread

# AIX puts the thread's number behind the process's.
_TASK = re.compile(r"(?:(?P<pid>\d+)(?:/\d+)?|/\d+):[ \t]*(?:\d+:[ \t]*)?")
_STAMP = re.compile(r"[ \t]*(\d+\.\d+):?[ \t]+")
_BASE = re.compile(r"Base time stamp:")
_CALL = re.compile(r"(?P<name>[A-Za-z_]\w*)\((?P<arguments>.*)\)[ \t]*(?P<result>=.*|Err#.*)")
_UNDER_WAY = re.compile(r"\w+\(.*\)[ \t]+\(sleeping\.\.\.\)|\w+\(.*\)[ \t]+\(returning as child.*")
_NOISE = re.compile(r"Received signal|Incurred fault|siginfo:|\*\*\*|\^C|\s*$")
# The lines of -v poll and -v pollsys, also where a page has made their tabs blanks.
_POLL_DETAIL = re.compile(r"(fd=-?\d+\s|timeout: )")


class TrussText:
    """Reader of the lines of one file; `events` may be called once.

    A column of times is -d's where the text begins with its base time, else it is taken for -D's.
    """

    def __init__(self) -> None:
        self._absolute = False
        self._time_s = 0.0

    def events(self, lines: Iterable[str]) -> Iterator[TraceEvent]:
        """Calls in the order of the text, each with the lines that -v prints below it."""
        call: CallEvent | None = None
        is_asleep = False  # the details below belong to a call that has not returned
        for number, line in enumerate(lines, 1):
            task, is_detail, text = _parts(line.rstrip("\n"))
            if _BASE.match(text):
                self._absolute = True
                continue
            is_detail = is_detail and not _CALL.fullmatch(text.lstrip())
            if is_detail and (call is not None or is_asleep):
                if call is not None and not is_asleep:
                    call = _with_detail(call, text)
                continue
            text = text.lstrip()
            if stamp := _STAMP.match(text):
                yield TimeStamp(self._seconds(float(stamp[1])))
                while stamp := _STAMP.match(text):
                    text = text[stamp.end() :]
            if ended := _CALL.fullmatch(text):
                if call is not None:
                    yield call
                result = ended["result"]
                failed = result.startswith("Err#")
                call = CallEvent(task, ended["name"], ended["arguments"], result, failed)
                is_asleep = False
            elif _UNDER_WAY.fullmatch(text):
                is_asleep = True
            elif not _NOISE.match(text):
                yield Unread(number, not line.endswith("\n"))
        if call is not None:
            yield call

    def _seconds(self, value: float) -> float:
        self._time_s = value if self._absolute else self._time_s + value
        return self._time_s


def _parts(line: str) -> tuple[int, bool, str]:
    """The task, whether the line is one of -v's, and the text behind the task."""
    task = _TASK.match(line)
    if task is None:
        text = line.strip()
        return 0, line.startswith("\t") or bool(_POLL_DETAIL.match(text)), text
    # -v's lines have a tab more than a call's behind the process's name.
    text = line[task.end() :]
    return int(task["pid"] or 0), task[0].count("\t") > 1 or bool(_POLL_DETAIL.match(text)), text


def _with_detail(call: CallEvent, detail: str) -> CallEvent:
    details = (*call.details, detail.strip())
    return CallEvent(call.task, call.name, call.arguments, call.result, call.failed, details)
