# SPDX-License-Identifier: GPL-2.0-or-later
"""The regular expressions of engine files and of -n: the subset in which
Python and POSIX (polltrace-probe's -n) agree.

Literals, `.`, `\\s \\d \\w`, escaped punctuation, `[...]` without a backslash in it, `(...)`,
`(?:...)`, `(?P<name>...)`, `|`, `* + ?` and `{n}`, `{n,}`, `{n,m}`, and `$` at the end; where text
is searched, `^` at the beginning of an alternative.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""(?P<class>\\[sdw])
      | (?P<escape>\\[][\\.(){}*+?|^$])
      | (?P<group>\((?:\?P<[a-z_]+>|\?:)?)
      | (?P<close>\))
      | (?P<either>\|)
      | (?P<repeat>[*+?]|\{[0-9]{1,3}(?:,(?:[0-9]{1,3})?)?\})
      | (?P<set>\[\^?\]?[^][\\]*\])
      | (?P<begin>\^)
      | (?P<end>\$$)
      | (?P<any>\.)
      | (?P<literal>[^][\\(){}*+?|^$.])""",
    re.VERBOSE,
)
_CLASSES = {r"\s": "[[:space:]]", r"\d": "[0-9]", r"\w": "[[:alnum:]_]"}
_LONGEST = 500


def compiled(pattern: str, *, searched: bool = False) -> re.Pattern[str]:
    """The expression for Python. Raises ValueError, with the problem, for one that POSIX reads
    otherwise or not at all. `searched`: in all of a text, not from its beginning."""
    if len(pattern) > _LONGEST:
        raise ValueError(f"it is longer than {_LONGEST} characters")
    previous = "either"
    for kind, text in _tokens(pattern):
        if kind == "repeat" and previous in ("either", "group", "repeat", "begin"):
            raise ValueError(f"{text!r} repeats nothing, or is repeated itself")
        if kind == "begin" and not (searched and previous in ("either", "group")):
            raise ValueError(f"{text!r} is outside of the dialect here")
        previous = kind
    try:
        return re.compile(pattern, re.ASCII | re.DOTALL)
    except re.error as error:
        raise ValueError(str(error)) from None


def posix(pattern: str) -> str:
    """The pattern as a POSIX extended expression: groups without names, classes by name."""
    return "".join(_posix(kind, text) for kind, text in _tokens(pattern))


def with_group(pattern: str, name: str, literal: str) -> str:
    """The expression with this text alone where group `name` is."""
    place = re.search(rf"\(\?P<{name}>", pattern)
    if place is None:
        return pattern
    depth, position = 0, place.start()
    for kind, text in _tokens(pattern[place.start() :]):
        depth += (kind == "group") - (kind == "close")
        position += len(text)
        if not depth:
            break
    escaped = re.sub(r"[][\\.(){}*+?|^$]", r"\\\g<0>", literal)
    return f"{pattern[: place.start()]}({escaped}){pattern[position:]}"


def _tokens(pattern: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(pattern):
        match = _TOKEN.match(pattern, position)
        if match is None:
            raise ValueError(f"{pattern[position : position + 4]!r} is outside of the dialect")
        yield match.lastgroup or "", match[0]
        position = match.end()


def _posix(kind: str, text: str) -> str:
    if kind == "group":
        return "("
    return _CLASSES[text] if kind == "class" else text
