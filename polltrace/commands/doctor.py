# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import os
import sys

from polltrace.commands.arguments import pid_list
from polltrace.doctor.examine import examine
from polltrace.doctor.host import ThisHost
from polltrace.doctor.report import doctor_data, doctor_text
from polltrace.doctor.target import target
from polltrace.errors import UsageError


class Doctor:
    """Say what works on this host, and the exact command that mends what does not.

    With -p, also what a process's program offers: symbols, frame pointers. Changes nothing.
    Exit code 0 when the default backend works, 1 otherwise.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "-p", "--pid", type=pid_list, action="extend", metavar="PID", help="this process too"
        )
        parser.add_argument("--json", action="store_true", help="the same as data")

    def run(self, args: argparse.Namespace) -> int:
        if args.pid and len(args.pid) != 1:
            raise UsageError("one process at a time")
        host = ThisHost()
        findings, works = examine(host)
        for pid in args.pid or ():
            executable = host.link(f"/proc/{pid}/exe")
            findings += target(pid, executable.removesuffix(" (deleted)"))
        if args.json:
            json.dump(doctor_data(findings, works), sys.stdout, indent=2)
            print()
        else:
            print(doctor_text(findings, works))
        return os.EX_OK if works else 1
