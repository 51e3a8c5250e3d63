# SPDX-License-Identifier: GPL-2.0-or-later
"""Events in the text of strace 4.x to 6.x, a line at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from polltrace.backends.strace_stacks import START
from polltrace.backends.trace_events import Born, CallEvent, TimeStamp, TraceEvent, Unread

_TASK = re.compile(r"\[pid +(\d+)(?:<.*?>)?\] +|(\d+)(?:<.*?>)? +(?=\S)")
_CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d(?:\.\d+)?) +(?:\(\+ *[\d.]+\) +)?")
_SECONDS = re.compile(r" *(\d+\.\d+) +(?:\(\+ *[\d.]+\) +)?")
_EXTRA = re.compile(r"\[ *[0-9a-f?]+\] +")  # -i, -n
_ENDED = re.compile(
    r"(?P<name>\w+)\((?P<arguments>.*)\) += (?P<result>(?:\?|-?\d|0x).*)", re.DOTALL
)
_BEGUN = re.compile(r"(?P<name>\w+)\((?P<arguments>.*?)(?P<end> ?<(?:unfinished|detached) \.\.\.>)")
_RESUMED = re.compile(r"<\.\.\. (?P<name>\w+) resumed>,? ?(?P<rest>.*)", re.DOTALL)
_REST = re.compile(r"(?P<arguments>.*)\) += (?P<result>(?:\?|-?\d|0x).*)", re.DOTALL)
# Without -o, a message of strace itself may come in the middle of a call's line.
_MESSAGE = re.compile(r"(.*?)(?:strace: )?Process (\d+) (attached|detached|resumed|suspended)\b.*")
_NOISE = re.compile(r"---|\+\+\+|strace: |> |\^C|\s*$")
_FAILED = re.compile(r"-\d+ E[A-Z]|\? ERESTART")
_A_DAY_S = 86400.0
# A server repeats few lines, and parsing each again would slow strace down at the other end of a
# pipe.
_MOST_CACHED = 1 << 12


class StraceText:
    """Reader of the lines of one file; `events` may be called once."""

    def __init__(self) -> None:
        self._begun: dict[int, tuple[str, str]] = {}
        self._announced_first = 0
        self._alive: set[int] = set()
        self._announced: set[int] = set()
        self._several = False  # lines name the first process too, as they do once there are others
        self._calls = False
        self._cache: dict[str, CallEvent] = {}
        self._day_s = self._clock_s = 0.0

    def events(self, lines: Iterable[str]) -> Iterator[TraceEvent]:
        """Calls in the order they ended, each with the stack that -k prints below it. A last line
        without its newline that cannot be parsed is torn."""
        split = ""  # the part of a call's line before a message of strace
        call: CallEvent | None = None  # until the next line shows whether it has a stack
        stack: list[str] = []
        for number, line in enumerate(lines, 1):
            if line.startswith(START):
                stack.append(line.rstrip("\n"))
                if not line.endswith("\n"):
                    yield Unread(number, True)
                continue
            if call is not None:
                yield _with_stack(call, stack)
                call = None
            stack = []
            if not split and (call := self._cache.get(line)):
                self._alive.add(call.task)
                continue
            text, is_one_line = split + line, not split
            split = ""
            if "Process" in line and (message := _MESSAGE.fullmatch(line.rstrip("\n"))):
                split = text[: len(text) - len(line)] + message[1]
                yield from self._task_event(int(message[2]), message[3])
                continue
            events = list(self._line(text))
            if is_one_line and line[:1].isdigit() and len(events) == 1:
                self._remember(line, events[0])
            for event in events:
                if call is not None:
                    yield call
                call = event if isinstance(event, CallEvent) else None
                if event is None:
                    yield Unread(number, not line.endswith("\n"))
                elif call is None:
                    yield event
        if call is not None:
            yield _with_stack(call, stack)
        yield from (
            CallEvent(task, *unfinished, "", False)
            for task, unfinished in sorted(self._begun.items())
        )

    def _remember(self, line: str, event: TraceEvent | None) -> None:
        """Cache a line that names its task and has all of a call: it means the same each time."""
        if isinstance(event, CallEvent) and "resumed>" not in line:
            if len(self._cache) >= _MOST_CACHED:
                self._cache.clear()
            self._cache[line] = event

    def _task_event(self, task: int, change: str) -> Iterator[TraceEvent]:
        if change == "attached":
            if self._calls:
                yield Born(task, 0, False)
            else:
                self._announced_first = (
                    self._announced_first or task
                )  # strace -p: lines do not name it
            self._announced.add(task)

    def _line(self, text: str) -> Iterator[TraceEvent | None]:
        text = text.rstrip("\n")
        task, text = self._task(text)
        if clock := _CLOCK.match(text):
            yield TimeStamp(self._since_midnight(clock))
        elif clock := _SECONDS.match(text):
            yield TimeStamp(self._seconds(float(clock[1])))
        text = text[clock.end() :] if clock else text
        while extra := _EXTRA.match(text):
            text = text[extra.end() :]
        if text.startswith("+++"):
            self._alive.discard(task)
            self._begun.pop(task, None)
        if _NOISE.match(text):
            return
        yield from self._call(task, text)

    def _task(self, text: str) -> tuple[int, str]:
        if match := _TASK.match(text):
            task = int(match[1] or match[2])
            self._alive.add(task)
            self._several |= task not in self._announced
            return task, text[match.end() :]
        if self._several and len(self._alive) == 1:  # lines of the last one have no [pid …]
            return next(iter(self._alive)), text
        return self._announced_first, text

    def _call(self, task: int, text: str) -> Iterator[TraceEvent | None]:
        self._calls = True
        name = arguments = result = ""
        if resumed := _RESUMED.match(text):
            begun_name, head = self._begun.pop(task, (resumed["name"], ""))
            if (remainder := _REST.fullmatch(resumed["rest"])) and begun_name == resumed["name"]:
                arguments = ", ".join(
                    part for part in (head, remainder["arguments"].strip()) if part
                )
                name, result = begun_name, remainder["result"]
        elif ended := _ENDED.fullmatch(text):
            name, arguments, result = ended["name"], ended["arguments"], ended["result"]
        elif unfinished := _BEGUN.match(text):
            self._begun[task] = (unfinished["name"], unfinished["arguments"].rstrip(", "))
            return
        if not name:
            yield None
            return
        yield CallEvent(task, name, arguments, result, bool(_FAILED.match(result)))
        if name in ("clone", "clone3", "fork", "vfork") and (child := re.match(r"\d+", result)):
            yield Born(int(child[0]), task, "CLONE_THREAD" in arguments)

    def _since_midnight(self, clock: re.Match[str]) -> float:
        time_s = int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3])
        if time_s < self._clock_s - _A_DAY_S / 2:
            self._day_s += _A_DAY_S
        self._clock_s = time_s
        return self._day_s + time_s

    def _seconds(self, value: float) -> float:
        if value > 1e8:  # -ttt counts from 1970
            return value
        self._clock_s += value  # -r counts from the line before
        return self._clock_s


def _with_stack(call: CallEvent, stack: list[str]) -> CallEvent:
    return replace(call, stack=tuple(stack)) if stack else call
