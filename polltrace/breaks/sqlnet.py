# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings for breaks in the configuration file that a server process read as it started (Oracle's
is sqlnet.ora)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from polltrace.bounded_file import UnreadableError, read_bounded
from polltrace.breaks.parameter_file import LONGEST, ParameterFile, read_parameters, value_of
from polltrace.engines import Engine

# A server has read its files within this time of its start; the two clocks differ by some 10 ms.
_READ_WITHIN_S = 1.0
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class BreakSettings:
    """`path` is as the process sees it; None where it has no such file: all are defaults. `file` is
    that file's name, without a path.

    `break_poll_skip` is in checks per poll; `skip_is_default` where no file sets it.
    `disable_oob` and `disable_oob_auto` are the parameters of that name. `skip_path` and `oob_path`
    are the files that set the skip and `disable_oob`: `path`, or one that it includes; None where
    the value is the default. `place` is the first path where the server looks for the file, so
    where to write one. `changed_at` is when the file or an included one was last changed, in
    seconds since the epoch. `problem` is the reason why the file's settings are not known; the
    values are the defaults then, and stand for nothing. An engine whose parameter is not read from
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
    skip_path: PurePath | None = None
    oob_path: PurePath | None = None

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
        """A clause with the unreadable file and the reason, for settings with a `problem`."""
        return f"{self.path or self.file} is not readable: {self.problem}"

    @property
    def source(self) -> str:
        """The source of the skip, in words."""
        if self.problem:
            return f"the default, as {self.unread}"
        if self.path is None:
            return f"there is no {self.file}, so the default"
        if self.skip_is_default:
            return f"not set in {self.path}, so the default"
        return str(self.skip_path or self.path)

    @property
    def disabled_in(self) -> PurePath | None:
        """The file that turns out-of-band breaks off, for settings with `disable_oob`."""
        return self.oob_path or self.path


def break_settings(
    engine: Engine, environ: Mapping[str, str], root: Path, program: str = ""
) -> BreakSettings:
    """The settings that a process of `engine` with this environment would read; `root` is its root
    directory.

    `program`, its executable's path, leads to the engine's home if the environment does not name
    it. A server reads the file once: an edit since then shows here and not in the process.
    """
    path: Path | None = None
    place: Path | None = None
    if not engine.configuration_file:
        return default_settings(engine)
    environ = _with_home(engine, environ, program)
    try:
        for path in _places(engine, environ, root):
            place = place or path
            if file := read_parameters(root, path, environ.get(engine.home, "")):
                return _settings(engine, file, Path("/") / place)
    except (UnreadableError, ValueError) as error:
        return unknown_settings(engine, str(error), path and Path("/") / path)
    return replace(default_settings(engine), place=place and Path("/") / place)


def variables(engine: Engine) -> list[str]:
    """The environment variables that lead to the configuration file of a server of this engine."""
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


def _settings(engine: Engine, file: ParameterFile, place: Path) -> BreakSettings:
    skip, skip_path = value_of(file.parameters, engine.parameter)
    if len(skip) > _MOST_DIGITS and skip.isdecimal():
        raise ValueError(f"{engine.parameter} has {len(skip)} digits")
    is_set = skip.isascii() and skip.isdecimal() and int(skip) > 0
    disable_oob, oob_path = value_of(file.parameters, engine.disable_oob_parameter)
    disable_auto, _ = value_of(file.parameters, f"{engine.disable_oob_parameter}_AUTO")
    return BreakSettings(
        path=file.path,
        break_poll_skip=int(skip) if is_set else engine.default,
        disable_oob=_is_on(disable_oob),
        skip_is_default=not is_set,
        disable_oob_auto=_is_on(disable_auto),
        place=place,
        changed_at=file.changed_at,
        file=engine.configuration_file,
        skip_path=skip_path if is_set else None,
        oob_path=oob_path,
    )


def _is_on(value: str) -> bool:
    return value.strip("()").upper() in {"ON", "YES", "TRUE", "1"}


def _with_home(engine: Engine, environ: Mapping[str, str], program: str) -> Mapping[str, str]:
    """The environment with the home that a program in its bin directory belongs to."""
    home, slash, _ = program.rpartition("/bin/")
    if not engine.home or environ.get(engine.home) or not slash:
        return environ
    return {**environ, engine.home: home}


def _variable(directory: str) -> tuple[str, str]:
    """The variable that a directory of an engine's file begins with, and the path below it."""
    variable, _, subdirectory = directory.removeprefix("$").partition("/")
    return variable, subdirectory


def _places(engine: Engine, environ: Mapping[str, str], root: Path) -> Iterator[Path]:
    """The possible paths of the file, in a server's search order, relative to its root."""
    for directory in engine.configuration_directories:
        variable, subdirectory = _variable(directory)
        if home := environ.get(variable):
            bases = [home]
            if variable == engine.home and engine.home_table:
                bases = _homes(engine.home_table, home, root)
            for base in bases:
                yield Path(base.lstrip("/")) / subdirectory / engine.configuration_file


def _homes(table_file: str, home: str, root: Path) -> list[str]:
    """The directories that a home's files may be in. A read-only home has a line home:base:name:Y:
    in its table: its files are elsewhere, and those of the home itself count after them."""
    table = read_bounded(root, PurePath(home) / table_file, LONGEST)
    lines = table.content.decode(errors="replace").splitlines() if table else []
    for line in lines:
        fields = line.split(":")
        if len(fields) >= 4 and fields[0].rstrip("/") == home.rstrip("/") and fields[3] == "Y":
            return [f"{fields[1]}/homes/{fields[2]}", home]
    return [home]
