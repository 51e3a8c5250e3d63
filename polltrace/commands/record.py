# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import sys
from pathlib import Path

from polltrace.backends.ebpf import AUTO
from polltrace.commands.arguments import byte_size, every, seconds, stride
from polltrace.commands.targets import (
    add_target_arguments,
    probe_targets,
    say_attached,
)
from polltrace.errors import UsageError
from polltrace.launch import HeldCommand
from polltrace.recording.recorder import Recorder, Wanted

DEFAULT_FILE = Path("recording.polltrace")


class Record:
    """Record what processes do, for 'polltrace report' and others to show later, anywhere.

    Counts every break poll, takes call stacks at polls and on CPU, with names, and measures what
    a poll costs here. Goes on until --duration is over, every process has ended, or Ctrl-C. With
    -n, --sid and --all processes that come later are recorded too. A recording that is there
    already is kept as FILE.old. A COMMAND is run and watched with what it forks; the exit code is
    then the command's. No data of any client, no SQL and no arguments of other programs get in.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "-o",
            "--output",
            type=Path,
            default=DEFAULT_FILE,
            metavar="FILE",
            help="write there (default: %(default)s)",
        )
        add_target_arguments(parser)
        parser.add_argument(
            "-d", "--duration", type=seconds, metavar="SECONDS", help="how long (default: Ctrl-C)"
        )
        parser.add_argument(
            "-i",
            "--interval",
            type=seconds,
            default=1.0,
            metavar="SECONDS",
            help="between two frames; what a crash may cost (default: %(default)g)",
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
            help="keep so many full files beside FILE (default: %(default)s)",
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
            help="do not time the gaps between polls: a second after the start and every five "
            "minutes, of the 32 that poll most; it costs as much as their polls",
        )
        parser.add_argument("command", nargs="*", metavar="-- COMMAND", help="watch a new process")

    def run(self, args: argparse.Namespace) -> int:
        if not args.command:
            _record(args, probe_targets(args))
            return 0
        if args.pid or args.name or args.sid or args.all:
            raise UsageError("record either a COMMAND or running processes, not both")
        with HeldCommand(args.command) as command:
            _record(args, ["-p", str(command.pid), "-f"], command)
            return command.wait()


def _record(
    args: argparse.Namespace, targets: list[str], command: HeldCommand | None = None
) -> None:
    wanted = Wanted(
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
    )

    def attached() -> None:
        if command:
            command.go()
        else:
            say_attached(args.duration)

    recorder = Recorder(wanted)
    quality = recorder.run(attached)
    if recorder.why_no_price:
        print(
            f"polltrace: what a poll costs was not measured: {recorder.why_no_price}",
            file=sys.stderr,
        )
    print(
        f"polltrace: {args.output}: {quality.at_s:.1f} s; "
        f"'polltrace report {args.output}' shows it",
        file=sys.stderr,
    )
