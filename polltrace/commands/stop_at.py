# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys

from polltrace import procfs
from polltrace.commands.arguments import pid_list, seconds
from polltrace.errors import UsageError
from polltrace.stop_at.capture import Refused, Wanted
from polltrace.stop_at.guard import Watch, stop_at
from polltrace.stop_at.objects import FrameRules
from polltrace.stop_at.refusals import check_before, error_of
from polltrace.stop_at.report import stop_data, stop_text
from polltrace.stop_at.syscalls import NUMBERS
from polltrace.stop_at.unwind import walk
from stacks import AddressSpace, Frame, ProcessError, Symbolizer

LONGEST_STOP_MS = 50.0


class StopAt:
    """Stop a process at its next break poll, print its stack, let it run on.

    What pstack would show, taken exactly at the poll. Until then the process stops for some 100 us
    at each of its system calls; at the poll, for about a millisecond. A sleeping process is not
    woken: it is waited for. Whatever happens to polltrace, kill -9 included, the process runs on.
    Exit code 1: no such call in the time.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("what", nargs="?", choices=["poll"], default="poll", help="break polls")
        parser.add_argument(
            "-p", "--pid", type=pid_list, action="extend", required=True, metavar="PID"
        )
        parser.add_argument(
            "--syscall", metavar="NAME", help="stop at this call instead, whatever its arguments"
        )
        parser.add_argument(
            "-d", "--duration", type=seconds, default=10.0, metavar="SECONDS", help="default: 10"
        )
        parser.add_argument(
            "--longest-stop",
            type=seconds,
            default=LONGEST_STOP_MS,
            metavar="MS",
            help="let go of a process that is stopped longer than this (default: %(default)g)",
        )
        parser.add_argument("--json", action="store_true", help="the same as data")

    def run(self, args: argparse.Namespace) -> int:
        if len(args.pid) != 1:
            raise UsageError("one process at a time")
        (pid,) = args.pid
        if args.syscall is not None and args.syscall not in NUMBERS:
            raise UsageError(f"{args.syscall!r} is no system call of x86-64")
        call = f"a call of {args.syscall}" if args.syscall else "a break poll"
        names = [args.syscall] if args.syscall else ["poll", "ppoll"]
        wanted = Wanted(frozenset(NUMBERS[name] for name in names), not args.syscall)
        check_before(pid)
        outcome = stop_at(pid, wanted, Watch(args.duration, args.longest_stop / 1000))
        if isinstance(outcome, Refused):
            raise error_of(pid, outcome, args.duration, call)
        # It runs again: from here on we may take our time.
        title = procfs.title(pid)
        try:
            rules = FrameRules(AddressSpace.of(pid))
            found = walk(outcome, rules.at, rules.is_code)
            frames = Symbolizer().user(pid, found.addresses)
        except ProcessError:  # it ended meanwhile: addresses are what is left
            found = walk(outcome, lambda _: None, bool)
            frames = tuple(Frame("[ended]", "", 0, address) for address in found.addresses)
        if args.json:
            json.dump(stop_data(pid, title, outcome, found, frames), sys.stdout, indent=2)
            print()
        else:
            print(stop_text(pid, title, outcome, found, frames))
        return 0
