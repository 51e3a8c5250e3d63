# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import contextlib
import os
import sys
from pathlib import Path

from polltrace.commands.arguments import add_duration, add_ssh_arguments, every
from polltrace.errors import UsageError
from polltrace.servers.login import add_connect_arguments, login_of
from polltrace.top.columns import SORTS
from polltrace.top.state import UIState
from polltrace.watch.identities import Identities
from polltrace.watch.probe_host import LOCAL_HOST, ProbeHost, WatchOptions


class Top:
    """Show dedicated servers live, by the CPU lost to break polls.

    One probe counts break polls in short windows; the cost per poll is measured on this host while
    nothing is attached to the measured process. Enter opens a server: why it is in-band, its
    stacks, the forecast for each setting. There c copies the change to make. R records a server,
    until it is pressed again or top ends. F1 shows the keys. Where stdin or stdout is no terminal,
    top prints as with --batch.
    """

    group = "observe"
    examples = (
        ("", "all dedicated servers live; F1 shows the keys"),
        ("-b -n 5 -d 2s", "print five screens, two seconds apart"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "file",
            nargs="?",
            metavar="FILE",
            help="play this recording; 'demo' is the one that comes with polltrace",
        )
        add_duration(parser, "-d", "--delay", default="1s", help="between two screens")
        parser.add_argument("-b", "--batch", action="store_true", help="print, without keys")
        parser.add_argument(
            "-n", "--iterations", type=every, metavar="N", help="print N times, then end (-b)"
        )
        parser.add_argument("--json", action="store_true", help="print an object a line (-b)")
        parser.add_argument("--sort", choices=list(SORTS), default="lost", help="default: lost")
        parser.add_argument(
            "--filter",
            default="",
            metavar="TEXT",
            help="only servers with this in PID, instance, client, break mode or engine",
        )

        parser.add_argument(
            "--no-gaps",
            dest="gaps",
            action="store_false",
            help="do not time the gaps between polls: 0.2 s in every 15, of the 32 that poll most; "
            "meanwhile it costs as much as their polls",
        )
        add_connect_arguments(parser)
        add_ssh_arguments(
            parser,
            "polltrace-probe",
            "--probe",
            "run polltrace-probe there, by ssh; nothing else is needed there",
        )

    def run(self, args: argparse.Namespace) -> int:
        with contextlib.ExitStack() as ending:
            if args.file and args.ssh:
                raise UsageError("a recording is on this host: FILE or --ssh, not both")
            probe_host: ProbeHost = LOCAL_HOST
            if args.ssh:
                from polltrace.watch.ssh import Ssh
                from polltrace.watch.ssh_host import SshHost

                ssh = ending.enter_context(Ssh(args.ssh))
                probe_host = SshHost(ssh, args.probe, sudo=args.sudo)
            self._run(args, probe_host)
        return 0

    def _run(self, args: argparse.Namespace, probe_host: ProbeHost) -> None:
        # A recording holds no session names, and must not need a database.
        login = None if args.file else login_of(args.connect, args.password_fd)
        state = UIState(sort=args.sort, filter=args.filter)
        recording = [f"--engine={file}" for file in args.engine_files]
        watch = WatchOptions(args.delay, probe_host, args.gaps, Identities(login), recording)
        at_terminal = (
            sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        )
        if args.batch or args.json or args.iterations or not at_terminal:
            from polltrace.top.batch import batch, batch_replay

            with contextlib.suppress(KeyboardInterrupt):
                if args.file:
                    batch_replay(state, _recording(args.file), args.iterations, as_json=args.json)
                else:
                    batch(state, watch, args.iterations, as_json=args.json)
        elif args.file:
            from polltrace.top.replay import Replay

            Replay(state, _recording(args.file)).run()
        else:
            from polltrace.top.live import Live

            Live(state, watch).run()


def _recording(text: str) -> Path:
    # Reading recordings takes libraries that watching does not.
    from polltrace.commands.recorded import recording_path

    return recording_path(text)
