# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: one program, a verb a file.

A verb is a class whose docstring is its help text; see `Command`. Packages announce theirs by
the entry point group `polltrace.commands`.
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import signal
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from types import FrameType
from typing import Protocol

from polltrace import __version__
from polltrace.errors import HostError, PolltraceError
from polltrace.interrupts import ending

EXIT_CODES = """\
exit codes:
  0 done   1 done, and the answer is no   2 usage   3 not permitted   4 this host lacks something
  5 no such process   6 the lab could not start   7 a driver is missing   130 interrupted
  141 nobody read what was printed"""


class Command(Protocol):
    """A verb of the command line; the class docstring is its help."""

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


def build_parser(verb_meant: str | None = None) -> argparse.ArgumentParser:
    """The grammar; of a verb that is not meant, its name alone: imports cost start-up time."""
    parser = argparse.ArgumentParser(
        prog="polltrace",
        description="See, price and fix Oracle's break polling.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"polltrace {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="COMMAND", required=True)
    for entry in sorted(entry_points(group="polltrace.commands"), key=lambda entry: entry.name):
        if verb_meant not in (entry.name, None):
            verbs.add_parser(entry.name)
            continue
        command: Command = entry.load()()
        text = (command.__doc__ or "").strip()
        verb = verbs.add_parser(
            entry.name,
            help=text.partition("\n")[0],
            description=text,
            epilog=EXIT_CODES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.prepare_parser(verb)
        verb.set_defaults(run=command.run, verb_parser=verb)
    return parser


def _terminated(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _ready_streams() -> None:
    """A stream that was closed (`>&-`) gives way to /dev/null; what the terminal's encoding cannot
    show is shown as a question mark."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - to our end
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """What is still to be written has nowhere to go, and Python must not try again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; its exit code. Errors become one line on stderr."""
    _ready_streams()
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except PolltraceError as error:
        print(f"polltrace: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("polltrace: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Our reader has what it wanted: `polltrace … | head`.
        _drop_output()
        return 128 + signal.SIGPIPE
    except OSError as error:
        if error.errno == errno.ENOEXEC:  # a program for another processor, say
            print(f"polltrace: cannot run {error.filename}: {error.strerror}", file=sys.stderr)
            return HostError.exit_code
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise
        _drop_output()
        print(f"polltrace: cannot write the output: {error.strerror}", file=sys.stderr)
        return HostError.exit_code
    return code


def _run(words: Sequence[str]) -> int:
    verb_meant = next((word for word in words if not word.startswith("-")), None)
    try:
        args, unknown = build_parser(verb_meant).parse_known_args(words)
        if unknown:  # with the usage of the verb, not of the program
            args.verb_parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    except SystemExit:  # --help has printed, and its reader may be gone
        sys.stdout.flush()
        raise
    # Ended by a supervisor, by a closed terminal or by Ctrl-C: the same clean-up on the way out.
    for number in ending():
        signal.signal(number, _terminated)
    code: int = args.run(args)
    return code
