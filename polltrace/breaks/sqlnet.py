# SPDX-License-Identifier: GPL-2.0-or-later
"""The configuration file that a server process read as it started (Oracle's is sqlnet.ora), and its
settings for breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from polltrace.bounded_file import BoundedFile, UnreadableError, read_bounded
from polltrace.engines import Engine

# A server has read its files so soon after it started; and the two clocks differ by some 10 ms.
_READ_WITHIN_S = 1.0
# A hundred times what a site writes into these files.
_LONGEST = 1 << 20
_MOST_DIGITS = 9
# `NAME = value` at the start of a line; a line that starts with a blank goes on with the last.
_ASSIGNMENT = re.compile(r"([\w.]+)\s*=\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class BreakSettings:
    """`path` is as the process sees it; None where it has no such file: all are defaults. `file` is
    that file's name, without a path.

    `break_poll_skip` is in checks per poll; `skip_is_default` where the file does not set it.
    `disable_oob` and `disable_oob_auto` are the parameters of that name. `place` is the first path
    where the server looks for the file, so where to write one. `changed_at` is when the file was
    last changed, in seconds since the epoch. `problem`: why the file's settings are not known; the
    others are the defaults then, and stand for nothing. An engine whose parameter is not read from
    a file has 0 for its skip.
    """

    path: PurePath | None
    break_poll_skip: int
    disable_oob: bool
    skip_is_default: bool
    disable_oob_auto: bool = False
    place: Path | None = None
    changed_at: float | None = None
    problem: str = ""
    file: str = ""

    @property
    def known_skip(self) -> int | None:
        """The skip that the file sets, or the default of a file that does not; None where the
        file could not be read."""
        return None if self.problem or not self.break_poll_skip else self.break_poll_skip

    def changed_since(self, started_at: float | None) -> bool:
        """Whether the file was changed after a process that started then had read it."""
        if started_at is None or self.changed_at is None:
            return False
        return self.changed_at > started_at + _READ_WITHIN_S

    @property
    def unread(self) -> str:
        """In words, which file could not be read and why; for settings with a `problem`."""
        return f"{self.path or self.file} is not readable: {self.problem}"

    @property
    def source(self) -> str:
        """Where the skip comes from, in words."""
        if self.problem:
            return f"the default, as {self.unread}"
        if self.path is None:
            return f"there is no {self.file}, so the default"
        return f"not set in {self.path}, so the default" if self.skip_is_default else str(self.path)


def break_settings(
    engine: Engine, environ: Mapping[str, str], root: Path, program: str = ""
) -> BreakSettings:
    """The settings that a process of `engine` with this environment would read; `root` is its root
    directory.

    `program`, its executable's path, tells where the engine's home is if the environment does not.
    A server reads the file once: an edit since then shows here and not in the process.
    """
    path: Path | None = None
    place: Path | None = None
    if not engine.configuration_file:
        return default_settings(engine)
    try:
        for path in _places(engine, _with_home(engine, environ, program), root):
            place = place or path
            if found := read_bounded(root, path, _LONGEST):
                return _settings(engine, found, Path("/") / path, Path("/") / place)
    except (UnreadableError, ValueError) as error:
        return unknown_settings(engine, str(error), path and Path("/") / path)
    return replace(default_settings(engine), place=place and Path("/") / place)


def variables(engine: Engine) -> list[str]:
    """The environment variables that tell where a server of this engine has its file."""
    return [_variable(directory)[0] for directory in engine.configuration_directories]


def default_settings(engine: Engine) -> BreakSettings:
    """The settings of a process that has no file."""
    skip = engine.default if engine.polls_by_count else 0
    return BreakSettings(None, skip, False, True, file=engine.configuration_file)


def unknown_settings(engine: Engine, problem: str, path: Path | None = None) -> BreakSettings:
    """The settings of a file that could not be read, and why."""
    if not engine.configuration_file:
        return default_settings(engine)
    return replace(default_settings(engine), path=path, place=path, problem=problem)


def _settings(engine: Engine, file: BoundedFile, path: Path, place: Path) -> BreakSettings:
    parameters = parse(file.content.decode(errors="replace"))
    skip = parameters.get(engine.parameter, "")
    if len(skip) > _MOST_DIGITS and skip.isdecimal():
        raise ValueError(f"{engine.parameter} has {len(skip)} digits")
    known = skip.isascii() and skip.isdecimal() and int(skip) > 0
    return BreakSettings(
        path=path,
        break_poll_skip=int(skip) if known else engine.default,
        disable_oob=_says_yes(parameters.get(engine.disable_oob_parameter, "")),
        skip_is_default=not known,
        disable_oob_auto=_says_yes(parameters.get(f"{engine.disable_oob_parameter}_AUTO", "")),
        place=place,
        changed_at=file.changed_at,
        file=engine.configuration_file,
    )


def _says_yes(value: str) -> bool:
    return value.strip("()").upper() in {"ON", "YES", "TRUE", "1"}


def parse(text: str) -> dict[str, str]:
    """Parameters by upper-case name. Of a repeated one the last counts; comments start with #."""
    logical: list[list[str]] = []
    for raw in text.splitlines():
        line = raw.partition("#")[0].rstrip()
        if not line:
            continue
        if line[0].isspace() and logical:
            logical[-1].append(line)
        else:
            logical.append([line.strip()])
    matches = filter(None, map(_ASSIGNMENT.fullmatch, map("".join, logical)))
    return {match[1].upper(): match[2].strip().strip('"') for match in matches}


def _with_home(engine: Engine, environ: Mapping[str, str], program: str) -> Mapping[str, str]:
    """The environment with the home that a program in its bin directory belongs to."""
    home, slash, _ = program.rpartition("/bin/")
    if not engine.home or environ.get(engine.home) or not slash:
        return environ
    return {**environ, engine.home: home}


def _variable(directory: str) -> tuple[str, str]:
    """The variable that a directory of an engine's file begins with, and the rest."""
    variable, _, rest = directory.removeprefix("$").partition("/")
    return variable, rest


def _places(engine: Engine, environ: Mapping[str, str], root: Path) -> Iterator[Path]:
    """Where the file may be, in a server's search order, relative to its root."""
    for directory in engine.configuration_directories:
        variable, rest = _variable(directory)
        if base := environ.get(variable):
            if variable == engine.home and engine.home_table:
                base = _configured_home(engine.home_table, base, root)
            yield Path(base.lstrip("/")) / rest / engine.configuration_file


def _configured_home(table_file: str, home: str, root: Path) -> str:
    """Where the files of a home are: a read-only one has them elsewhere, and a line for that in
    its table: home:base:name:Y:."""
    table = read_bounded(root, PurePath(home) / table_file, _LONGEST)
    if table is None:
        return home
    for line in table.content.decode(errors="replace").splitlines():
        fields = line.split(":")
        if len(fields) >= 4 and fields[0].rstrip("/") == home.rstrip("/") and fields[3] == "Y":
            return f"{fields[1]}/homes/{fields[2]}"
    return home
