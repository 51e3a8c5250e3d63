# SPDX-License-Identifier: GPL-2.0-or-later
"""Run every command that the documentation shows, and write beneath it what it printed.

A block that begins ```console holds commands, each after "$ ", and their output. Around them a
lab runs with the two busy sessions of `polltrace lab load`; $PID is the in-band one. A page that
starts the lab itself loads it itself as well, by a command that begins with `PID=` and prints the
PID. With --check the pages stay as they are: each command must end well and print something. Needs
root, and a quiet host for meaningful figures.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

DOCS = Path(__file__).parent
PAGES = (
    *sorted(page for page in DOCS.rglob("*.md") if "build" not in page.parts),
    DOCS.parent / "README.md",
)
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_WIDTH = "100"
LOAD = "PID=$(polltrace lab load --background --pid-only)"


class Stage:
    """The lab and its two sessions, from their first need to the end of a page."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.lab_runs = False
        self.environment = {
            **os.environ,
            "COLUMNS": _WIDTH,
            "NO_COLOR": "1",
            "XDG_STATE_HOME": str(directory),  # a lab of our own
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }

    def run(self, command: str) -> str:
        """What a command prints, stderr included. Raises SystemExit when it ends badly."""
        ended = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            env=self.environment,
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        # 141: `… | head` had enough.
        if ended.returncode not in (0, 141) or not ended.stdout.strip():
            raise SystemExit(f"{command}\nended with {ended.returncode}:\n{ended.stdout}")
        if "polltrace lab" in command:
            self.lab_runs = command != "polltrace lab stop"
        if command.startswith("PID="):
            self.environment["PID"] = re.findall(r"\d+", ended.stdout)[-1]
        return "".join(f"{line.rstrip()}\n" for line in ended.stdout.splitlines())


@contextlib.contextmanager
def stage_for(commands: Sequence[str]) -> Iterator[Stage]:
    """Where they are run: with a lab and its load, unless they start one themselves."""
    with tempfile.TemporaryDirectory() as directory:
        stage = Stage(Path(directory))
        try:
            if "polltrace lab start" not in commands:
                stage.run(f"{LOAD} && echo $PID")
            yield stage
        finally:
            if stage.lab_runs:
                stage.run("polltrace lab stop")


def shown_on(page: str) -> list[tuple[str, str]]:
    """The commands that a page shows, in order, each with the output below it."""
    return [
        (command, output)
        for block in _BLOCK.findall(page)
        for part in f"\n{block}".split("\n$ ")[1:]
        for command, _, output in (part.partition("\n"),)
    ]


def commands_of(page: str) -> list[str]:
    """The commands that a page shows, in order."""
    return [command for command, _ in shown_on(page)]


def with_output(page: str, stage: Stage) -> str:
    """The page, with what its commands print today."""

    def shown(block: re.Match[str]) -> str:
        commands = [line for line in block[1].splitlines() if line.startswith("$ ")]
        parts = (f"{line}\n{stage.run(line.removeprefix('$ '))}" for line in commands)
        return f"```console\n{''.join(parts)}```"

    return _BLOCK.sub(shown, page)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pages", nargs="*", type=Path, default=PAGES)
    parser.add_argument("--check", action="store_true", help="run the commands; write nothing")
    args = parser.parse_args()
    for path in args.pages:
        page = path.read_text()
        if not commands_of(page):
            continue
        print(path.name, flush=True)
        with stage_for(commands_of(page)) as stage:
            new = with_output(page, stage)
        if not args.check:
            path.write_text(new)


if __name__ == "__main__":
    main()
