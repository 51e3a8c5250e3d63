# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import contextlib

from polltrace.commands.arguments import add_duration, duration
from polltrace.commands.output import add_json_argument, show
from polltrace.commands.progress_line import ProgressLine
from polltrace.commands.recorded import HELP, recording_path
from polltrace.commands.targets import add_server_argument, note_unmatched_chains, one_server
from polltrace.errors import NoSuchProcessError, UsageError
from polltrace.overhead.advice_report import session_advice_data, session_advice_text
from polltrace.overhead.client_check import advise_client_check
from polltrace.overhead.forecast import CancelLimits
from polltrace.overhead.lock_waits import LockWaits
from polltrace.overhead.measurements import SAMPLED_SECONDS, Durations, advise_session
from polltrace.overhead.session_advice import SessionAdvice
from polltrace.overhead.timing_periods import TIMER_CHECKS_TIMED_S
from polltrace.printable import note
from polltrace.recording.fold import read
from polltrace.recording.summary import summary
from polltrace.recording_report.sentences import torn
from polltrace.servers.activity import SessionActivity, activity_reader
from polltrace.servers.login import add_connect_arguments, login_of
from polltrace.servers.servers import Server


class Advise:
    """Show the cost of break polling to a session, and recommend a skip.

    Counts a dedicated server's break polls for two seconds, samples it on CPU for --duration,
    counts its checks (so that the skip in force is measured, not read from a file), and times the
    gaps between polls for a second. One estimate of the CPU share is polls times the cost per poll
    on this host, calibrated with nothing attached; the other is the share of samples. Where they
    agree, the result is their mean, weighted by their uncertainty. The report goes on with why the
    session is in-band, and the lowest skip that saves as much as the best, as far as the
    measurement can tell, with cancels within --max-cancel and --max-cancel-waiting. The latter is
    2 minutes unless it is given, and 15 for a session that does not wait for locks, by the database
    with --connect, else by samples of its waits. With a FILE it
    shows the same for the session in that recording that loses most, or for --pid's.

    For an engine without out-of-band breaks (PostgreSQL) it counts the checks for --duration, times
    the gaps between them, and shows the cost of each setting, and how soon it notices what the
    engine's checks reveal; --max-cancel then limits that.
    """

    group = "decide"
    examples = (
        (
            "-p 4711 --max-cancel 200ms",
            "the skip that saves most while a cancel takes 200 ms at most",
        ),
        ("demo", "the same from the recording that comes with polltrace"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_server_argument(parser, required=False)
        parser.add_argument(
            "file", nargs="?", type=recording_path, metavar="FILE", help=f"instead: {HELP}"
        )
        add_duration(
            parser,
            *("-d", "--duration"),
            default=f"{SAMPLED_SECONDS:g}s",
            help="how long to sample; longer, the calibration takes longer as well",
        )
        add_duration(
            parser,
            "--max-cancel",
            default="1s",
            help="the longest that a cancel may take while the session is on CPU",
        )
        parser.add_argument(
            "--max-cancel-waiting",
            type=duration,
            metavar="TIME",
            help="the longest that a cancel may take while the session waits, e.g. for a row lock "
            "(default: 2m, and 15m for a session that does not wait for locks)",
        )
        add_connect_arguments(parser)
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        session, lock_waits = None, None
        if args.file is not None:
            advice, lock_waits = _recorded(args)
        else:
            server = one_server(args.pid or [], "advise")
            note_unmatched_chains([server.pid])
            with contextlib.ExitStack() as ending:
                login = login_of(args.connect, args.password_fd)
                database = activity_reader(ending, server, login)
                advice, lock_waits = _measured(server, args.duration, database)
            session = database.session if database else None
        limits = _limits(args, lock_waits)
        show(
            args.json,
            lambda: session_advice_data(advice, limits, session),
            lambda: session_advice_text(advice, limits, session),
        )
        return 0


def _measured(
    server: Server, seconds: float, database: SessionActivity | None
) -> tuple[SessionAdvice, LockWaits | None]:
    """The advice, and whether the session waits for locks, where that matters to it."""
    if not server.engine.check_kind.is_break_poll:
        return advise_client_check(server, seconds, TIMER_CHECKS_TIMED_S), None
    # The names of system calls are python-ptrace's, which runs ldconfig when it is imported.
    from polltrace.latency.lock_wait_evidence import counted_lock_waits, watched_waits

    with watched_waits(server.pid) as watch, ProgressLine() as progress:
        advice = advise_session(server, Durations(sampled=seconds), progress)
    counted = counted_lock_waits(database.read()) if database else None
    return advice, counted or watch.lock_waits


def _limits(args: argparse.Namespace, lock_waits: LockWaits | None) -> CancelLimits:
    """The limits of the command line, else those that follow from the session's waits."""
    if args.max_cancel_waiting is not None:
        return CancelLimits(args.max_cancel, args.max_cancel_waiting)
    if lock_waits is None:
        return CancelLimits(args.max_cancel)
    return CancelLimits(args.max_cancel, lock_waits.limit_s, lock_waits)


def _recorded(args: argparse.Namespace) -> tuple[SessionAdvice, LockWaits | None]:
    """The advice for a session of a recording, and the evidence of its lock waits.

    Raises NoSuchProcessError for a session that is not in it.
    """
    if args.pid and len(args.pid) != 1:
        raise UsageError("advise takes one process: -p PID")
    recorded = summary(read(args.file))
    for line in torn(recorded):
        note(line)
    for session in recorded.sessions:
        if session.advice and (not args.pid or session.identity[0] == args.pid[0]):
            return session.advice, session.lock_waits
    which = f"process {args.pid[0]}" if args.pid else "a dedicated server"
    raise NoSuchProcessError(f"{which} is not in {args.file} ('polltrace report' lists them)")
