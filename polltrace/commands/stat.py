# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import signal
import sys
from types import FrameType

from polltrace.commands.arguments import pid_list, seconds
from polltrace.ebpf import EbpfProbe
from polltrace.profile import Profile
from polltrace.stat_report import stat_data, stat_table


class Stat:
    """Count the break polls, other polls and system calls of running processes.

    Attaches to any process, without stopping it, and counts until --duration is over, every
    process has ended, or Ctrl-C. A break poll is a poll of one connected socket with timeout 0.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "-p",
            "--pid",
            type=pid_list,
            action="extend",
            required=True,
            metavar="PID[,PID…]",
            help="process to watch; may be given more than once",
        )
        parser.add_argument(
            "-d", "--duration", type=seconds, metavar="SECONDS", help="how long (default: Ctrl-C)"
        )
        parser.add_argument("--json", action="store_true", help="the same as data")

    def run(self, args: argparse.Namespace) -> int:
        profile = _watch(args.pid, args.duration)
        if args.json:
            json.dump(stat_data(profile), sys.stdout, indent=2)
            print()
        else:
            print(stat_table(profile))
        for pid, start_ticks in sorted(profile.ended):
            process = profile.processes[pid, start_ticks]
            print(f"polltrace: process {pid} ({process.comm}) ended meanwhile", file=sys.stderr)
        return 0


def _watch(pids: list[int], duration_s: float | None) -> Profile:
    with EbpfProbe(pids, duration_s=duration_s, syscalls=True) as probe:
        until = "Ctrl-C" if duration_s is None else f"{duration_s:g} s or Ctrl-C"
        print(f"polltrace: attached; counting until {until}", file=sys.stderr, flush=True)

        def detach(_number: int, _frame: FrameType | None) -> None:
            probe.detach()

        # Ctrl-C is the usual end, not an accident: the probe's last frame is still to come.
        before = {
            number: signal.signal(number, detach) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            return probe.profile()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
