# SPDX-License-Identifier: GPL-2.0-or-later
"""Parameters of an Oracle Net file (sqlnet.ora) and of the files that it includes by IFILE."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from polltrace.bounded_file import BoundedFile, UnreadableError, read_bounded

# A hundred times the size of such files in practice.
LONGEST = 1 << 20
INCLUDE = "IFILE"
# The Net Services Reference allows three levels of included files; their number is ours.
_DEEPEST, _MOST_INCLUDES = 3, 20
# `NAME = value` at the start of a line; a line that starts with a blank continues the last one.
_ASSIGNMENT = re.compile(r"([\w.]+)\s*=\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Parameter:
    """The `value` of a parameter and the file, `path`, that sets it."""

    value: str
    path: PurePath


@dataclass(slots=True)
class ParameterFile:
    """The parameters of the file `path` with its includes, by upper-case name. `changed_at` is when
    the last of these files was changed, in seconds since the epoch."""

    path: PurePath
    parameters: dict[str, Parameter] = field(default_factory=dict)
    changed_at: float = 0.0
    includes: int = 0


def read_parameters(root: Path, path: PurePath, home: str) -> ParameterFile | None:
    """The parameters of the file at `path` below `root`; `home` is the directory that a question
    mark stands for. None where there is no such file.

    Raises UnreadableError also for an included file that cannot be read: which values it would
    have set, or set otherwise, is not known then.
    """
    file = read_bounded(root, path, LONGEST)
    if file is None:
        return None
    result = ParameterFile(Path("/") / path)
    _add(result, file, (Path("/") / path,), root, home)
    return result


def _add(
    result: ParameterFile, file: BoundedFile, chain: tuple[PurePath, ...], root: Path, home: str
) -> None:
    result.changed_at = max(result.changed_at, file.changed_at)
    for name, value in assignments(file.content.decode(errors="replace")):
        if name != INCLUDE:
            result.parameters[name] = Parameter(value, chain[-1])
            continue
        path = _included(value, home)
        label = f"its {INCLUDE}={value[:200]}"
        result.includes += 1
        if path in chain:
            raise UnreadableError(f"{label} leads back to itself")
        if len(chain) > _DEEPEST:
            raise UnreadableError(f"{label} is more than {_DEEPEST} levels deep")
        if result.includes > _MOST_INCLUDES:
            raise UnreadableError(f"it includes more than {_MOST_INCLUDES} files")
        try:
            included = read_bounded(root, path, LONGEST)
        except UnreadableError as error:
            raise UnreadableError(f"{label} is not readable: {error}") from None
        if included is None:
            raise UnreadableError(f"{label} does not exist")
        _add(result, included, (*chain, path), root, home)


def _included(value: str, home: str) -> PurePath:
    """The absolute path of an included file. Raises UnreadableError."""
    if value.startswith("?") and home:
        value = home + value[1:]
    if not value.startswith("/"):
        raise UnreadableError(f"its {INCLUDE}={value[:200]} is no absolute path")
    return PurePath(value)


def assignments(text: str) -> Iterator[tuple[str, str]]:
    """Parameters by upper-case name, in the order of the text; comments start with #."""
    logical: list[list[str]] = []
    for raw in text.splitlines():
        line = raw.partition("#")[0].rstrip()
        if not line:
            continue
        if line[0].isspace() and logical:
            logical[-1].append(line)
        else:
            logical.append([line.strip()])
    for match in filter(None, map(_ASSIGNMENT.fullmatch, map("".join, logical))):
        yield match[1].upper(), match[2].strip().strip('"')


def value_of(parameters: Mapping[str, Parameter], name: str) -> tuple[str, PurePath | None]:
    """A parameter's value and the file that sets it; an empty value where none does."""
    parameter = parameters.get(name.upper())
    return (parameter.value, parameter.path) if parameter else ("", None)
