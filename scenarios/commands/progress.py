# SPDX-License-Identifier: GPL-2.0-or-later
"""A progress bar on stderr, where that is a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar

from polltrace.commands.console import PrintableConsole
from polltrace.scenarios.run.runner import Progress


@contextlib.contextmanager
def progress_bar() -> Iterator[Progress]:
    """A function of the current step's name, its number, and the number of steps."""
    with Bar(
        TextColumn("{task.description:<44}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=PrintableConsole(sys.stderr),
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as bar:
        task = bar.add_task("starting")
        yield lambda step, steps_done, total: bar.update(
            task, description=step, completed=steps_done, total=total
        )
