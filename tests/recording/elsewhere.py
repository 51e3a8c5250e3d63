# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a polltrace verb as a machine would that is not Linux: python elsewhere.py VERB ARGS.

Without the modules that only Unix has, without what Linux alone has in others, without /proc, and
without ever starting a program.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
from importlib.abc import MetaPathFinder
from typing import Any, NoReturn

UNIX_ONLY = {"fcntl", "termios", "tty", "pty", "pwd", "grp", "resource", "curses", "syslog"}


class NotHere(MetaPathFinder):
    def find_spec(self, fullname: str, *_others: Any) -> None:
        if fullname in UNIX_ONLY:
            raise ModuleNotFoundError(f"no module {fullname} on this machine", name=fullname)


def refuse(*_arguments: Any, **_options: Any) -> NoReturn:
    raise AssertionError("there is no such thing on this machine")


def no_proc(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and str(arguments[0]).startswith(("/proc", "/sys")):
        refuse()
    if event in ("subprocess.Popen", "os.fork", "os.exec"):
        refuse()


if __name__ == "__main__":
    for name in UNIX_ONLY:
        sys.modules.pop(name, None)
    for where, names in (
        (os, ("pidfd_open", "geteuid", "getuid", "fork", "pipe2", "sched_getaffinity", "EX_OK")),
        (signal, ("SIGURG", "SIGHUP", "SIGQUIT", "SIGTSTP", "SIGCONT", "SIGWINCH", "SIGPIPE")),
        (socket, ("AF_UNIX",)),
    ):
        for name in names:
            if hasattr(where, name):
                delattr(where, name)
    ctypes.CDLL = refuse  # type: ignore[assignment, misc]
    subprocess.Popen = refuse  # type: ignore[assignment, misc]
    sys.meta_path.insert(0, NotHere())
    from polltrace.cli import main

    sys.addaudithook(no_proc)
    sys.exit(main(sys.argv[1:]))
