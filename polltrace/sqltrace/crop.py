# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace file with some of its calls alone."""

from __future__ import annotations

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


def crop(file: str, question: ProfileQuestion, to: Path) -> int:
    """Write the calls of `file` that are meant, each with the lines before it that belong to it:
    the statement's text, binds. Header, identity and the parses of these calls are kept. How many
    calls there are. Raises FileError where it cannot be written.
    """
    with TraceDatabase([file]) as database:
        database.load(
            "calls",
            f"select line, parse_id, ({condition(question)}) as kept from calls "
            "where kind in ('call', 'wait')",
        )
        kept = {row["line"] for row in database.rows("select line from calls where kept")}
        rows = database.rows("select distinct parse_id from calls where kept")
        parses = {row["parse_id"] for row in rows}
        ends = {row["line"] for row in database.rows("select line from calls")}
    try:
        with to.open("xb") as out:
            for line in _kept_lines(file, ends, kept | parses):
                out.write(line)
    except FileExistsError:
        raise FileError(f"{to} exists") from None
    except OSError as error:
        raise FileError(f"cannot write {to}: {error.strerror}") from None
    return len(kept)


def _kept_lines(file: str, ends: set[int], kept: set[int]) -> Iterator[bytes]:
    """Lines up to a call are its own; what tells of the session is always kept."""
    before: list[bytes] = []
    head = True
    for number, line in enumerate(_lines(file), 1):
        before.append(line)
        if number not in ends:
            continue
        if number in kept:
            yield from before
        elif head:
            yield from before[:-1]
        else:
            yield from (each for each in before if each.startswith(b"*** "))
        before, head = [], False


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
