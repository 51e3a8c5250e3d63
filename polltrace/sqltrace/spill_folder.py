# SPDX-License-Identifier: GPL-2.0-or-later
"""A temporary folder that the next process removes where its own was killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "polltrace-trace-"


class SpillFolder:
    """A folder that this process has locked, which shows others that it is in use.

    path: the folder's name.
    """

    def __init__(self) -> None:
        _remove_abandoned(tempfile.gettempdir())
        self.path, self._lock = _locked_folder()

    def remove(self) -> None:
        """Delete the folder with its content."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _locked_folder() -> tuple[str, int]:
    while True:
        path = tempfile.mkdtemp(prefix=_PREFIX)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue  # another process took it for abandoned: it was not locked yet
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.path.exists(path):  # noqa: PTH110 - the name is for DuckDB, which takes a text
            return path, descriptor
        os.close(descriptor)


def _remove_abandoned(parent: str) -> None:
    """Delete this user's folders that no process has locked."""
    for folder in Path(parent).glob(f"{_PREFIX}*"):
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue  # another user's, or gone
        try:
            if os.fstat(descriptor).st_uid == os.geteuid():
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            pass  # in use
        finally:
            os.close(descriptor)
