# SPDX-License-Identifier: GPL-2.0-or-later
"""A program that prints frames, as a child process: its start, its messages and its end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

from polltrace.containers import hidden_btf, refused_probe
from polltrace.errors import (
    FrameError,
    HostError,
    NoSuchProcessError,
    NotPermittedError,
    PolltraceError,
    UsageError,
)
from polltrace.privileges import handed_on

# The exit codes of polltrace-probe (`polltrace-probe --help`) in polltrace's own terms.
_NOT_PERMITTED = 3
_FAILURES: dict[int, type[PolltraceError]] = {
    2: UsageError,
    _NOT_PERMITTED: NotPermittedError,
    5: NoSuchProcessError,
}
# Bytes of messages on stderr that are read.
_MOST_MESSAGES = 1 << 16


class ProbeChild:
    """The process of a probe, from start() to __exit__.

    It runs in a session of its own, so Ctrl-C reaches polltrace alone, which ends the probe with a
    last frame. Should polltrace be killed, the probe finds its reader gone and detaches by itself.
    """

    def __init__(self, argv: Sequence[str], name: str = "polltrace-probe") -> None:
        self._argv, self._name = argv, name

    def start(self) -> None:
        """Raises HostError where the program cannot be run."""
        try:
            self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - until __exit__
        except OSError as error:
            raise HostError(f"cannot write a temporary file: {error.strerror}") from None
        try:
            with handed_on():
                self._process = subprocess.Popen(
                    self._argv,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=self._stderr,
                    encoding="utf-8",
                    start_new_session=True,
                )
        except OSError as error:  # no ssh here; a probe for another processor
            self._stderr.close()
            raise HostError(f"cannot run {self._argv[0]}: {error.strerror}") from None

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def output(self) -> IO[str]:
        assert self._process.stdout is not None
        return self._process.stdout

    def detach(self) -> None:
        """Send the probe the signal to end; its last frame is still to be read."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    def wait(self) -> int:
        """Wait for the probe's end; its exit code, below 0 for a signal."""
        return self._process.wait()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self.output.close()
        self._stderr.close()

    def messages(self) -> str:
        """The end of the messages of the probe, or of ssh and the host that it reached."""
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - _MOST_MESSAGES))
        return self._stderr.read().decode(errors="replace").strip()

    def exit_error(self) -> PolltraceError:
        """Wait for the end of a probe that failed; its error, by exit code and message."""
        code = self.wait()
        message = self.messages().removeprefix(f"{self._name}: ")
        if code < 0:
            return FrameError(f"{self._name} was killed by signal {-code}; its counts are lost")
        message = message or f"{self._name} ended with code {code}"
        if Path(self._argv[0]).name == self._name:  # on this host, not by ssh
            message += _container_hint(code, message)
        return _FAILURES.get(code, HostError)(message)


def _container_hint(code: int, message: str) -> str:
    """The sentence on the container that is to blame for the probe's failure, if one is."""
    hint = ""
    if code == _NOT_PERMITTED:
        hint = refused_probe()
    elif "BTF" in message:
        hint = hidden_btf()
    return f"; {hint}" if hint else ""
