# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace file with some of its calls alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from polltrace.errors import FileError
from polltrace.sqltrace.blocks import LONGEST_LINE
from polltrace.sqltrace.database import TraceDatabase
from polltrace.sqltrace.inputs import PackedError
from polltrace.sqltrace.profile import condition
from polltrace.sqltrace.profile_question import ProfileQuestion
from polltrace.sqltrace.segments import open_trace

_PIECE = 1 << 20
_PARSING = re.compile(
    rb"PARSING IN CURSOR #\S+ len=(?P<length>\d{1,9}) .*?hv=(?P<hv>\d+)"
    rb"(?:.*?sqlid='(?P<sqlid>\w+)')?"  # since 11.1
)


def crop(file: str, question: ProfileQuestion, to: Path) -> int:
    """Write the calls of `file` that are meant, each with the lines before it that belong to it:
    binds. Header, sessions, and the texts and parses of these calls' statements are kept. How many
    calls there are. Raises FileError where it cannot be written.
    """
    with TraceDatabase([file]) as database:
        database.load(
            "calls",
            f"select line, parse_id, sqlid, ({condition(question)}) as kept from calls "
            "where kind in ('call', 'wait')",
        )
        lines = {row["line"] for row in database.rows("select line from calls where kept")}
        rows = database.rows("select distinct parse_id, sqlid from calls where kept")
        parses = {row["parse_id"] for row in rows}
        statements = {row["sqlid"] for row in rows}
        ends = {row["line"] for row in database.rows("select line from calls")}
    try:
        with to.open("xb") as out:
            for line in _kept_lines(file, ends, lines | parses, statements):
                out.write(line)
    except FileExistsError:
        raise FileError(f"{to} exists") from None
    except OSError as error:
        raise FileError(f"cannot write {to}: {error.strerror}") from None
    return len(lines)


def _kept_lines(
    file: str, ends: set[int], numbers: set[int], statements: set[str]
) -> Iterator[bytes]:
    """Lines up to a call are its own. Lines about the session are always kept, and the text of a
    statement where any of its calls is: a trace that began when its cursor was open already has
    the text before an execution."""
    notices: list[bytes] = []
    head = True
    for number, line in enumerate(_lines(file), 1):
        notices.append(line)
        if number not in ends:
            continue
        if number in numbers:
            yield from notices
        elif head:
            yield from notices[:-1]
        else:
            yield from _told(notices, statements)
        notices, head = [], False


def _told(lines: list[bytes], statements: set[str]) -> Iterator[bytes]:
    """The lines about sessions, and the texts of `statements`."""
    unread, inside, is_selected = 0, False, False  # a text has its length: it may hold any line
    for line in lines:
        if not inside and (parsing := _PARSING.match(line)):
            unread, inside = int(parsing["length"]) + len(line), True
            name = parsing["sqlid"] or b"hv=" + parsing["hv"]
            is_selected = name.decode("latin-1") in statements
        if is_selected if inside else line.startswith(b"*** "):
            yield line
        unread -= len(line)
        inside = inside and not (unread <= 0 and line.startswith(b"END OF STMT"))


def _lines(file: str) -> Iterator[bytes]:
    source = open_trace(file)
    carry, piece = b"", bytearray(_PIECE)
    try:
        while count := source.readinto(memoryview(piece)):
            *lines, carry = (carry + piece[:count]).split(b"\n")
            yield from (line + b"\n" for line in lines)
            if len(carry) > LONGEST_LINE:
                raise FileError(f"{file} has a line that is longer than {LONGEST_LINE >> 20} MiB")
    except PackedError as error:
        raise FileError(f"{file}: its compressed data is damaged: {error}") from None
    finally:
        source.close()
    if carry:
        yield carry
