# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from pathlib import Path

from polltrace.backends.ebpf import AUTO
from polltrace.commands.arguments import (
    add_duration,
    add_ssh_arguments,
    byte_size,
    every,
    selected,
    stride,
)
from polltrace.commands.output import show
from polltrace.commands.targets import (
    add_target_arguments,
    note_attached,
    one_server,
    probe_targets,
    target_options,
    target_pids,
)
from polltrace.errors import UsageError
from polltrace.launch import HeldCommand
from polltrace.printable import note
from polltrace.recording.file import STDOUT
from polltrace.recording.recorder import Recorder, RecordingOptions
from polltrace.recording.remote import RemoteRecording
from polltrace.servers.database_sessions import why_not
from polltrace.servers.login import add_connect_arguments, login_of
from polltrace.watch.ssh import Ssh

DEFAULT_FILE = Path("recording.polltrace")
# The interval is so short that few calls of different statements share one.
_TRACED_INTERVAL_S = 0.05


class Record:
    """Record processes over time, for report, diff, advise and export.

    Counts every break poll, takes call stacks at polls and on CPU, with names, and measures the
    cost per poll on this host. Ends when --duration is over, every process has ended, or on Ctrl-C.
    With -n, --sid and --all it records processes that start later too. An existing recording is
    kept as FILE.old. With --ssh the polltrace of another host records there. A COMMAND is run and
    recorded with its children; the exit code is then the command's. The recording holds no client
    data, no SQL and no arguments of other programs.
    """

    group = "keep"
    examples = (
        ("--all -d 1h -o night.polltrace", "record every dedicated server for an hour"),
        ("-o batch.polltrace -- ./batch.sh", "record a command and all that it starts"),
        ("--ssh hrhost --sid HR -o hr.polltrace", "record an instance of another host"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "-o",
            "--output",
            type=Path,
            default=DEFAULT_FILE,
            metavar="FILE",
            help="write there, - is standard output (default: %(default)s)",
        )
        add_target_arguments(parser)
        add_duration(parser, "-d", "--duration", help="how long")
        add_duration(
            parser,
            *("-i", "--interval"),
            default="1s",
            help="between two frames, the most that a crash loses",
        )
        parser.add_argument(
            "--max-size",
            type=byte_size,
            default=byte_size("256M"),
            metavar="SIZE",
            help="go on in a new file at this size; FILE.1 is the one before (default: 256M)",
        )
        parser.add_argument(
            "--keep",
            type=every,
            default=4,
            metavar="N",
            help="keep N full files next to FILE (default: %(default)s)",
        )
        parser.add_argument(
            "--every",
            type=stride,
            default=AUTO,
            metavar="N",
            help="one stack in about N break polls; auto, the default, takes a bounded number a "
            "second from each process, however fast it polls",
        )
        parser.add_argument(
            "--hz",
            type=every,
            default=49,
            metavar="N",
            help="on-CPU samples a second and processor (default: %(default)s)",
        )
        parser.add_argument("--no-samples", action="store_true", help="no on-CPU samples")
        parser.add_argument(
            "--no-gaps",
            action="store_true",
            help="do not time the gaps between polls, nor count checks: a second after the start "
            "and every five minutes, of the 32 that poll most; it costs as much as their polls",
        )
        parser.add_argument(
            "--offcpu",
            action="store_true",
            help="follow context switches as well: the reasons of waits and their time, by "
            "stack, and sleeps for latches; with -n, --sid and --all of the processes "
            "that run when it begins; each switch of any process costs more then",
        )
        parser.add_argument(
            "--sqltrace",
            action="store_true",
            help="switch SQL trace on for the one session, by DBMS_MONITOR through --connect, off "
            "again at the end, and report the cost of each statement, with a frame every 50 ms",
        )
        parser.add_argument("--until-stdin-ends", action="store_true", help=argparse.SUPPRESS)
        add_connect_arguments(parser)
        parser.add_argument("--json", action="store_true", help="the report of --sqltrace as data")
        add_ssh_arguments(
            parser,
            "polltrace",
            "--polltrace",
            "record that host, with the polltrace there; the file is written here, without "
            "--max-size",
        )
        parser.add_argument("command", nargs="*", metavar="-- COMMAND", help="watch a new process")

    def run(self, args: argparse.Namespace) -> int:
        if args.ssh:
            return _record_there(args)
        if args.until_stdin_ends:
            _end_with_stdin()
        if args.output == STDOUT and (sys.stdout.isatty() or args.sqltrace or args.command):
            raise UsageError("-o - writes a recording alone, and not to a terminal")
        if args.sqltrace:
            return _record_statements(args)
        if args.json:
            raise UsageError("--json is for the report of --sqltrace; a recording: report --json")
        if not args.command:
            _record(args, probe_targets(args), switches=_followed(args))
            return 0
        if selected(args):
            raise UsageError("record either a COMMAND or running processes, not both")
        with HeldCommand(args.command) as command:
            target = ["-p", str(command.pid), "-f"]
            _record(args, target, command, switches=target if args.offcpu else [])
            return command.wait()


def _followed(args: argparse.Namespace) -> list[str]:
    """The probe's options for the processes whose context switches are followed."""
    if not args.offcpu:
        return []
    skip_ended = [] if args.pid else ["--skip-ended"]
    return ["-p", ",".join(map(str, target_pids(args))), *skip_ended]


def _record_there(args: argparse.Namespace) -> int:
    """Record the host of --ssh."""
    if args.command or args.sqltrace or args.json:
        raise UsageError("--ssh records running processes: no COMMAND, --sqltrace or --json")
    if args.engine_files:
        raise UsageError("--engine names a file of this host: put it where polltrace is there")
    if args.output == STDOUT:
        raise UsageError("--ssh writes a file: name one with -o FILE")
    options = [*target_options(args), "-i", f"{args.interval:f}", "--every", str(args.every)]
    options += ["-d", f"{args.duration:f}"] if args.duration is not None else []
    options += ["--no-samples"] if args.no_samples else ["--hz", str(args.hz)]
    options += ["--no-gaps"] if args.no_gaps else []
    options += ["--offcpu"] if args.offcpu else []
    with Ssh(args.ssh) as ssh:
        remote = RemoteRecording(ssh, args.polltrace, options, args.output, sudo=args.sudo)
        code = remote.run()
    if code == 0:
        note(f"{args.output}: 'polltrace report {args.output}' shows it")
    return code


def _end_with_stdin() -> None:
    """Interrupt this process when stdin ends, so that the polltrace that started it through ssh can
    end it even by being killed.
    """

    def wait() -> None:
        os.read(0, 1)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=wait, daemon=True).start()


def _record_statements(args: argparse.Namespace) -> int:
    """Record one session, and print the cost of each of its statements."""
    from polltrace.statements.recorded_session import recorded_session
    from polltrace.statements.text import statements_data, statements_text

    if args.command:
        raise UsageError("--sqltrace traces a session of the database, no COMMAND")
    server = one_server(target_pids(args), "record --sqltrace")
    if not server.engine.sql_trace:
        raise UsageError(
            f"process {server.pid} is a server of {server.engine.name}, which has no extended SQL "
            "trace: record without --sqltrace"
        )
    args.interval = min(args.interval, _TRACED_INTERVAL_S)
    login = login_of(args.connect, args.password_fd)
    if login is not None and (missing := why_not(login, server)):
        raise UsageError(missing)
    with recorded_session(login, [server.pid]) as session:
        began_s = _record(args, ["-p", str(server.pid)], switches=_followed(args))
    joined = session.joined(args.output, began_s)
    show(args.json, lambda: statements_data(joined), lambda: statements_text(joined))
    return 0


def _record(
    args: argparse.Namespace,
    targets: list[str],
    command: HeldCommand | None = None,
    *,
    switches: list[str],
) -> float:
    """Record; return the start of the recording, in seconds of CLOCK_MONOTONIC."""
    options = RecordingOptions(
        path=args.output,
        targets=tuple(targets),
        command=("polltrace", *sys.argv[1:]),
        duration_s=args.duration,
        interval_s=args.interval,
        max_bytes=args.max_size,
        keep=args.keep,
        stack_every=args.every,
        sample_hz=0 if args.no_samples else args.hz,
        gaps=not args.no_gaps,
        switches=tuple(switches),
    )

    def attached() -> None:
        if command:
            command.go()
        else:
            note_attached(args.duration, args.pid)

    recorder = Recorder(options)
    quality = recorder.run(attached)
    if recorder.calibration_failure:
        note(f"the cost per poll was not measured: {recorder.calibration_failure}")
    if args.output != STDOUT:
        note(f"{args.output}: {quality.at_s:.1f} s; 'polltrace report {args.output}' shows it")
    assert recorder.began_s is not None
    return recorder.began_s
