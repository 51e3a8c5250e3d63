# SPDX-License-Identifier: GPL-2.0-or-later
"""The text of strace 4.x to 6.x, a line at a time, as events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from polltrace.backends.strace_stacks import START
from polltrace.backends.traced import Born, Event, TimeStamp, TracedCall, Unread

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
# A server's lines are the same few again and again: reading each anew would hold strace up.
_MOST_KNOWN = 1 << 12


class StraceText:
    """Reads the lines of one file; `events` may be called once."""

    def __init__(self) -> None:
        self._begun: dict[int, tuple[str, str]] = {}
        self._first_said = 0
        self._alive: set[int] = set()
        self._announced: set[int] = set()
        self._several = False  # the first process has been named, as it is once there are others
        self._calls = False
        self._known: dict[str, TracedCall] = {}
        self._day_s = self._clock_s = 0.0

    def events(self, lines: Iterable[str]) -> Iterator[Event]:
        """Calls in the order they ended, each with the stack that -k prints below it. A
        line without its newline is a torn one, if it does not read."""
        held = ""
        call: TracedCall | None = None  # until the next line tells whether it has a stack
        stack: list[str] = []
        for number, line in enumerate(lines, 1):
            if line.startswith(START):
                stack.append(line.rstrip("\n"))
                if not line.endswith("\n"):
                    yield Unread(number, True)
                continue
            if call is not None:
                yield _with(call, stack)
                call = None
            stack = []
            if not held and (call := self._known.get(line)):
                self._alive.add(call.task)
                continue
            text, whole = held + line, not held
            held = ""
            if "Process" in line and (message := _MESSAGE.fullmatch(line.rstrip("\n"))):
                held = text[: len(text) - len(line)] + message[1]
                yield from self._task_event(int(message[2]), message[3])
                continue
            events = list(self._line(text))
            if whole and line[:1].isdigit() and len(events) == 1:
                self._remember(line, events[0])
            for event in events:
                if call is not None:
                    yield call
                call = event if isinstance(event, TracedCall) else None
                if event is None:
                    yield Unread(number, not line.endswith("\n"))
                elif call is None:
                    yield event
        if call is not None:
            yield _with(call, stack)
        yield from (
            TracedCall(task, *begun, "", False) for task, begun in sorted(self._begun.items())
        )

    def _remember(self, line: str, event: Event | None) -> None:
        """A line that names its task and was a whole call means the same when it comes again."""
        if isinstance(event, TracedCall) and "resumed>" not in line:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[line] = event

    def _task_event(self, task: int, what: str) -> Iterator[Event]:
        if what == "attached":
            if self._calls:
                yield Born(task, 0, False)
            else:
                self._first_said = self._first_said or task  # strace -p: it is not named in lines
            self._announced.add(task)

    def _line(self, text: str) -> Iterator[Event | None]:
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
        if found := _TASK.match(text):
            task = int(found[1] or found[2])
            self._alive.add(task)
            self._several |= task not in self._announced
            return task, text[found.end() :]
        if self._several and len(self._alive) == 1:  # the last of them has no [pid …] any more
            return next(iter(self._alive)), text
        return self._first_said, text

    def _call(self, task: int, text: str) -> Iterator[Event | None]:
        self._calls = True
        name = arguments = result = ""
        if resumed := _RESUMED.match(text):
            known, head = self._begun.pop(task, (resumed["name"], ""))
            if (rest := _REST.fullmatch(resumed["rest"])) and known == resumed["name"]:
                arguments = ", ".join(part for part in (head, rest["arguments"].strip()) if part)
                name, result = known, rest["result"]
        elif ended := _ENDED.fullmatch(text):
            name, arguments, result = ended["name"], ended["arguments"], ended["result"]
        elif begun := _BEGUN.match(text):
            self._begun[task] = (begun["name"], begun["arguments"].rstrip(", "))
            return
        if not name:
            yield None
            return
        yield TracedCall(task, name, arguments, result, bool(_FAILED.match(result)))
        if name in ("clone", "clone3", "fork", "vfork") and (child := re.match(r"\d+", result)):
            yield Born(int(child[0]), task, "CLONE_THREAD" in arguments)

    def _since_midnight(self, clock: re.Match[str]) -> float:
        now_s = int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3])
        if now_s < self._clock_s - _A_DAY_S / 2:
            self._day_s += _A_DAY_S
        self._clock_s = now_s
        return self._day_s + now_s

    def _seconds(self, value: float) -> float:
        if value > 1e8:  # -ttt: since 1970
            return value
        self._clock_s += value  # -r: since the line before
        return self._clock_s


def _with(call: TracedCall, stack: list[str]) -> TracedCall:
    return replace(call, stack=tuple(stack)) if stack else call
