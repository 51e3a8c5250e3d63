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
from polltrace.printable import note
from polltrace.servers.login import add_connect_arguments, login_of


class Doctor:
    """Check this host's prerequisites, and suggest fixes.

    The verdict comes first, then the prerequisites that are not met, each with its fix.
    With -p, also check a process's program for symbols and frame pointers. Changes nothing.
    Exit code 0 when the default backend works, 1 otherwise.

    With --verify-oracle it checks polltrace's assumptions about Oracle's servers instead, on a
    database of this host: two sessions of its own read a table of a hundred rows, POLLTRACE_VERIFY,
    which it makes and drops. It shows which assumptions are confirmed and refuted, and writes
    a file to send to polltrace's authors, without names and data. Exit code 1 when one is refuted.
    """

    group = "host"
    examples = (
        ("", "check prerequisites and suggest fixes"),
        ("-p 4711", "check the program of a process as well"),
        ("--bundle kernel.tar.gz", "one file about this kernel, to be sent with a report"),
        (
            "--verify-oracle --connect scott@db1:1521/orcl",
            "check polltrace's assumptions on an Oracle database",
        ),
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
        oracle = parser.add_argument_group("assumptions about Oracle")
        oracle.add_argument(
            "--verify-oracle",
            action="store_true",
            help="check them on the database of --connect, whose user may create a table",
        )
        oracle.add_argument(
            "--out",
            type=Path,
            default=Path("polltrace-verify.json"),
            metavar="FILE",
            help="the file to send back, which must not exist (default: polltrace-verify.json)",
        )
        add_connect_arguments(oracle)

    def run(self, args: argparse.Namespace) -> int:
        if args.pid and len(args.pid) != 1:
            raise UsageError("one process at a time")
        if args.verify_oracle:
            return _verified(args)
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


def _verified(args: argparse.Namespace) -> int:
    # Here, because the other checks need none of it.
    from polltrace import __version__
    from polltrace.verify_oracle.assumptions import AssumptionVerdict, judge
    from polltrace.verify_oracle.observe import observe
    from polltrace.verify_oracle.report import (
        verification_data,
        verification_text,
        write_verification,
    )

    login = login_of(args.connect, args.password_fd)
    if login is None or login.views != "oracle" or not login.user:
        raise UsageError("--verify-oracle takes an Oracle database and a user: --connect USER@DSN")
    if args.pid:
        raise UsageError("--verify-oracle looks at sessions of its own, not at -p PID")
    if args.out.exists():
        raise UsageError(f"{args.out} exists: name another file by --out")
    seen = observe(login, lambda step: note(f"observing {step}"))
    judgements = judge(seen)
    data = verification_data(__version__, os.uname().release, seen, judgements)
    write_verification(args.out, data)
    show(args.json, lambda: data, lambda: verification_text(judgements))
    note(f"{args.out} has this report without names and data: please send it back")
    return int(any(item.verdict is AssumptionVerdict.REFUTED for item in judgements))
