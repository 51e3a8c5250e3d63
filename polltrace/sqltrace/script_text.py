# SPDX-License-Identifier: GPL-2.0-or-later
"""Statements of a trace as a SQL*Plus script in which no line is a command that the trace chose.

SQL*Plus reads line by line and knows no strings: inside a statement, a line with `/`, `.`, an empty
one, one that begins with `#` or `@` and one that ends with `;` or `-` mean something to it, and
after a statement that ended early every line is a command (HOST, SPOOL, START). It replaces
`&name` everywhere, also in comments. So text of a trace never decides how a line begins or ends.
"""

from __future__ import annotations

import re

from polltrace.printable import printable
from polltrace.sqltrace.sql_text import SqlPart, sql_parts

# SQL*Plus ignores a line of more than 2,499 bytes, and reads the next one as a command.
LONGEST_LINE = 2000
_LONGEST_LITERAL = 400  # characters, of up to four bytes

_STATEMENT = re.compile(r"\(*\s*(select|insert|update|delete|merge|with|call|explain)\b", re.I)
_BLOCK = re.compile(r"(begin|declare)\b|<<|with\s+(function|procedure)\b", re.I)
_LINE_START = re.compile(r"[A-Za-z0-9(),:'\"*=<>|+]")


def literal_sql(text: str, prefix: str = "") -> str:
    """A text as an SQL literal on lines that are safe in a script: `('a'||chr(10)||'b')`."""
    parts: list[str] = []
    for run in re.findall(r"[^\W_]+|.", text, re.DOTALL):
        if _is_plain(run):
            if parts and parts[-1][0] == "'" and len(parts[-1]) < _LONGEST_LITERAL:
                parts[-1] += run
            else:
                parts += [f"'{run[i : i + _LONGEST_LITERAL]}" for i in _steps(run)]
        else:
            parts.append(_character_sql(run))
    pieces = [
        prefix + "'" + part[1:].replace("'", "''") + "'" if part[0] == "'" else part
        for part in parts
    ]
    if len(pieces) < 2:
        return pieces[0] if pieces else f"{prefix}''"
    return "(" + _joined(pieces) + ")"


def _steps(text: str) -> range:
    return range(0, len(text), _LONGEST_LITERAL)


def _is_plain(text: str) -> bool:
    return text.isalnum() or (text not in "&\n\t" and printable(text) == text)


def _character_sql(character: str) -> str:
    """An expression for a character that a terminal, SQL*Plus or a reader of lines would obey."""
    code = ord(character)
    if code < 128:
        return f"chr({code})"
    if 0xD800 <= code < 0xE000:
        code = 0xFFFD  # half of a pair, which no SQL text can hold
    units = character.encode("utf-16-be", "replace") if code > 0xFFFF else code.to_bytes(2, "big")
    text = "".join(f"\\{units[i : i + 2].hex().upper()}" for i in range(0, len(units), 2))
    return f"unistr('{text}')"


def _joined(pieces: list[str]) -> str:
    """The pieces as one concatenation, with a new line before one that would be too far right."""
    text, width = pieces[0], len(pieces[0])
    for piece in pieces[1:]:
        separator = "||\n" if width + len(piece) > _LONGEST_LITERAL else "||"
        width = len(piece) + (0 if separator.endswith("\n") else width + 2)
        text += separator + piece
    return text


def comment_lines(text: str) -> str:
    """A text as comment lines, of which none has a variable or ends in a way that goes on."""
    lines = []
    for line in text.replace("&", "chr(38)").split("\n"):
        visible = printable(line).replace("\t", " ").rstrip()
        for i in range(0, max(len(visible), 1), _LONGEST_LITERAL):
            part = visible[i : i + _LONGEST_LITERAL]
            lines.append(f"-- {part} ." if part.rstrip().endswith(("-", ";")) else f"-- {part}")
    return "\n".join(lines)


def statement_script(parts: list[SqlPart]) -> str | None:
    """The statement, and the line that runs it. None where it cannot be written safely: then only
    comment_lines can show it."""
    text = _code(parts)
    if text is None:
        return None
    text = text.strip().rstrip(";").rstrip()
    is_block = _BLOCK.match(text) is not None
    if not is_block and (not _STATEMENT.match(text) or ";" in _outside_quotes(text)):
        return None
    script = f"{text};\n/" if is_block else f"{text};"
    if any(len(line.encode("utf-8", "replace")) > LONGEST_LINE for line in script.split("\n")):
        return None
    return script


def _outside_quotes(text: str) -> str:
    return "".join(part.text for part in sql_parts(text) if part.kind == "code")


def _code(parts: list[SqlPart]) -> str | None:
    """The text without comments and empty lines; new lines stay where the next begins safely."""
    text, space = "", ""
    for part in parts:
        if part.kind == "comment" or (part.kind == "code" and part.text.isspace()):
            space = "\n" if "\n" in part.text or space == "\n" else " "
            continue
        written = _part_sql(part)
        if written is None:
            return None
        may_break = _LINE_START.match(written) and not text.endswith("-")
        if part.kind == "value" and text[-1:].isalnum():
            space = space or " "
        text += (space if may_break else " ") if text and space else ""
        text += written
        space = ""
    return text


def _part_sql(part: SqlPart) -> str | None:
    if part.kind == "value":
        return part.text
    if part.kind == "literal":
        return literal_sql(part.text, part.prefix)
    text = "".join(part.text.split()) if part.kind == "bind" else part.text
    if part.kind == "hint":
        text = " ".join(text.removesuffix("*/")[3:].split())
        if "*/" in text:
            return None
        text = f"/*+ {text} */"
    if part.kind == "broken" or "&" in text or "\n" in text or printable(text) != text:
        return None
    return text
