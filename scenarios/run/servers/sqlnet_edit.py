# SPDX-License-Identifier: GPL-2.0-or-later
"""Set BREAK_POLL_SKIP in somebody's sqlnet.ora for the length of a run, and put it back.

Before the file is touched its copy lies next to it and a note of that in our state directory, both
on the disk; it is replaced whole, by rename, as its owner (owned_file.py). So whatever ends us, the
next start of a run or `polltrace restore` finds the note and puts the file back.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from polltrace import procfs
from polltrace.errors import FileError, NotPermittedError, UsageError
from polltrace.scenarios.run.servers.owned_file import owned_folder
from polltrace.scenarios.run.servers.state_directory import state_directory
from polltrace.scenarios.run.servers.trusted_path import trusted_path

PARAMETER = "BREAK_POLL_SKIP"
BACKUP_SUFFIX = ".polltrace-backup"


@dataclass(frozen=True, slots=True)
class Note:
    """The file at `path`, which is changed: `existed` before; `written` are the digests of all that
    we wrote or were about to, `pid` and `start_ticks` whose run it is."""

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
    kept_lines: list[str] = []
    ours = False
    for line in text.splitlines(keepends=True):
        # A line that begins with a blank goes on with the last.
        if not (ours and line[0] in " \t"):
            ours = bool(re.match(rf"{PARAMETER}\s*=", line, re.IGNORECASE))
        if not ours:
            kept_lines.append(line)
    if kept_lines and not kept_lines[-1].endswith("\n"):
        kept_lines[-1] += "\n"
    return "".join(kept_lines) + f"{PARAMETER} = {skip}\n"


class SqlnetEdit:
    """The edit of one sqlnet.ora, from the first set() until __exit__.

    - `path`: the file that is changed, an absolute path without links
    """

    def __init__(self, path: Path) -> None:
        """Raises UsageError or FileError where the file cannot be changed safely."""
        try:
            self.path = trusted_path(path)
        except (FileNotFoundError, NotADirectoryError):
            raise UsageError(f"--set-sqlnet: there is no directory {path.parent}") from None
        except OSError as error:
            raise FileError(f"--set-sqlnet: cannot reach {path}: {error.strerror}") from None
        if note := _note_of(self.path):
            if note.in_use:
                raise UsageError(f"{path} is changed by another run just now (PID {note.pid})")
            restore(note)
        self._existed = self.path.exists()
        try:
            self._original = _text(self.path) or ""
        except OSError as error:
            raise FileError(f"--set-sqlnet: cannot read {path}: {error.strerror}") from None
        self._written: list[str] = []

    def __enter__(self) -> SqlnetEdit:
        return self

    def set(self, skip: int) -> None:
        """Set the skip of servers that start from now on. Raises NotPermittedError,
        FileError."""
        text = with_skip(self._original, skip)
        first = not self._written
        self._written.append(_digest(text))
        try:
            # In this order, because a noted change can be put back.
            self._note()
            name = self.path.name
            with owned_folder(self.path) as folder:
                if first and self._existed:
                    backup = _backup(self.path).name
                    folder.write(backup, _bytes(self._original), like=name, same_time=True)
                folder.write(name, _bytes(text), like=name)
        except PermissionError as error:
            raise NotPermittedError(
                f"cannot change {self.path}: {error.strerror}; run as its owner"
            ) from None
        except OSError as error:
            raise FileError(f"cannot change {self.path}: {error.strerror}") from None

    def _note(self) -> None:
        us = os.getpid()
        note = Note(str(self.path), self._existed, self._written, us, procfs.start_ticks(us))
        place = _place(self.path)
        place.parent.mkdir(parents=True, exist_ok=True)
        with owned_folder(place) as folder:
            folder.write(place.name, json.dumps(asdict(note)).encode(), like=place.name)

    def __exit__(self, *_: object) -> None:
        if self._written and (note := _note_of(self.path)):
            restore(note)


def notes() -> Iterator[Note]:
    """Every file that some run has changed and not put back yet."""
    directory = _place(Path("/")).parent
    if directory.is_dir():
        for place in sorted(directory.glob("*.json")):
            with contextlib.suppress(OSError, ValueError, TypeError):
                yield Note(**json.loads(place.read_text("utf-8")))


def restore(note: Note) -> None:
    """Put the file back. Raises UsageError if somebody else has changed it since: that stays."""
    path = Path(note.path)
    name, backup = path.name, _backup(path).name
    with owned_folder(path) as folder:
        current, original = folder.read(name), folder.read(backup)
        ours = current is not None and _digest(_decoded(current)) in note.written
        if original is not None:
            if not ours and current != original:
                raise UsageError(
                    f"{path} was changed by somebody since a run set {PARAMETER} in it; it is left "
                    f"as it is. What it was before is in {_backup(path)}: put it right, then "
                    f"remove {_place(path)}"
                )
            folder.rename(backup, name)
        elif ours and not note.existed:
            folder.remove(name)
        # Without a backup the file has not been changed yet.
        folder.remove_drafts(name)
        folder.remove_drafts(backup)
    with owned_folder(_place(path)) as folder:
        folder.remove(_place(path).name)
        folder.remove_drafts(_place(path).name)


def restore_left_behind() -> list[Path]:
    """Put back the files that killed runs have left changed; their paths."""
    restored = []
    for note in notes():
        if not note.in_use:
            restore(note)
            restored.append(Path(note.path))
    return restored


def _backup(path: Path) -> Path:
    return path.with_name(path.name + BACKUP_SUFFIX)


def _digest(text: str) -> str:
    return hashlib.sha256(_bytes(text)).hexdigest()


def _text(path: Path) -> str | None:
    """The file's text, or None. Raises OSError, FileError for anything but a regular file."""
    with owned_folder(path) as folder:
        content = folder.read(path.name)
    return None if content is None else _decoded(content)


def _decoded(content: bytes) -> str:
    """The text that _bytes turns into the same bytes again, line ends and all, whatever its
    encoding."""
    return content.decode(errors="surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _note_of(path: Path) -> Note | None:
    return next((note for note in notes() if note.path == str(path)), None)


def _place(path: Path) -> Path:
    name = hashlib.sha256(str(path).encode()).hexdigest()[:16]
    return state_directory().resolve() / "changed-sqlnet" / f"{name}.json"
