# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from polltrace.commands.arguments import seconds
from polltrace.commands.targets import add_target_arguments, say_attached, target_pids
from polltrace.ebpf import EbpfProbe, Look
from polltrace.errors import UsageError
from polltrace.launch import HeldCommand
from polltrace.profile import Profile
from polltrace.stat_report import stat_data, stat_table


class Stat:
    """Count the break polls, other polls and system calls of running processes.

    Attaches to any process, without stopping it, and counts until --duration is over, every
    process has ended, or Ctrl-C. A break poll is a poll of one connected socket with timeout 0.
    With a COMMAND, runs it and watches it and what it forks; the exit code is then the command's.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_target_arguments(parser)
        parser.add_argument(
            "-d", "--duration", type=seconds, metavar="SECONDS", help="how long (default: Ctrl-C)"
        )
        parser.add_argument("--json", action="store_true", help="the same as data")
        parser.add_argument("command", nargs="*", metavar="-- COMMAND", help="watch a new process")

    def run(self, args: argparse.Namespace) -> int:
        code = 0
        if args.command:
            if args.pid or args.name or args.sid or args.all:
                raise UsageError("watch either a COMMAND or running processes, not both")
            with HeldCommand(args.command) as command:
                profile = _watch([command.pid], args.duration, command)
                code = command.wait()
        else:
            profile = _watch(target_pids(args), args.duration)
        if args.json:
            json.dump(stat_data(profile), sys.stdout, indent=2)
            print()
        else:
            print(stat_table(profile))
        if not args.command:
            for pid, start_ticks in sorted(profile.ended):
                process = profile.processes[pid, start_ticks]
                print(f"polltrace: process {pid} ({process.comm}) ended meanwhile", file=sys.stderr)
        return code


def _watch(
    pids: Sequence[int], duration_s: float | None, command: HeldCommand | None = None
) -> Profile:
    look = Look(duration_s=duration_s, syscalls=True, follow=command is not None)
    with EbpfProbe(pids, look) as probe, probe.until_interrupted():
        if command:
            command.go()
        else:
            say_attached(duration_s)
        return probe.profile()
