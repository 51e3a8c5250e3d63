# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from polltrace.backends.bcc_backend import BccProbe
from polltrace.backends.choice import BACKENDS, choose
from polltrace.backends.ebpf import EbpfProbe, Look
from polltrace.backends.evidence import Evidence
from polltrace.backends.evidence_report import evidence_data, evidence_table
from polltrace.backends.strace_probe import StraceProbe
from polltrace.backends.trace_file import read_trace
from polltrace.commands.arguments import seconds
from polltrace.commands.targets import add_target_arguments, say_attached, target_pids
from polltrace.errors import UsageError
from polltrace.launch import HeldCommand
from polltrace.profiles.profile import Profile
from polltrace.profiles.stat_report import stat_data, stat_table

_TOOLS = ("strace", "truss")


class Stat:
    """Count the break polls, other polls and system calls of running processes.

    Attaches to any process, without stopping it, and counts until --duration is over, every
    process has ended, or Ctrl-C. A break poll is a poll of one connected socket with timeout 0.
    With a COMMAND, runs it and watches it and what it forks; the exit code is then the command's.
    With --from-strace or --from-truss, says what a file from a host where we cannot run tells.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_target_arguments(parser)
        parser.add_argument(
            "-d", "--duration", type=seconds, metavar="SECONDS", help="how long (default: Ctrl-C)"
        )
        files = parser.add_argument_group("or what strace or truss wrote, -c or the calls")
        for tool in _TOOLS:
            files.add_argument(f"--from-{tool}", type=Path, metavar="FILE")
        parser.add_argument(
            "--backend",
            choices=[*BACKENDS, "auto"],
            default="ebpf",
            help="bcc needs the kernel's headers but no type information; strace slows a process "
            "down fifty times a call and more; auto takes the first of these that works, and says "
            "so (default: ebpf)",
        )
        parser.add_argument("--json", action="store_true", help="the same as data")
        parser.add_argument("command", nargs="*", metavar="-- COMMAND", help="watch a new process")

    def run(self, args: argparse.Namespace) -> int:
        files = [(tool, args.__dict__[f"from_{tool}"]) for tool in _TOOLS]
        if any(path for _, path in files):
            return _from_file(args, [(tool, path) for tool, path in files if path])
        choice = choose(args.backend)
        if args.backend != "ebpf":
            print(f"polltrace: {choice}", file=sys.stderr)
        if choice.backend == "strace":
            return _by_strace(args)
        kind = BccProbe if choice.backend == "bcc" else EbpfProbe
        code = 0
        if args.command:
            if args.pid or args.name or args.sid or args.all:
                raise UsageError("watch either a COMMAND or running processes, not both")
            with HeldCommand(args.command) as command:
                profile = _watch(kind, [command.pid], args.duration, command)
                code = command.wait()
        else:
            profile = _watch(kind, target_pids(args), args.duration)
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


def _by_strace(args: argparse.Namespace) -> int:
    if args.command:
        raise UsageError("the strace backend watches running processes only: use -p PID")
    with StraceProbe(target_pids(args), args.duration) as probe, probe.until_interrupted():
        say_attached(args.duration)
        _print(probe.evidence(), args.json)
    return 0


def _from_file(args: argparse.Namespace, files: Sequence[tuple[str, Path]]) -> int:
    if len(files) > 1 or args.command or args.pid or args.name or args.sid or args.all:
        raise UsageError("read either one FILE or watch processes, not both")
    ((tool, path),) = files
    _print(read_trace(path, tool), args.json)
    return 0


def _print(evidence: Evidence, as_json: bool) -> None:
    if as_json:
        json.dump(evidence_data(evidence), sys.stdout, indent=2)
        print()
    else:
        print(evidence_table(evidence))


def _watch(
    kind: type[EbpfProbe],
    pids: Sequence[int],
    duration_s: float | None,
    command: HeldCommand | None = None,
) -> Profile:
    look = Look(duration_s=duration_s, syscalls=True, follow=command is not None)
    with kind(pids, look) as probe, probe.until_interrupted():
        if command:
            command.go()
        else:
            say_attached(duration_s)
        return probe.profile()
