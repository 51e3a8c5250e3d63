# SPDX-License-Identifier: GPL-2.0-or-later
"""The trace file of a session. The database names it, so it may be anything, or not be there."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from polltrace.bounded_file import UnreadableError, open_regular
from polltrace.errors import FileError


class TraceFile:
    """The file at `path`, opened once it exists; a file that takes its place is not read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._fd is not None:
            os.close(self._fd)

    def opened(self) -> int | None:
        """Descriptor of the file; None while there is none.

        Raises FileError for a file that is not regular or may not be read.
        """
        if self._fd is None:
            try:
                self._fd = open_regular(self.path)
            except UnreadableError as error:
                raise FileError(f"cannot read the session's trace {self.path}: {error}") from None
        return self._fd

    def size(self) -> int:
        """Size in bytes; 0 while there is no file. Raises FileError as opened() does."""
        fd = self.opened()
        return 0 if fd is None else os.fstat(fd).st_size

    def end(self, limit: int) -> bytes:
        """Read the last bytes, up to `limit`."""
        fd = self.opened()
        return b"" if fd is None else os.pread(fd, limit, max(0, self.size() - limit))

    def replaced(self) -> bool:
        """Return True if the path names another file, to which the server writes since then.

        A file that was only deleted is still written and read.
        """
        if self._fd is None:
            return False
        try:
            status = self.path.stat()
        except OSError:
            return False
        return not os.path.samestat(status, os.fstat(self._fd))

    def name(self) -> str | None:
        """A name under which this process can open the same file again."""
        fd = self.opened()
        return None if fd is None else f"/proc/self/fd/{fd}"
