# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording as an argument in place of running processes."""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path

from polltrace.commands.arguments import selected
from polltrace.errors import UsageError
from polltrace.recording.fold import Recording, read

DEMO = "demo"
HELP = f"a recording; '{DEMO}' is the one that comes with polltrace"


def recording_path(text: str) -> Path:
    """The file's path; `demo` is the recording that comes with polltrace, unless a file has that
    name.
    """
    path = Path(text)
    if text == DEMO and not path.exists():
        return Path(str(files("polltrace") / "data" / "demo.polltrace"))
    return path


def add_recording_argument(parser: argparse.ArgumentParser) -> None:
    """Add FILE, which replaces processes."""
    parser.add_argument(
        "file", nargs="?", type=recording_path, metavar="FILE", help=f"instead: {HELP}"
    )


def recorded(args: argparse.Namespace) -> Recording:
    """The recording of FILE. Raises UsageError where processes are named as well."""
    if selected(args):
        raise UsageError("read either a FILE or watch processes, not both")
    return read(args.file)
