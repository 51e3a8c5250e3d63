# SPDX-License-Identifier: GPL-2.0-or-later
"""Recording on another host: `polltrace record` runs there, and its output arrives here."""

from __future__ import annotations

import os
import selectors
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import zstandard

from polltrace.errors import FileError, HostError
from polltrace.interrupts import detaching
from polltrace.printable import note
from polltrace.recording.file import STDOUT
from polltrace.recording.parts import make_room
from polltrace.watch.ssh import Ssh

_PREFIX = "polltrace: "
_FIX = (
    "install polltrace there, or give its path with --polltrace PATH; --sudo where it is not root "
    "that logs in"
)


_LONGEST_LINE = 1 << 16


class RemoteRecording:
    """A run of `polltrace record` with these `options` on the host of `ssh`, written to `path`
    here.

    It ends like a local recording, and its trailer still arrives; where this process or the
    connection is lost it ends as well, and the part that had arrived can be read. `polltrace` is
    the program's path there.
    """

    def __init__(
        self, ssh: Ssh, polltrace: str, options: Sequence[str], path: Path, *, sudo: bool
    ) -> None:
        words = [polltrace, "record", "--until-stdin-ends", "-o", str(STDOUT), *options]
        self._argv = ssh.argv(words, sudo=sudo)
        self._ssh, self._path = ssh, path
        self._file: IO[bytes] | None = None
        self._last_line = ""

    def run(self) -> int:
        """Run the recording and return its exit code; its messages are on stderr.

        Raises HostError where it cannot be started, UsageError and FileError like a local
        recording.
        """
        try:
            process = subprocess.Popen(
                self._argv,
                stdin=subprocess.PIPE,  # closing it ends the recording
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C must not end ssh before the trailer is here
            )
        except OSError as error:
            raise HostError(f"cannot run ssh: {error.strerror}") from None
        with process:
            try:
                with detaching(lambda: _end(process)):
                    self._receive(process)
                    code = process.wait()
            except BaseException:
                process.kill()
                raise
            finally:
                if self._file:
                    self._file.close()
        failure = self._ssh.failure(code, self._last_line, _FIX)
        if self._file and (failure or code < 0):
            raise HostError(
                f"the connection to {self._ssh.destination} was lost "
                f"({self._last_line or 'ssh ended'}); {self._path} has what had arrived"
            )
        if code and not failure and self._last_line:
            failure = HostError(f"on {self._ssh.destination}: {self._last_line}")
        if failure:
            raise failure
        return code

    def _receive(self, process: subprocess.Popen[bytes]) -> None:
        """Copy its output to the file and its messages to stderr, until it has ended."""
        assert process.stdout is not None
        assert process.stderr is not None
        unfinished = b""
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            ready.register(process.stderr, selectors.EVENT_READ)
            while ready.get_map():
                for key, _ in ready.select():
                    data = os.read(key.fd, 1 << 16)
                    if not data:
                        ready.unregister(key.fileobj)
                    elif key.fileobj is process.stdout:
                        self._write(data)
                    else:
                        *lines, unfinished = (unfinished + data).split(b"\n")
                        for line in lines:
                            self._say(line.decode(errors="replace"))
                        unfinished = unfinished[-_LONGEST_LINE:]
        if unfinished:
            self._say(unfinished.decode(errors="replace"))

    def _say(self, line: str) -> None:
        """Pass on a line of the remote polltrace; keep another (of ssh, sudo or the shell) for the
        error message.
        """
        if line.startswith(_PREFIX):
            self._last_line = ""
            note(line.removeprefix(_PREFIX))
        elif line.strip():
            self._last_line = line

    def _write(self, data: bytes) -> None:
        try:
            if self._file is None:
                if not data.startswith(zstandard.FRAME_HEADER):
                    raise HostError(
                        f"on {self._ssh.destination} polltrace does not write a recording, or a "
                        f"login script writes as well: {data[:40]!r}"
                    )
                make_room(self._path)  # only once a new recording is certain
                descriptor = os.open(self._path, _NEW, 0o600)
                self._file = os.fdopen(descriptor, "wb", buffering=0)
            remaining = memoryview(data)
            while remaining:
                remaining = remaining[self._file.write(remaining) :]
        except OSError as error:
            raise FileError(f"cannot write {self._path}: {error.strerror}") from None


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


def _end(process: subprocess.Popen[bytes]) -> None:
    """The first call makes the process finish; a second one terminates it."""
    assert process.stdin is not None
    if process.stdin.closed:
        process.terminate()
    process.stdin.close()
