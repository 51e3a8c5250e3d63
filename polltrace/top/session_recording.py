# SPDX-License-Identifier: GPL-2.0-or-later
"""Records a session from the screen: `polltrace record` as a child, which ends when we do."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from polltrace.printable import note
from polltrace.privileges import handed_on
from polltrace.servers.servers import Server

_HERE_ALONE = "Only its own host can record that: run record there."


class SessionRecording:
    """Runs one recording at a time, from __enter__ to __exit__.

    `status` is its line on the screen, empty before the first recording; `options` are further
    options of `record`.
    """

    def __init__(self, options: Sequence[str]) -> None:
        self._options = options
        self._process: subprocess.Popen[str] | None = None
        self._file = ""
        self.status = ""

    def __enter__(self) -> Self:
        return self

    @property
    def runs(self) -> bool:
        return self._process is not None

    def toggle(self, server: Server | None) -> None:
        """End the one that runs, or begin one of this server. Never waits."""
        if self._process is not None:
            self._end(self._process)
        elif server is None:
            self.status = "Nothing is selected to be recorded."
        elif not server.looked_at:
            self.status = _HERE_ALONE
        else:
            self._begin(server.pid)

    def _begin(self, pid: int) -> None:
        self._file = f"session-{pid}-{time.strftime('%Y%m%d-%H%M%S')}.polltrace"
        words = ("record", "--until-stdin-ends", "-p", str(pid), "-o", self._file)
        with handed_on():
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "polltrace", *words, *self._options],
                stdin=subprocess.PIPE,  # its end, also by our death, ends the recording
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        self.status = f"Recording {pid} to {self._file}; R ends it, as the end of top does"

    def _end(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        process.stdin.close()
        self.status = f"Ending the recording to {self._file} …"

    def ended(self) -> bool:
        """True if the recording has ended since the last call; `status` then says how."""
        if self._process is None or self._process.poll() is None:
            return False
        self._finish(self._process)
        return True

    def _finish(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stderr is not None
        last = process.stderr.read().splitlines()[-1:] or ["record ended without a message"]
        self.status = last[0].removeprefix("polltrace: ")
        process.wait()
        process.stdin.close()
        process.stderr.close()
        self._process = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Wait for the end of the recording that is being written, and name its file on stderr."""
        if self._process is not None:
            self._end(self._process)
            self._finish(self._process)
            note(self.status)
