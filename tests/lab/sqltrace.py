# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the lab's SQL trace read out of a trace file: its records, field by field.

It knows the form of 19c's records only, and fails at a line that is none of them: the lab writes
nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

CALL = re.compile(
    r"(PARSE|EXEC|FETCH) #(\d+):c=(\d+),e=(\d+),p=(\d+),cr=(\d+),cu=(\d+),mis=(\d+),r=(\d+),"
    r"dep=(\d+),og=(\d),plh=(\d+),tim=(\d+)"
)
CLOSE = re.compile(r"CLOSE #(\d+):c=(\d+),e=(\d+),dep=(\d+),type=([013]),tim=(\d+)")
WAIT = re.compile(
    r"WAIT #(\d+): nam='([^']+)' ela= (\d+) (.+=-?\d+) (.+=-?\d+) (.+=-?\d+) obj#=-1 tim=(\d+)"
)
PARSING = re.compile(
    r"PARSING IN CURSOR #(\d+) len=(\d+) dep=(\d+) uid=(\d+) oct=(\d+) lid=(\d+) tim=(\d+)"
    r" hv=(\d+) ad='([0-9a-f]+)' sqlid='(\w{13})'"
)
PARSE_ERROR = re.compile(
    r"PARSE ERROR #(\d+):len=(\d+) dep=(\d+) uid=(\d+) oct=(\d+) lid=(\d+) tim=(\d+) err=(\d+)"
)
ERROR = re.compile(r"ERROR #(\d+):err=(\d+) tim=(\d+)")
XCTEND = re.compile(r"XCTEND rlbk=([01]), rd_only=([01]), tim=(\d+)")
STAT = re.compile(
    r"STAT #(\d+) id=(\d+) cnt=(\d+) pid=(\d+) pos=(\d+) obj=(\d+) op='(.+) "
    r"\(cr=(\d+) pr=(\d+) pw=0 str=(\d+) time=(\d+) us\)'"
)
LOB = re.compile(
    r"(LOB[A-Z]+): type=(TEMPORARY|PERSISTENT) LOB,bytes=(\d+),c=(\d+),e=(\d+),p=(\d+),cr=(\d+),"
    r"cu=(\d+),tim=(\d+)"
)
STAMP = re.compile(r"\*\*\* (?:[A-Z ]+:\((.*)\) )?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00")


@dataclass
class Call:
    name: str
    cursor: int
    c: int
    e: int
    p: int
    cr: int
    cu: int
    mis: int
    r: int
    dep: int
    og: int
    plh: int
    tim: int


@dataclass
class Wait:
    cursor: int
    name: str
    ela: int
    parameters: tuple[str, ...]
    tim: int


@dataclass
class LobCall:
    name: str
    temporary: bool
    bytes: int
    c: int
    e: int
    tim: int


@dataclass
class Statement:
    cursor: int
    oct: int
    hv: int
    sqlid: str
    sql: str
    dep: int


@dataclass
class Trace:
    """The records of one file, in its order within each kind."""

    head: list[str]
    calls: list[Call] = field(default_factory=list)
    waits: list[Wait] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    closed: list[int] = field(default_factory=list)
    transactions: list[tuple[bool, bool]] = field(default_factory=list)  # rolled back, read only
    errors: list[int] = field(default_factory=list)
    lobs: list[LobCall] = field(default_factory=list)
    parse_errors: list[tuple[int, str]] = field(default_factory=list)
    plans: list[tuple[int, int, int, str]] = field(default_factory=list)  # id, cnt, cr, operation
    binds: list[list[str | None]] = field(default_factory=list)
    identity: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)  # the kinds of records
    continued: list[str] = field(default_factory=list)

    def sum(self, figure: str, *names: str) -> int:
        """Of calls that the client has made."""
        return sum(
            getattr(call, figure) for call in self.calls if call.name in names and call.dep == 0
        )

    def count(self, name: str) -> int:
        return sum(call.name == name and call.dep == 0 for call in self.calls)


def read(path: Path) -> Trace:
    lines = path.read_text().split("\n")
    assert lines.pop() == "", "the last line is cut"
    begins = next(i for i, line in enumerate(lines) if line.startswith("*** "))
    trace, at = Trace(lines[:begins]), begins
    while at < len(lines):
        at = _record(lines, at, trace)
    return trace


def _record(lines: list[str], at: int, trace: Trace) -> int:
    """Take the record at line `at`; returns where the next begins."""
    line = lines[at]
    if line in ("", " ", "=====================") or line.startswith("***"):
        _notice(line, trace)
        return at + 1
    trace.order.append(line.split(" #")[0] if " #" in line else line.split(" ")[0])
    for begins, take in (("BINDS", _binds), ("PARSING", _statement), ("PARSE ERROR", _failed)):
        if line.startswith(begins):
            return take(lines, at, trace)
    _one_line(line, trace)
    return at + 1


def _notice(line: str, trace: Trace) -> None:
    if line.startswith(("*** TRACE CONTINUE", "*** DUMP FILE")):
        trace.continued.append(line)
    elif line.startswith("***"):
        assert STAMP.fullmatch(line), line
        trace.identity.append(line.split(")", 1)[0] + ")" if ":(" in line else "time")


def _one_line(line: str, trace: Trace) -> None:
    if found := CALL.fullmatch(line):
        trace.calls.append(Call(found[1], *(int(found[i]) for i in range(2, 14))))
    elif found := WAIT.fullmatch(line):
        parameters = (found[4], found[5], found[6])
        trace.waits.append(Wait(int(found[1]), found[2], int(found[3]), parameters, int(found[7])))
    elif found := CLOSE.fullmatch(line):
        trace.closed.append(int(found[1]))
    elif found := XCTEND.fullmatch(line):
        trace.transactions.append((found[1] == "1", found[2] == "1"))
    elif found := STAT.fullmatch(line):
        trace.plans.append((int(found[2]), int(found[3]), int(found[8]), found[7].rstrip()))
    elif found := ERROR.fullmatch(line):
        trace.errors.append(int(found[2]))
    elif found := LOB.fullmatch(line):
        figures = (int(found[i]) for i in (3, 4, 5, 9))
        trace.lobs.append(LobCall(found[1], found[2] == "TEMPORARY", *figures))
    else:
        raise AssertionError(f"no record of SQL trace: {line!r}")


def _failed(lines: list[str], at: int, trace: Trace) -> int:
    found = PARSE_ERROR.fullmatch(lines[at])
    assert found, lines[at]
    sql, at = _text(lines, at + 1, int(found[2]))
    trace.parse_errors.append((int(found[8]), sql))
    return at


def _text(lines: list[str], at: int, length: int) -> tuple[str, int]:
    """The statement of `length` bytes that begins in line `at`, and where the next line is."""
    text = lines[at]
    while len(text.encode()) < length:
        at += 1
        text += "\n" + lines[at]
    assert len(text.encode()) == length, text
    return text, at + 1


def _statement(lines: list[str], at: int, trace: Trace) -> int:
    found = PARSING.fullmatch(lines[at])
    assert found, lines[at]
    sql, at = _text(lines, at + 1, int(found[2]))
    assert lines[at] == "END OF STMT"
    trace.statements.append(
        Statement(int(found[1]), int(found[5]), int(found[8]), found[10], sql, int(found[3]))
    )
    return at + 1


def _binds(lines: list[str], at: int, trace: Trace) -> int:
    """A bind has three lines that describe it, and one with its value unless that is NULL."""
    assert lines[at + 1] == ""
    values: list[str | None] = []
    at += 2
    while at < len(lines) and lines[at].startswith(" Bind#"):
        assert lines[at] == f" Bind#{len(values)}"
        values.append(None)
        at += 1
        while at < len(lines) and lines[at].startswith("  "):
            if lines[at].startswith("  value="):
                values[-1] = lines[at].removeprefix("  value=")
            at += 1
    trace.binds.append(values)
    return at
