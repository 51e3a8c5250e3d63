# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from polltrace import __version__
from polltrace.backends.choice import PTRACE_WARNING, choose
from polltrace.backends.ebpf import AUTO, EbpfProbe, ProbeOptions
from polltrace.backends.syscall_trace_file import read_trace
from polltrace.commands.arguments import add_duration, hertz, selected, stride
from polltrace.commands.recorded import add_recording_argument, recorded
from polltrace.commands.stack_choice import add_choice_arguments, chosen
from polltrace.commands.targets import add_target_arguments, note_attached, target_pids
from polltrace.engines.drawing import layers_of, searched
from polltrace.errors import FileError, UsageError
from polltrace.printable import note, printable
from polltrace.profiles.sampled import AT_POLL, OFF_CPU, ON_CPU, introduced
from polltrace.profiles.stack_profile import StackProfile, stack_profile, traced_stacks
from polltrace.profiles.stacks_report import all_notes, stacks_data, stacks_text
from polltrace.recording.stacks import profile_for
from polltrace.stacks import FormatError, Symbolizer, parse_folded
from polltrace.stacks.bylayer import by_layer
from polltrace.stacks.formats import FORMATS
from polltrace.stacks.picture import Picture, Side

SAMPLE_HZ = 99.0
_LONGEST_FOLDED = 1 << 28
_TITLES = {
    AT_POLL: "Stacks at polls of a socket with timeout 0",
    ON_CPU: "On-CPU stacks",
    OFF_CPU: "Off-CPU stacks",
}


class Stacks:
    """Show call stacks at break polls, on CPU or off it.

    Of running processes, or of a recording. The function that libc's poll hides from a
    frame-pointer walk is put back in its place. On CPU, the share of samples in the break check is
    the cost of the check, kernel and user mode. Off CPU, stacks are weighted by the time that
    threads were blocked, by reason, or waited for a processor, to the nanosecond. Without eBPF,
    ptrace takes the stack of every poll, and strace -k writes them to a file elsewhere.
    """

    group = "observe"
    examples = (
        ("-p 4711", "the stacks at the break polls of five seconds"),
        (
            "--all --at cpu -d 1m --format html -o stacks.html",
            "a flame graph of the CPU time of all dedicated servers",
        ),
        ("-p 4711 --at offcpu", "what a process waits for, and for how long"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_target_arguments(parser)
        add_recording_argument(parser)
        parser.add_argument(
            "--at",
            choices=[AT_POLL, ON_CPU, OFF_CPU],
            default=AT_POLL,
            help="where (default: %(default)s)",
        )
        add_duration(parser, "-d", "--duration", default="5s", help="how long")
        parser.add_argument(
            "--every",
            type=stride,
            default=AUTO,
            metavar="N",
            help="at a poll: one stack in about N break polls; auto, the default, takes a bounded "
            "number a second from each process, however fast it polls",
        )
        parser.add_argument(
            "--hz",
            type=hertz,
            default=SAMPLE_HZ,
            help="on CPU: samples a second and processor (default: %(default)s)",
        )
        parser.add_argument(
            "--kernel", action="store_true", help="the kernel's functions as well, marked _[k]"
        )
        parser.add_argument(
            "--backend",
            choices=["ebpf", "ptrace", "auto"],
            default="ebpf",
            help="ptrace stops a process at each system call, and longer at each of its polls; "
            "auto takes it, with a notice, where eBPF does not work (default: ebpf)",
        )
        parser.add_argument(
            "--from-strace", type=Path, metavar="FILE", help="instead: what strace -k wrote"
        )
        add_choice_arguments(parser)
        parser.add_argument(
            "--format",
            choices=["text", "json", *sorted(FORMATS)],
            default="text",
            help="default: text",
        )
        parser.add_argument(
            "--before", type=Path, metavar="FILE", help="folded stacks to show the difference from"
        )
        parser.add_argument(
            "-o", "--output", type=Path, metavar="FILE", help="write there (default: stdout)"
        )

    def run(self, args: argparse.Namespace) -> int:
        base = _before(args.before)
        return show(_found(args), base, args)


def show(profile: StackProfile, base: Side | None, args: argparse.Namespace) -> int:
    """Write the stacks in the chosen format; the exit code."""
    picture = _picture(profile, base, args)
    if args.format == "text":
        # A name that has no UTF-8 must not keep the others from being written.
        text = f"{stacks_text(profile, picture.side.folded)}\n"
        written = printable(text).encode()
    elif args.format == "json":
        data = stacks_data(profile, picture.side.folded)
        written = f"{json.dumps(data, indent=1)}\n".encode()
    else:
        written = FORMATS[args.format](picture)
    if args.output is None and (args.format == "text" or sys.stdout.isatty()):
        print(written.decode(errors="replace"), end="")
    elif args.output is None:
        sys.stdout.buffer.write(written)
    else:
        try:
            args.output.write_bytes(written)
        except OSError as error:
            raise FileError(f"cannot write {args.output}: {error.strerror}") from None
    if args.format not in ("text", "json"):
        for quality_note in all_notes(profile):
            note(quality_note)
    return 0


def _found(args: argparse.Namespace) -> StackProfile:
    if args.from_strace is not None:
        if args.file is not None or selected(args):
            raise UsageError("read either one FILE or watch processes, not both")
        (evidence, *_) = read_trace(_polls_only(args).from_strace, "strace")
        if not evidence.stacks:
            raise UsageError(f"{args.from_strace} has no stacks at break polls: strace -k has")
        return traced_stacks(evidence.profile, evidence.all_stacks())
    if args.file is not None:
        return _recorded(args)
    choice = choose(args.backend, stacks=True)
    if args.backend != "ebpf":
        note(str(choice))
    if choice.backend == "ptrace":
        return _traced(_polls_only(args))
    return _watched(args, Symbolizer())


def _polls_only(args: argparse.Namespace) -> argparse.Namespace:
    if args.at != AT_POLL or args.kernel or args.every != AUTO:
        raise UsageError("ptrace takes the user stack of every poll, and nothing else")
    return args


def _traced(args: argparse.Namespace) -> StackProfile:
    # Here, because a recording is read where there is no Linux, too.
    from polltrace.backends.ptrace_probe import PtraceProbe

    note(PTRACE_WARNING)
    with (
        PtraceProbe(target_pids(args), args.duration, stacks=True) as probe,
        probe.until_interrupted(),
    ):
        note_attached(args.duration)
        evidence = probe.evidence()
        return traced_stacks(evidence.profile, evidence.all_stacks())


def _watched(args: argparse.Namespace, names: Symbolizer) -> StackProfile:
    pids = target_pids(args)
    options = ProbeOptions(
        duration_s=args.duration,
        stack_every=args.every if args.at == AT_POLL else 0,
        sample_hz=args.hz if args.at == ON_CPU else 0,
        kernel=args.kernel and args.at != OFF_CPU,
        off_cpu=args.at == OFF_CPU,
        skip_ended=not args.pid,
    )
    with EbpfProbe(pids, options) as probe, probe.until_interrupted():
        note_attached(args.duration, args.pid)
        for _ in introduced(probe.records(), names):
            pass
        profile = stack_profile(probe.profile(), names, args.at, kernel=args.kernel)
        return replace(profile, hz=options.sample_hz)


def _recorded(args: argparse.Namespace) -> StackProfile:
    recording = recorded(args)
    profile = profile_for(recording, args.at)
    if profile is None:
        by = ": 'record --offcpu' takes them" if args.at == OFF_CPU else ""
        torn = f"; it is not whole: {recording.tear}" if recording.tear else ""
        raise UsageError(f"{args.file} has no such stacks{by}{torn}")
    kernel = args.kernel or args.at != OFF_CPU  # other stacks were recorded with or without it
    return stack_profile(profile, recording.names, args.at, kernel=kernel)


def _before(path: Path | None) -> Side | None:
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            content = file.read(_LONGEST_FOLDED + 1)
        if len(content) > _LONGEST_FOLDED:
            raise FormatError("it is larger than 256 MiB")
        return Side(path.stem, parse_folded(content.decode("utf-8")))
    except OSError as error:
        why = error.strerror
    except UnicodeDecodeError:
        why = "not text"
    except FormatError as error:
        why = str(error)
    raise FileError(f"cannot read folded stacks from {path}: {why}")


def _title(profile: StackProfile) -> str:
    if profile.kind == AT_POLL and profile.engines:
        return "Stacks at break polls"
    return _TITLES[profile.kind]


def _picture(profile: StackProfile, base: Side | None, args: argparse.Namespace) -> Picture:
    layers = layers_of(profile.engines)
    if args.group == "layer" and not layers.layers:
        raise UsageError("--group layer: no one engine's table of layers fits these stacks")
    picture = Picture(
        title=_title(profile),
        side=Side("now", chosen(profile.folded, args)),
        before=base and Side(base.name, chosen(base.folded, args)),
        layers=layers,
        unit=profile.unit,
        hz=profile.hz,
        find="" if args.group == "layer" else searched(profile.engines),
        exporter=f"polltrace {__version__}",
        notes=tuple(all_notes(profile)),
    )
    return by_layer(picture) if args.group == "layer" else picture
