# SPDX-License-Identifier: GPL-2.0-or-later
"""The bytes of a terminal as keys."""

from __future__ import annotations

import re

# xterm's, VT220's, rxvt's and the Linux console's spellings.
_SEQUENCES = {
    "[A": "up", "[B": "down", "[C": "right", "[D": "left", "[H": "home", "[F": "end",
    "OA": "up", "OB": "down", "OC": "right", "OD": "left", "OH": "home", "OF": "end",
    "[1~": "home", "[4~": "end", "[7~": "home", "[8~": "end", "[5~": "pageup", "[6~": "pagedown",
    "OP": "f1", "[11~": "f1", "[[A": "f1", "OS": "f4", "[14~": "f4", "[[D": "f4",
    "[17~": "f6", "[21~": "f10",
}  # fmt: skip
_PLAIN = {
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x1b": "escape",
    "\t": "tab",
}  # fmt: skip
_KEY = re.compile(r"\x1b(\[\[[A-E]|\[[0-9;]*[A-Za-z~]|O[A-Za-z])|(.)", re.DOTALL)


def keys(typed: str) -> list[str]:
    """The keys in the characters of one read of the terminal: characters, or names such as
    "pageup".

    A terminal sends a sequence at once, so an escape that nothing follows is the key itself.
    Unknown sequences are left out.
    """
    names = (
        _SEQUENCES.get(match[1], "") if match[1] else _PLAIN.get(match[2], match[2])
        for match in _KEY.finditer(typed)
    )
    return [key for key in names if key]
