# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from polltrace.backends.backend import Backend
from polltrace.backends.bcc_backend import BccProbe
from polltrace.backends.choice import BACKENDS, PTRACE_WARNING, choose
from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.backends.syscall_trace_file import read_trace
from polltrace.backends.trace_evidence import TraceEvidence
from polltrace.backends.trace_evidence_report import trace_evidence_data, trace_evidence_text
from polltrace.commands.arguments import add_duration, selected
from polltrace.commands.output import add_json_argument, show
from polltrace.commands.targets import (
    add_target_arguments,
    note_attached,
    target_pids,
)
from polltrace.errors import HostError, UsageError
from polltrace.interrupts import detaching
from polltrace.launch import HeldCommand
from polltrace.printable import note
from polltrace.profiles.profile import Profile
from polltrace.profiles.stat_report import stat_data, stat_text
from polltrace.servers.servers import servers

_TOOLS = ("strace", "truss")


class Stat:
    """Count break polls, other polls and system calls of processes.

    Attaches to running processes without stopping them, and counts until --duration is over, every
    process has ended, or Ctrl-C. A break poll is a poll of one connected socket with timeout 0,
    or another call by which the process's engine checks (docs/reference/engines.md). A COMMAND is
    run and counted with its children; the exit code is then the command's. With --from-strace or
    --from-truss it evaluates a trace from a host where polltrace cannot run. With --latches it
    measures instead where all the time of database servers goes, and how long they spin and sleep
    for latches. With --cross-check it also counts one process by perf stat, bpftrace, syscount and
    offcputime, as far as this host has them, and compares; the exit code is 1 where they differ, 4
    where no other tool could count.
    """

    group = "observe"
    examples = (
        ("-p 4711 -d 10s", "count the calls of one process for ten seconds"),
        ("-p 4711 --latches -d 10s", "what a session spins and sleeps for latches"),
        ("-p 4711 --cross-check", "count with other tools at the same time, and compare"),
        ("--from-strace trace.txt", "evaluate what strace wrote on another host"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_target_arguments(parser)
        add_duration(parser, "-d", "--duration", help="how long")
        parser.add_argument(
            "--latches",
            action="store_true",
            help="CPU time spun and time slept by the path to the latch, next to all other CPU "
            "time, waits and run queue",
        )
        parser.add_argument(
            "--cross-check",
            action="store_true",
            help="count one process by every other tool of this host at the same time, and compare "
            "(as root; 10 s where -d does not say)",
        )
        files = parser.add_argument_group("or what strace or truss wrote, -c or the calls")
        for tool in _TOOLS:
            files.add_argument(f"--from-{tool}", type=Path, metavar="FILE")
        parser.add_argument(
            "--backend",
            choices=[*BACKENDS, "auto"],
            default="ebpf",
            help="bcc needs the kernel's headers but no type information; ptrace stops a "
            "process at each system call, which takes some 100 us longer; auto takes ebpf "
            "or bcc, whichever works (default: ebpf)",
        )
        add_json_argument(parser)
        parser.add_argument("command", nargs="*", metavar="-- COMMAND", help="watch a new process")

    def run(self, args: argparse.Namespace) -> int:
        if args.latches:
            return _of_latches(args)
        if args.cross_check:
            return _cross_checked(args)
        files = [(tool, args.__dict__[f"from_{tool}"]) for tool in _TOOLS]
        if any(path for _, path in files):
            return _from_file(args, [(tool, path) for tool, path in files if path])
        choice = choose(args.backend)
        if args.backend != "ebpf":
            note(str(choice))
        if choice.backend != "ebpf" and not args.command:
            _refuse_other_calls(choice.backend, target_pids(args))
        if choice.backend == "ptrace":
            return _by_ptrace(args)

        def backend(pids: Sequence[int], options: ProbeOptions) -> Backend:
            return BccProbe(pids, options) if choice.backend == "bcc" else EbpfProbe(pids, options)

        code = 0
        if args.command:
            if selected(args):
                raise UsageError("watch either a COMMAND or running processes, not both")
            with HeldCommand(args.command) as command:
                options = ProbeOptions(args.duration, syscalls=True, follow=True)
                profile = _watch(backend([command.pid], options), options, command=command)
                code = command.wait()
        else:
            options = ProbeOptions(args.duration, syscalls=True, skip_ended=not args.pid)
            pids = target_pids(args)
            profile = _watch(backend(pids, options), options, pids)
        show(args.json, lambda: stat_data(profile), lambda: stat_text(profile))
        if not args.command:
            for pid, start_ticks in sorted(profile.ended):
                process = profile.processes[pid, start_ticks]
                note(f"process {pid} ({process.comm}) ended meanwhile")
        return code


def _of_latches(args: argparse.Namespace) -> int:
    if args.command or args.from_strace or args.from_truss or args.backend != "ebpf":
        raise UsageError("--latches is of running servers, by the ebpf backend")
    # Here, because it takes names, and most counting does not.
    from polltrace.commands.latch_stat import latch_stat

    latch_stat(args)
    return 0


def _cross_checked(args: argparse.Namespace) -> int:
    if args.command or args.from_strace or args.from_truss or args.backend != "ebpf":
        raise UsageError("--cross-check is of one running process, by the ebpf backend")
    pids = target_pids(args)
    if len(pids) != 1:
        raise UsageError(f"--cross-check takes one process, not {len(pids)}")
    # Here, because most counting needs none of it.
    from polltrace.cross_check.report import cross_check_data, cross_check_text
    from polltrace.cross_check.run import cross_check

    duration_s = args.duration or 10.0
    stop = threading.Event()
    with detaching(stop.set):
        check = cross_check(pids[0], duration_s, stop, lambda: note_attached(duration_s))
    show(args.json, lambda: cross_check_data(check), lambda: cross_check_text(check))
    if not check.checks:
        return HostError.exit_code
    return 1 if check.differs else os.EX_OK


def _refuse_other_calls(backend: str, pids: Sequence[int]) -> None:
    """Raises UsageError for a server whose checks this backend would count as none."""
    for server in servers(pids):
        if server.engine.calls != ("poll",):
            raise UsageError(
                f"the {backend} backend knows checks by poll alone, but process {server.pid} "
                f"({server.engine.name}) may check by {' or '.join(server.engine.calls)}: "
                "use --backend ebpf"
            )


def _by_ptrace(args: argparse.Namespace) -> int:
    if args.command:
        raise UsageError("the ptrace backend watches running processes only: use -p PID")
    # Here, because few need it, and it takes a tenth of a second to load.
    from polltrace.backends.ptrace_probe import PtraceProbe

    note(PTRACE_WARNING)
    with PtraceProbe(target_pids(args), args.duration) as probe, probe.until_interrupted():
        note_attached(args.duration)
        _print(probe.evidence(), args.json)
    return 0


def _from_file(args: argparse.Namespace, files: Sequence[tuple[str, Path]]) -> int:
    if len(files) > 1 or args.command or selected(args):
        raise UsageError("read either one FILE or watch processes, not both")
    ((tool, path),) = files
    tables = read_trace(path, tool)
    if args.json and len(tables) > 1:
        json.dump(
            {"tables": [trace_evidence_data(evidence) for evidence in tables]}, sys.stdout, indent=2
        )
        print()
        return 0
    for number, evidence in enumerate(tables):
        print("\n" if number else "", end="")
        _print(evidence, args.json)
    return 0


def _print(evidence: TraceEvidence, as_json: bool) -> None:
    show(as_json, lambda: trace_evidence_data(evidence), lambda: trace_evidence_text(evidence))


def _watch(
    backend: Backend,
    options: ProbeOptions,
    pids: Sequence[int] = (),
    *,
    command: HeldCommand | None = None,
) -> Profile:
    with backend as probe, probe.until_interrupted():
        if command:
            command.go()
        else:
            note_attached(options.duration_s, pids if options.skip_ended is False else None)
        return probe.profile()
