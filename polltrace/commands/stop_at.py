# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse

from polltrace import procfs
from polltrace.commands.arguments import add_duration, pid_list
from polltrace.commands.output import add_json_argument, show
from polltrace.engines import engine_of
from polltrace.errors import UsageError
from polltrace.stacks import AddressSpace, Frame, ProcessError, Symbolizer
from polltrace.stacks.errors import UnansweredError
from polltrace.stacks.reading_process import read_within
from polltrace.stop_at.capture import Refused, StackCopy, StopCondition
from polltrace.stop_at.checked_calls import call_names
from polltrace.stop_at.guard import stop_at
from polltrace.stop_at.objects import FrameRules
from polltrace.stop_at.refusals import check_before, error_of
from polltrace.stop_at.report import stop_data, stop_text
from polltrace.stop_at.syscalls import NUMBERS
from polltrace.stop_at.tracing import Limits
from polltrace.stop_at.unwind import UnwoundStack, walk

LONGEST_STOP_S = 10.0
# Seconds to read the files by which a copied stack is unwound.
UNWINDING_PATIENCE_S = 10.0


class StopAt:
    """Print the stack of a process at its next break poll.

    As pstack prints it, but exactly at the poll. Until then the process stops for some 100 us at
    each of its system calls; at the poll, for about a millisecond. A sleeping process is not woken.
    The process runs on whatever happens to polltrace, kill -9 included. Exit code 1: no such call
    within --duration. Which calls are break polls depends on the process's engine.
    """

    group = "observe"
    examples = (
        ("poll -p 4711", "the stack at the next break poll"),
        ("-p 4711 --syscall pread64 -d 1m", "the stack at the next pread64, awaited for a minute"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("what", nargs="?", choices=["poll"], default="poll", help="break polls")
        parser.add_argument(
            "-p", "--pid", type=pid_list, action="extend", required=True, metavar="PID"
        )
        parser.add_argument(
            "--syscall", metavar="NAME", help="stop at this call instead, whatever its arguments"
        )
        add_duration(
            parser, "-d", "--duration", default="10s", help="how long to wait for the call"
        )
        add_duration(
            parser,
            "--longest-stop",
            default="50ms",
            help="let go of a process that is stopped longer than this; at most 10s",
        )
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        if len(args.pid) != 1:
            raise UsageError("one process at a time")
        if args.longest_stop > LONGEST_STOP_S:
            raise UsageError(f"--longest-stop is at most {LONGEST_STOP_S:g}s")
        (pid,) = args.pid
        if args.syscall is not None and args.syscall not in NUMBERS:
            raise UsageError(f"{args.syscall!r} is no system call of x86-64")
        call = f"a call of {args.syscall}" if args.syscall else "a break poll"
        recognised = engine_of(procfs.executable(pid), procfs.title(pid))
        names = (
            [args.syscall] if args.syscall else call_names(recognised[0] if recognised else None)
        )
        conditions = StopCondition(frozenset(NUMBERS[name] for name in names), not args.syscall)
        check_before(pid)
        outcome = stop_at(pid, conditions, Limits(args.duration, args.longest_stop))
        if isinstance(outcome, Refused):
            raise error_of(pid, outcome, args.duration, call)
        # It runs again: from here on we may take our time.
        title = procfs.title(pid)
        try:
            stack = read_within(lambda: _unwound(pid, outcome.copy), UNWINDING_PATIENCE_S)
            frames = Symbolizer().user(pid, stack.addresses)
        except (ProcessError, UnansweredError):  # it ended, or does not answer: addresses remain
            stack = walk(outcome.copy, lambda _: None, bool)
            frames = tuple(Frame("[ended]", "", 0, address) for address in stack.addresses)
        show(
            args.json,
            lambda: stop_data(pid, title, outcome, stack, frames),
            lambda: stop_text(pid, title, outcome, stack, frames),
        )
        return 0


def _unwound(pid: int, copy: StackCopy) -> UnwoundStack:
    rules = FrameRules(AddressSpace.of(pid))
    return walk(copy, rules.at, rules.is_code)
