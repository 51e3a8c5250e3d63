# SPDX-License-Identifier: GPL-2.0-or-later
"""Set BREAK_POLL_SKIP in somebody's sqlnet.ora for the length of a run, and put it back.

Before the file is touched its copy lies beside it and a note of that in our state directory, both
on the disk; it is replaced whole, by rename. So whatever ends us, the next start of a run or
`polltrace restore` finds the note and puts the file back.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from polltrace import procfs
from polltrace.errors import HostError, NotPermittedError, UsageError
from scenarios.state import state_directory

PARAMETER = "BREAK_POLL_SKIP"
BACKUP_SUFFIX = ".polltrace-backup"


@dataclass(frozen=True, slots=True)
class Note:
    """A file that is changed: `existed` before; `written` are the digests of all that we wrote or
    were about to, `pid` and `start_ticks` whose run it is."""

    path: str
    existed: bool
    written: list[str]
    pid: int
    start_ticks: int | None

    @property
    def in_use(self) -> bool:
        return procfs.start_ticks(self.pid) == self.start_ticks and self.start_ticks is not None


def with_skip(text: str, skip: int) -> str:
    """The file's text with this BREAK_POLL_SKIP and nothing else changed."""
    kept: list[str] = []
    ours = False
    for line in text.splitlines(keepends=True):
        # A line that begins with a blank goes on with the last.
        if not (ours and line[0] in " \t"):
            ours = bool(re.match(rf"{PARAMETER}\s*=", line, re.IGNORECASE))
        if not ours:
            kept.append(line)
    if kept and not kept[-1].endswith("\n"):
        kept[-1] += "\n"
    return "".join(kept) + f"{PARAMETER} = {skip}\n"


class SqlnetEdit:
    """One sqlnet.ora, ours from the first set() until __exit__."""

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()
        if not self._path.parent.is_dir():
            raise UsageError(f"--set-sqlnet: there is no directory {self._path.parent}")
        if note := _note_of(self._path):
            if note.in_use:
                raise UsageError(f"{path} is changed by another run just now (PID {note.pid})")
            restore(note)
        self._existed = self._path.exists()
        try:
            self._original = _text(self._path) if self._existed else ""
        except OSError as error:
            raise UsageError(f"--set-sqlnet: cannot read {path}: {error.strerror}") from None
        self._written: list[str] = []

    def __enter__(self) -> SqlnetEdit:
        return self

    def set(self, skip: int) -> None:
        """For servers that start from now on. Raises NotPermittedError or HostError where it cannot
        be."""
        text = with_skip(self._original, skip)
        first = not self._written
        self._written.append(_digest(text))
        try:
            # In this order: what has been noted can be put back.
            self._note()
            if first and self._existed:
                _replace(_backup(self._path), self._original, like=self._path)
            _replace(self._path, text)
        except PermissionError as error:
            raise NotPermittedError(
                f"cannot change {self._path}: {error.strerror}; run as its owner"
            ) from None
        except OSError as error:
            raise HostError(f"cannot change {self._path}: {error.strerror}") from None

    def _note(self) -> None:
        us = os.getpid()
        note = Note(str(self._path), self._existed, self._written, us, procfs.start_ticks(us))
        place = _place(self._path)
        place.parent.mkdir(parents=True, exist_ok=True)
        _replace(place, json.dumps(asdict(note)))

    def __exit__(self, *_: object) -> None:
        if self._written and (note := _note_of(self._path)):
            restore(note)


def notes() -> Iterator[Note]:
    """Every file that some run has changed and not put back yet."""
    directory = _place(Path("/")).parent
    if directory.is_dir():
        for place in sorted(directory.glob("*.json")):
            with contextlib.suppress(OSError, ValueError, TypeError):
                yield Note(**json.loads(place.read_text()))


def restore(note: Note) -> None:
    """Put the file back. Raises UsageError where somebody changed it meanwhile: theirs stays."""
    path, backup = Path(note.path), _backup(Path(note.path))
    now = _text(path) if path.exists() else None
    ours = now is not None and _digest(now) in note.written
    if backup.exists():
        if not ours and now != _text(backup):
            raise UsageError(
                f"{path} was changed by somebody since a run set {PARAMETER} in it; it is left as "
                f"it is. What it was before is in {backup}: put it right, then remove "
                f"{_place(path)}"
            )
        backup.replace(path)
    elif ours and not note.existed:
        path.unlink()
    # Without a copy of what was there nothing had been changed yet.
    _draft(path).unlink(missing_ok=True)
    _draft(backup).unlink(missing_ok=True)
    _place(path).unlink(missing_ok=True)


def restore_left_behind() -> list[Path]:
    """Put back what killed runs have left; the files."""
    found = []
    for note in notes():
        if not note.in_use:
            restore(note)
            found.append(Path(note.path))
    return found


def _replace(path: Path, text: str, like: Path | None = None) -> None:
    """Write whole or not at all, on the disk before it is seen; owner and mode stay."""
    draft = _draft(path)
    model = like or path
    try:
        with draft.open("wb") as file:
            file.write(_bytes(text))
            file.flush()
            os.fsync(file.fileno())
        if model.exists():
            shutil.copystat(model, draft)
            owner = model.stat()
            os.chown(draft, owner.st_uid, owner.st_gid)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _backup(path: Path) -> Path:
    return path.with_name(path.name + BACKUP_SUFFIX)


def _draft(path: Path) -> Path:
    return path.with_name(f"{path.name}.polltrace-new")


def _digest(text: str) -> str:
    return hashlib.sha256(_bytes(text)).hexdigest()


def _text(path: Path) -> str:
    """What _bytes turns into the same bytes again, line ends and all, whatever its encoding."""
    return path.read_bytes().decode(errors="surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _note_of(path: Path) -> Note | None:
    return next((note for note in notes() if note.path == str(path)), None)


def _place(path: Path) -> Path:
    name = hashlib.sha256(str(path).encode()).hexdigest()[:16]
    return state_directory() / "changed-sqlnet" / f"{name}.json"
