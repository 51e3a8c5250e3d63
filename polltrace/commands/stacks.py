# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from polltrace import __version__
from polltrace.commands.arguments import every, hertz, seconds
from polltrace.commands.targets import add_target_arguments, say_attached, target_pids
from polltrace.ebpf import EbpfProbe, Look
from polltrace.errors import UsageError
from polltrace.profile import Profile
from polltrace.sampled import AT_POLL, ON_CPU, NamedStack, introduced, named_stacks
from polltrace.stacks_report import stacks_text
from stacks import FormatError, Symbolizer, fold, parse_folded
from stacks.formats import FORMATS
from stacks.layers.table import built_in
from stacks.picture import Picture, Side

# One stack in so many break polls: at a million polls a second still a thousand samples.
STACK_EVERY = 1000
SAMPLE_HZ = 99.0


class Stacks:
    """Show the call stacks of running processes, at a break poll or on CPU.

    The function that libc's poll hides from a frame-pointer walk is put back in its place. On
    CPU, the share of samples in the break check is what the check costs, kernel and user mode.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_target_arguments(parser)
        parser.add_argument(
            "--at", choices=[AT_POLL, ON_CPU], default=AT_POLL, help="where (default: %(default)s)"
        )
        parser.add_argument(
            "-d", "--duration", type=seconds, default=5.0, metavar="SECONDS", help="default: 5"
        )
        parser.add_argument(
            "--every",
            type=every,
            default=STACK_EVERY,
            metavar="N",
            help="at a poll: one stack in about N break polls (default: %(default)s)",
        )
        parser.add_argument(
            "--hz",
            type=hertz,
            default=SAMPLE_HZ,
            help="on CPU: samples a second and processor (default: %(default)s)",
        )
        parser.add_argument(
            "--format", choices=["text", *sorted(FORMATS)], default="text", help="default: text"
        )
        parser.add_argument(
            "--before", type=Path, metavar="FILE", help="folded stacks to show the difference from"
        )
        parser.add_argument(
            "-o", "--output", type=Path, metavar="FILE", help="write there (default: stdout)"
        )

    def run(self, args: argparse.Namespace) -> int:
        before = _before(args.before)
        names = Symbolizer()
        profile = _watch(args, names)
        found = named_stacks(profile, names, args.at)
        if args.format == "text":
            written = f"{stacks_text(found, profile, args.at)}\n".encode()
        else:
            written = FORMATS[args.format](_picture(args.at, found, before))
        if args.output is None:
            sys.stdout.buffer.write(written)
        else:
            try:
                args.output.write_bytes(written)
            except OSError as error:
                raise UsageError(f"cannot write {args.output}: {error.strerror}") from None
        return 0


def _watch(args: argparse.Namespace, names: Symbolizer) -> Profile:
    pids = target_pids(args)
    look = Look(
        duration_s=args.duration,
        stack_every=args.every if args.at == AT_POLL else 0,
        sample_hz=args.hz if args.at == ON_CPU else 0,
    )
    with EbpfProbe(pids, look) as probe, probe.until_interrupted():
        say_attached(args.duration)
        for _ in introduced(probe.records(), names):
            pass
        return probe.profile()


def _before(path: Path | None) -> Side | None:
    if path is None:
        return None
    try:
        return Side(path.name, parse_folded(path.read_text()))
    except (OSError, UnicodeDecodeError, FormatError) as error:
        raise UsageError(f"cannot read folded stacks from {path}: {error}") from None


def _picture(at: str, found: Sequence[NamedStack], before: Side | None) -> Picture:
    return Picture(
        title="Stacks at break polls" if at == AT_POLL else "On-CPU stacks",
        side=Side("now", fold((stack.frames, stack.count) for stack in found)),
        before=before,
        layers=built_in("oracle"),
        find="nsmore2recv",
        exporter=f"polltrace {__version__}",
    )
