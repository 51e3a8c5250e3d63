# SPDX-License-Identifier: GPL-2.0-or-later
"""Make the pictures that the pages show: screens of `top` and the head of a report's page, all of
the recording that comes with polltrace. Needs chromium."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from polltrace.commands.recorded import recording_path
from polltrace.top.player import Player
from polltrace.top.replay import recorded_view
from polltrace.top.screen import table_screen
from polltrace.top.session_screen import session_screen
from polltrace.top.state import Pane, UIState

PICTURES = Path(__file__).parent / "pictures"
_WIDTH = 110
# A moment with rates, timed gaps and samples.
_AT_S = 8.0


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    for name, svg in (("top", table()), ("session", session()), ("flame", flame())):
        (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")
    report(PICTURES / "report.png")


def table() -> str:
    """The first screen of `top`, as SVG."""
    shown = _player().snapshot()
    state = UIState(selected=shown.rows[0].identity)
    return _svg(table_screen(shown, state, width=_WIDTH, height=12, interval_s=1.0), "top")


def session() -> str:
    """The session that loses most, opened."""
    player = _player()
    row = max(player.snapshot().rows, key=lambda each: each.polls_per_s or 0.0)
    view = recorded_view(player, row.identity)
    lines = session_screen(row, view, Pane.FORECAST, width=_WIDTH, height=26)
    return _svg(lines, "session")


def flame() -> str:
    """A flame graph of the recorded samples on CPU, as SVG."""
    polltrace = str(Path(sys.executable).with_name("polltrace"))
    command = [polltrace, "stacks", "demo", "--at", "cpu", "--format", "svg"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _player() -> Player:
    player = Player(recording_path("demo"))
    player.to(_AT_S)
    return player


def _svg(lines: Sequence[Text], name: str) -> str:
    console = Console(file=io.StringIO(), record=True, width=_WIDTH, no_color=False)
    for line in lines:
        console.print(line, no_wrap=True, highlight=False)
    made = console.export_svg(title="polltrace top", unique_id=name)
    # The page asks no other site for anything: the reader's own monospaced font will do.
    made = re.sub(r"@font-face \{.*?\}\s*", "", made, flags=re.DOTALL).replace("Fira Code, ", "")
    return "".join(f"{line.rstrip()}\n" for line in made.splitlines())


def report(picture: Path) -> None:
    """The head of the report's page, as a browser draws it."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        polltrace = Path(sys.executable).with_name("polltrace")
        subprocess.run([polltrace, "report", "demo", "--html", page], check=True)
        subprocess.run(
            [
                *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                *(f"--user-data-dir={folder}/profile", "--window-size=1000,1000"),
                *(f"--screenshot={picture}", page.as_uri()),
            ],
            check=True,
            stderr=subprocess.DEVNULL,
        )


if __name__ == "__main__":
    main()
