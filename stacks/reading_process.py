# SPDX-License-Identifier: GPL-2.0-or-later
"""A child process for reads that may never return.

To read a process's memory, mappings, arguments, environment or files may wait for that very
process or for a file system that it mounted, out of reach of every signal, and no flag of open(2)
prevents that. Such a read is made here, in a process that can be abandoned.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import socket
import struct
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, NoReturn, Self, TypeVar

from polltrace.stacks.errors import UnansweredError

Request = TypeVar("Request")
Reply = TypeVar("Reply")
# Memory that the child may take on top of the parent's mappings.
MOST_BYTES = 1 << 30
# Children that were killed and have not ended: the kernel ends them when their read returns.
MOST_ABANDONED = 64
_LONGEST_MESSAGE = 1 << 28
_LENGTH = struct.Struct("=Q")
_REPLY, _ERROR, _END = range(3)
_abandoned: list[int] = []


class ReadingProcess(Generic[Request, Reply]):
    """A forked child that answers requests with the replies of `work`.

    Replies and exceptions are pickled. The child takes at most `most_bytes` of memory, has no file
    of its parent's open, and ends by itself when its parent does.
    """

    def __init__(
        self, work: Callable[[Request], Iterable[Reply]], most_bytes: int = MOST_BYTES
    ) -> None:
        """Raises UnansweredError when too many children have been abandoned."""
        _reap_abandoned()
        if len(_abandoned) >= MOST_ABANDONED:
            raise UnansweredError(f"{MOST_ABANDONED} reads have not returned")
        self._socket, socket_of_child = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            _serve(socket_of_child, work, most_bytes)
        socket_of_child.close()

    def replies(self, request: Request, patience_s: float) -> Iterator[Reply]:
        """The replies to one request, to be consumed up to the end.

        Raises UnansweredError when one takes longer than `patience_s`, or when the child ended:
        this object is closed then. Passes on exceptions of the work.
        """
        try:
            _send(self._socket, (request, patience_s), time.monotonic() + patience_s)
            while True:
                kind, value = _receive(self._socket, time.monotonic() + patience_s)
                if kind == _END:
                    return
                if kind == _ERROR:
                    raise value
                yield value
        except TimeoutError:
            self.close()
            raise UnansweredError(f"no answer in {patience_s:g} s") from None
        except (EOFError, ConnectionError):
            self.close()
            raise UnansweredError("the process that reads it ended") from None

    def close(self) -> None:
        """End the child, or abandon it where it cannot be ended now."""
        if self._socket.fileno() < 0:
            return
        self._socket.close()
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        _abandoned.append(self._pid)
        _await_end(self._pid)
        _reap_abandoned()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_pid") and self._pid:
            self.close()


def read_within(work: Callable[[], Reply], patience_s: float) -> Reply:
    """The result of `work`, which runs in a process of its own.

    Raises UnansweredError when it takes longer than `patience_s`, and the exceptions of the work.
    """
    with ReadingProcess[None, Reply](lambda _: [work()]) as process:
        (reply,) = process.replies(None, patience_s)
    return reply


def _await_end(pid: int) -> None:
    """Wait a moment for a killed child: one that is not stuck in the kernel ends at once."""
    with suppress(OSError):
        pidfd = os.pidfd_open(pid)
        try:
            select.select([pidfd], [], [], 0.2)
        finally:
            os.close(pidfd)


def _reap_abandoned() -> None:
    for pid in list(_abandoned):
        with suppress(ChildProcessError):
            if os.waitpid(pid, os.WNOHANG) == (0, 0):
                continue
        _abandoned.remove(pid)


def _serve(
    connection: socket.socket, work: Callable[[Any], Iterable[Any]], most_bytes: int
) -> NoReturn:
    """The child's life. It leaves by _exit: nothing of its parent's is to be cleaned up."""
    try:
        _enter_child(connection.fileno(), most_bytes)
        while True:
            request, patience_s = _receive(connection, None)
            _answer(connection, work, request, patience_s)
    finally:
        os._exit(0)


def _answer(
    connection: socket.socket,
    work: Callable[[Any], Iterable[Any]],
    request: object,
    patience_s: float,
) -> None:
    def end_by_alarm() -> None:
        # The parent may have ended when a read hangs: then nobody else ends this process.
        signal.setitimer(signal.ITIMER_REAL, 2 * patience_s + 1)

    try:
        end_by_alarm()
        for reply in work(request):
            _send(connection, (_REPLY, reply), None)
            end_by_alarm()
        _send(connection, (_END, None), None)
    except (ConnectionError, EOFError):
        raise
    except MemoryError:
        _send(connection, (_ERROR, UnansweredError("it takes too much memory to read")), None)
    except Exception as error:
        _send(connection, (_ERROR, error), None)
    signal.setitimer(signal.ITIMER_REAL, 0)


def _enter_child(connection: int, most_bytes: int) -> None:
    import resource  # noqa: PLC0415 - absent where polltrace only reads recordings

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    null = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)
    # A child that hangs must keep neither a pipe of the parent's open nor a terminal.
    os.closerange(3, connection)
    os.closerange(connection + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    limit = pages * resource.getpagesize() + most_bytes
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or limit < hard:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _send(connection: socket.socket, message: object, deadline_s: float | None) -> None:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    _set_timeout(connection, deadline_s)
    connection.sendall(_LENGTH.pack(len(data)) + data)


def _receive(connection: socket.socket, deadline_s: float | None) -> Any:
    (length,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size, deadline_s))
    if length > _LONGEST_MESSAGE:
        raise EOFError
    return pickle.loads(_exactly(connection, length, deadline_s))


def _exactly(connection: socket.socket, length: int, deadline_s: float | None) -> bytes:
    data = bytearray()
    while len(data) < length:
        _set_timeout(connection, deadline_s)
        part = connection.recv(min(length - len(data), 1 << 20))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def _set_timeout(connection: socket.socket, deadline_s: float | None) -> None:
    if deadline_s is not None:
        connection.settimeout(max(deadline_s - time.monotonic(), 0.001))
