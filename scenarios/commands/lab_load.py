# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace lab load`, in the foreground or in a process of its own."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Callable, Sequence

from polltrace.errors import DriverError
from polltrace.scenarios.report.lab import load_data, load_text
from polltrace.scenarios.run.busy_sessions import BusySession, busy_sessions, wait
from polltrace.scenarios.run.servers import background_lab
from polltrace.scenarios.run.servers.oralab import Oralab

Print = Callable[[str], None]


def load(args: argparse.Namespace) -> int:
    """Keep the sessions busy; returns at once with --background. Raises LabError, DriverError."""
    if not args.background:
        return _load(args, lambda text: print(text, flush=True))
    reader, writer = os.pipe()
    if child := os.fork():
        os.close(writer)
        with open(reader, encoding="utf-8") as ready:
            text = ready.read()
        if text:
            print(text)
            return 0
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(reader)
    return _load(args, _detached(writer))


def _detached(writer: int) -> Print:
    """Leave the terminal; output goes to `writer`, and earlier errors to stderr."""
    os.setsid()
    # A client's stderr is ours, and who reads our output waits until all have closed it.
    errors = os.dup(2)
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    sys.stderr = open(errors, "w", encoding="utf-8")  # noqa: SIM115 - until the sessions are busy

    def ready(text: str) -> None:
        with open(writer, "w", encoding="utf-8") as file:
            file.write(text)
        sys.stderr.close()
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until we end

    return ready


def _load(args: argparse.Namespace, ready: Print) -> int:
    with contextlib.ExitStack() as stack:
        lab = background_lab.status(args.name)
        if lab is None:
            lab = background_lab.start(
                args.port,
                break_poll_skip=args.skip,
                disable_oob=args.disable_oob,
                name=args.name,
            )
            stack.callback(_stop, lab)
        sessions = stack.enter_context(busy_sessions(lab))
        text = _report(args, sessions)
        if (
            not wait(sessions, args.duration, lambda: ready(text))
            and background_lab.status(lab.name) == lab
        ):
            raise DriverError("a session has ended before its time; 'polltrace ps' shows the other")
    return 0


def _stop(lab: Oralab) -> None:
    # 'polltrace lab stop' may have ended it, and 'lab start' begun another.
    if background_lab.status(lab.name) == lab:
        background_lab.stop(lab.name)


def _report(args: argparse.Namespace, sessions: Sequence[BusySession]) -> str:
    if args.json:
        return json.dumps(load_data(sessions))
    if args.pid_only:
        return str(next(session.pid for session in sessions if session.disable_oob))
    until = "'polltrace lab stop'" if args.background else "Ctrl-C"
    return load_text(sessions, f"{args.duration:g} s are over" if args.duration else until)
