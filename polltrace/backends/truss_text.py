# SPDX-License-Identifier: GPL-2.0-or-later
"""The text of Solaris truss (also with -f, -l, -d, -D, -v), a line at a time, as events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from polltrace.backends.traced import Event, TimeStamp, TracedCall, Unread

_TASK = re.compile(r"(?:(?P<pid>\d+)(?:/\d+)?|/\d+):[ \t]*")
_STAMP = re.compile(r"[ \t]*(\d+\.\d+)[ \t]+")
_BASE = re.compile(r"Base time stamp:")
_CALL = re.compile(r"(?P<name>[a-z_]\w*)\((?P<arguments>.*)\)[ \t]+(?P<result>=.*|Err#.*)")
_UNDER_WAY = re.compile(r"\w+\(.*\)[ \t]+\(sleeping\.\.\.\)|\w+\(.*\)[ \t]+\(returning as child.*")
_NOISE = re.compile(r"Received signal|Incurred fault|siginfo:|\*\*\*|\^C|\s*$")


class TrussText:
    """Reads the lines of one file; `events` may be called once.

    A column of times is -d's where the text begins with its base time, else it is taken for -D's.
    """

    def __init__(self) -> None:
        self._absolute = False
        self._now_s = 0.0

    def events(self, lines: Iterable[str]) -> Iterator[Event]:
        """Calls in the order of the text, each with the lines that -v prints below it."""
        call: TracedCall | None = None
        for number, line in enumerate(lines, 1):
            task, detail, text = self._parts(line.rstrip("\n"))
            if _BASE.match(text):
                self._absolute = True
                continue
            if detail and call is not None:
                call = _with(call, text)
                continue
            text = text.lstrip()
            if stamp := _STAMP.match(text):
                yield TimeStamp(self._moment(float(stamp[1])))
                while stamp := _STAMP.match(text):
                    text = text[stamp.end() :]
            if ended := _CALL.fullmatch(text):
                if call is not None:
                    yield call
                result = ended["result"]
                failed = result.startswith("Err#")
                call = TracedCall(task, ended["name"], ended["arguments"], result, failed)
            elif not _UNDER_WAY.fullmatch(text) and not _NOISE.match(text):
                yield Unread(number, not line.endswith("\n"))
        if call is not None:
            yield call

    def _parts(self, line: str) -> tuple[int, bool, str]:
        """The task, whether the line is one of -v's, and the rest."""
        found = _TASK.match(line)
        if found is None:
            return 0, line.startswith("\t"), line.strip()
        # -v's lines have a tab more than a call's behind the process's name.
        detail = found[0].count("\t") > 1 or line[found.end() :].startswith(("fd=", "timeout:"))
        return int(found["pid"] or 0), detail, line[found.end() :]

    def _moment(self, value: float) -> float:
        self._now_s = value if self._absolute else self._now_s + value
        return self._now_s


def _with(call: TracedCall, detail: str) -> TracedCall:
    details = (*call.details, detail.strip())
    return TracedCall(call.task, call.name, call.arguments, call.result, call.failed, details)
