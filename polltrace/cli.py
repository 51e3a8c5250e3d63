# SPDX-License-Identifier: GPL-2.0-or-later
"""The program `polltrace`: runs one command, and turns an error into one line and an exit code."""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from polltrace.errors import FileError, HostError, PolltraceError
from polltrace.interrupts import ending
from polltrace.printable import PrintableStream, note

# Errors of a process at one of its limits.
_LIMITED = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
_UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
# The same in the words of the dynamic linker.
_NOT_LOADED = ("Error 24", "Too many open files", "failed to map", "annot allocate memory")
_RAISE_LIMITS = "raise the limits of this process or of its container (ulimit -a shows them)"


def _terminated(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _ready_streams() -> None:
    """Make the standard streams safe to write to.

    A closed stderr (`2>&-`) gives way to /dev/null; a closed stdout to a stream whose first write
    fails, as output that nobody gets is no success. A character that the encoding lacks, or
    that a terminal would obey, becomes a question mark.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            mode = os.O_RDONLY if name == "stdout" else os.O_WRONLY
            stream = os.fdopen(os.open(os.devnull, mode), "w", encoding="utf-8")
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
        if not isinstance(stream, PrintableStream):
            setattr(sys, name, PrintableStream(stream))


def _drop_output() -> None:
    """Unwritten output has nowhere to go, and Python must not try again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code. Errors become one line on stderr."""
    closed = sys.stdout is None
    _ready_streams()
    try:
        code = _run(sys.argv[1:] if argv is None else argv, ends=argv is None)
        sys.stdout.flush()
    except PolltraceError as error:
        note(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        note("interrupted")
        return 130
    except BrokenPipeError:
        # The reader has closed the pipe: `polltrace … | head`.
        _drop_output()
        return 128 + signal.SIGPIPE
    except (OSError, MemoryError, ImportError) as error:
        return _out_of_reach(error, closed=closed).exit_code
    return code


def _out_of_reach(error: OSError | MemoryError | ImportError, *, closed: bool) -> PolltraceError:
    """Report an error of the system that any command may meet, and return ours; raises others.

    `closed`: standard output was closed before polltrace began.
    """
    number = error.errno if isinstance(error, OSError) else None
    reported: PolltraceError
    if isinstance(error, MemoryError):
        reported = HostError(f"out of memory: {_RAISE_LIMITS}")
    elif isinstance(error, ImportError):
        if not any(reason in str(error) for reason in _NOT_LOADED):
            raise error
        reported = HostError(f"cannot load a library: {_RAISE_LIMITS}")
    elif number == errno.ENOEXEC:  # e.g. a program for another processor
        reported = HostError(f"cannot run {error.filename}: {error.strerror}")
    elif number in _LIMITED:
        reported = HostError(f"{error.strerror}: {_RAISE_LIMITS}")
    elif number in _UNWRITTEN or (closed and number == errno.EBADF):
        _drop_output()
        why = "it is closed" if number == errno.EBADF else error.strerror
        reported = FileError(f"cannot write the output: {why}")
    else:
        raise error
    note(str(reported))
    return reported


def _run(words: Sequence[str], *, ends: bool) -> int:
    """Run the command; `ends`: it is all that the process is for."""
    if list(words) in (["-V"], ["--version"]):
        from polltrace import __version__

        print(f"polltrace {__version__}")
        return 0
    from polltrace.grammar import command_parser, load, overview
    from polltrace.privileges import give_up_root, observes, why_root

    name, *arguments = words or ["help"]
    if name in ("help", "-h", "--help"):
        if not arguments:
            print(overview())
            return 0
        name, arguments = arguments[0], ["--help"]
    command = load(name)
    at_once = ends and getattr(command, "ends_at_once", False)
    if at_once:
        gc.disable()  # loaded modules stay, and each collection would search them
    try:
        args = command_parser(name, command).parse_args(arguments)
    except SystemExit:  # --help has printed, and its reader may be gone
        sys.stdout.flush()
        raise
    # Ended by a supervisor, by a closed terminal or by Ctrl-C: the same clean-up on the way out.
    for number in ending():
        signal.signal(number, _terminated)
    # A recording is read on any system.
    if getattr(os, "geteuid", lambda: 1)() == 0 and not why_root(command.group, args):
        give_up_root(observing=observes(args))
    if engine_files := getattr(args, "engine_files", []):
        from polltrace.engines import add_engines

        add_engines(engine_files)
    code = command.run(args)
    if at_once:
        _end(code)
    return code


def _end(code: int) -> None:
    """End the process unless something of it still runs. Python would take down its modules one by
    one, which takes a short command a tenth of its time."""
    import atexit
    import threading

    sys.stdout.flush()
    sys.stderr.flush()
    if threading.active_count() == 1:
        atexit._run_exitfuncs()
        os._exit(code)
