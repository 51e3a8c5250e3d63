# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import os

from polltrace.commands.arguments import pid_list
from polltrace.commands.output import add_json_argument, show
from polltrace.doctor.examine import examine
from polltrace.doctor.host import ThisHost
from polltrace.doctor.report import doctor_data, doctor_text
from polltrace.doctor.target import target
from polltrace.errors import UsageError


class Doctor:
    """Check this host's prerequisites, and suggest fixes.

    The verdict comes first, then the prerequisites that are not met, each with its fix.
    With -p, also check a process's program for symbols and frame pointers. Changes nothing.
    Exit code 0 when the default backend works, 1 otherwise.
    """

    group = "host"
    examples = (
        ("", "check prerequisites and suggest fixes"),
        ("-p 4711", "check the program of a process as well"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "-p", "--pid", type=pid_list, action="extend", metavar="PID", help="this process too"
        )
        parser.add_argument(
            "-v", "--verbose", action="store_true", help="list the checks that are met as well"
        )
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        if args.pid and len(args.pid) != 1:
            raise UsageError("one process at a time")
        host = ThisHost()
        prerequisites, works = examine(host)
        for pid in args.pid or ():
            executable = host.link(f"/proc/{pid}/exe")
            prerequisites += target(pid, executable.removesuffix(" (deleted)"))
        show(
            args.json,
            lambda: doctor_data(prerequisites, works),
            lambda: doctor_text(prerequisites, works, verbose=args.verbose),
        )
        return os.EX_OK if works else 1
