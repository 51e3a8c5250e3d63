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
from polltrace.errors import NotPermittedError, UsageError

PARAMETER = "BREAK_POLL_SKIP"
BACKUP_SUFFIX = ".polltrace-backup"


@dataclass(frozen=True, slots=True)
class Note:
    """A file that is changed: `existed` before; `written` is the digest of what we wrote last,
    `pid` and `start_ticks` whose run it is."""

    path: str
    existed: bool
    written: str
    pid: int
    start_ticks: int | None

    @property
    def backup(self) -> Path:
        return Path(self.path + BACKUP_SUFFIX)

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
        self._original = self._path.read_text() if self._path.exists() else ""
        self._changed = False

    def __enter__(self) -> SqlnetEdit:
        return self

    def set(self, skip: int) -> None:
        """For servers that start from now on. Raises NotPermittedError where it may not be."""
        text = with_skip(self._original, skip)
        try:
            if not self._changed:
                self._keep(text)
            else:
                self._note(text)
            _replace(self._path, text)
        except PermissionError as error:
            raise NotPermittedError(
                f"cannot change {self._path}: {error.strerror}; run as its owner"
            ) from None

    def _keep(self, text: str) -> None:
        existed = self._path.exists()
        if existed:
            backup = Path(f"{self._path}{BACKUP_SUFFIX}")
            _replace(backup, self._original, like=self._path)
        self._existed = existed
        self._note(text)
        self._changed = True

    def _note(self, text: str) -> None:
        note = Note(
            str(self._path),
            self._existed,
            _digest(text),
            os.getpid(),
            procfs.start_ticks(os.getpid()),
        )
        place = _place(self._path)
        place.parent.mkdir(parents=True, exist_ok=True)
        _replace(place, json.dumps(asdict(note)))

    def __exit__(self, *_: object) -> None:
        if self._changed and (note := _note_of(self._path)):
            restore(note)


def notes() -> Iterator[Note]:
    """Every file that some run has changed and not put back yet."""
    directory = _place(Path("/")).parent
    if directory.is_dir():
        for place in sorted(directory.iterdir()):
            with contextlib.suppress(OSError, ValueError, TypeError):
                yield Note(**json.loads(place.read_text()))


def restore(note: Note) -> None:
    """Put the file back. Raises UsageError where somebody changed it meanwhile: theirs stays."""
    path = Path(note.path)
    now = path.read_text() if path.exists() else None
    original = note.backup.read_text() if note.backup.exists() else None
    if now is not None and _digest(now) != note.written and now != original:
        raise UsageError(
            f"{path} was changed by somebody since a run set {PARAMETER} in it; it is left as it "
            f"is, and what it was before is in {note.backup}: put it right, then remove "
            f"{_place(path)}"
        )
    if not note.existed:
        path.unlink(missing_ok=True)
    elif original is not None:
        note.backup.replace(path)
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
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    model = like or path
    try:
        with draft.open("w") as file:
            file.write(text)
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


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _note_of(path: Path) -> Note | None:
    return next((note for note in notes() if note.path == str(path)), None)


def _place(path: Path) -> Path:
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    name = hashlib.sha256(str(path).encode()).hexdigest()[:16]
    return Path(home) / "polltrace" / "changed-sqlnet" / f"{name}.json"
