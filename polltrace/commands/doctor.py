# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path

from polltrace.commands.arguments import pid_list
from polltrace.commands.output import add_json_argument, show
from polltrace.doctor.examine import examine
from polltrace.doctor.host import ExaminedHost, ThisHost
from polltrace.doctor.report import doctor_data, doctor_text
from polltrace.doctor.target import target
from polltrace.doctor.tools import probe_path
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
        ("--bundle kernel.tar.gz", "one file about this kernel, to be sent with a report"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "-p", "--pid", type=pid_list, action="extend", metavar="PID", help="this process too"
        )
        parser.add_argument(
            "--bundle",
            type=Path,
            metavar="FILE",
            help="write the kernel's configuration, type information and BPF settings there, and "
            "no name of a host, user or process, to be sent with a report on this kernel",
        )
        parser.add_argument(
            "-v", "--verbose", action="store_true", help="list the checks that are met as well"
        )
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        if args.pid and len(args.pid) != 1:
            raise UsageError("one process at a time")
        host = ThisHost()
        if args.bundle:
            return _bundle(args.bundle, host)
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


def _bundle(path: Path, host: ExaminedHost) -> int:
    # Few runs write one.
    from polltrace.doctor.bundle import write_bundle

    prerequisites, _ = examine(host)
    probe = probe_path()
    variants = host.output(probe, "--variants")[1] if probe else ""
    members = write_bundle(path, host, prerequisites, variants)
    listing = f"tar -xzf {shlex.quote(str(path))}"
    print(f"{path}: {', '.join(members)}. Look into it before you send it: {listing}")
    return os.EX_OK
