# SPDX-License-Identifier: GPL-2.0-or-later
"""mrskew's ways to write options: rc files, and long options with one dash."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from polltrace.errors import FileError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

_BUILT_IN = {"p10.rc": ["--histogram"]}
_RC_PATH = "MRTOOLS_RCPATH"
_FOLDERS = (".", "~/.mrtools/rc", "/usr/share/mrtools/rc")
_DEEPEST, _LONGEST = 8, 1 << 16


def without_mrskew_forms(words: Sequence[str], options: Collection[str]) -> list[str]:
    """The command line with rc files replaced by their options, in the form of this parser.

    options: the long options that the parser knows. Raises UsageError and FileError.
    """
    return list(_rewritten(list(words), options, 0))


def _rewritten(words: list[str], options: Collection[str], depth: int) -> Iterator[str]:
    while words:
        word = words.pop(0)
        if word == "--":
            yield from (word, *words)
            return
        name, equals, value = word.partition("=")
        if name.startswith("-") and f"-{name}" in {*options, "--rc", "--where1", "--init"}:
            name = f"-{name}"
        if name == "--init":
            raise UsageError(
                "trace: --init is Perl, which polltrace does not run (--sql asks more)"
            )
        if name in {"--rc", "--where1"} and not equals:
            if not words:
                raise UsageError(f"trace: argument {name}: expected one argument")
            value = words.pop(0)
        if name == "--rc":
            yield from _rewritten(_rc_options(value, depth), options, depth + 1)
        elif name == "--where1":
            yield from ("--alldepths", f"--where={value}")
        else:
            yield name + equals + value


def _rc_options(name: str, depth: int) -> list[str]:
    if depth == _DEEPEST:
        raise UsageError(f"trace: {name}: rc files name one another more than {_DEEPEST} deep")
    path = _rc_file(name)
    if path is None:
        return list(_BUILT_IN[name])
    options = list(_options_of(path))
    for option in options:
        if not option.startswith("-"):
            raise UsageError(f"trace: {path}: {option[:40]!r} is no option")
    return options


def _rc_file(name: str) -> Path | None:
    """The file of that name; None for one that is built in. Raises UsageError for no file."""
    from pathlib import Path  # slow to load, and few command lines have rc files

    folders = [*_FOLDERS, *os.environ.get(_RC_PATH, "").split(":")]
    if "/" in name:
        folders = [""]
    for folder in folders:
        path = Path(folder).expanduser() / name
        if (folder or "/" in name) and path.exists():
            return path
    if name in _BUILT_IN:
        return None
    raise UsageError(f"trace: there is no {name} in {', '.join(filter(None, folders)) or '/'}")


def _options_of(path: Path) -> Iterator[str]:
    """The options in an rc file, one per line; a value in quotes may have several lines."""
    lines = _text(path).splitlines()
    while lines:
        text = lines.pop(0).strip()
        if not text or text.startswith("#"):
            continue
        following = 0
        while (parts := _parts("\n".join([text, *lines[:following]]))) is None:
            if following == len(lines) or lines[following].startswith("-"):
                break  # a quote that is none of the shell's
            following += 1
        if parts:
            del lines[:following]
        if parts and (len(parts) == 1 or all(part.startswith("-") for part in parts)):
            yield from parts
        else:  # an expression with blanks that is not in quotes
            yield text


def _parts(text: str) -> list[str] | None:
    """The words of a line by the shell's quotes; None where a quote is not closed."""
    try:
        return shlex.split(text)
    except ValueError:
        return None


def _text(path: Path) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a FIFO makes nobody wait
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise FileError(f"{path} is no regular file")
            data = file.read(_LONGEST + 1)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from None
    if len(data) > _LONGEST:
        raise FileError(f"{path} is longer than an rc file may be ({_LONGEST:,} bytes)")
    return data.decode("utf-8", "replace")
