# SPDX-License-Identifier: GPL-2.0-or-later
"""Strings that a profiled program controls, made fit to print.

Symbol names and paths come from files anyone on the host can write: they may hold terminal
escapes, newlines, or a megabyte of text.
"""

from __future__ import annotations

LONGEST = 512


def printable(raw: bytes | str) -> str:
    """`raw` as one line of visible characters, at most LONGEST of them.

    Bytes that are not UTF-8 and characters that are not printable become ``\\xNN``/``\\uNNNN``.
    """
    text = raw[: 4 * LONGEST]
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    if not text.isprintable():
        text = "".join(c if c.isprintable() else _escaped(c) for c in text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # how Python holds a byte of a path that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
