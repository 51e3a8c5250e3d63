# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages agree with the program: every command shown, every verb, exit code and make target."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from polltrace import errors
from polltrace.cli import EXIT_CODES, build_parser
from scenarios.clients import PROGRAMS
from scenarios.expectations import CHECKS
from scenarios.relay import URGENT
from scenarios.scenario import BREAK_MODES, BUSY, MATRIX, RECORDS
from scenarios.scenario_file import _TABLES as TABLES
from scenarios.scenario_file import _TOP as TOP
from tests.conftest import ROOT

PAGES = sorted(
    page
    for pattern in ("*.md", "docs/*.md", "probes/*.md", "scenarios/**/*.md", "stacks/*.md")
    for page in ROOT.glob(pattern)
    if "build" not in page.parts and page.name != "CHANGELOG.md"
)
GRAMMAR = build_parser()
VERBS = {entry.name for entry in entry_points(group="polltrace.commands")}
_FENCE = re.compile(r"^ *```.*\n((?:.*\n)*?) *```$", re.MULTILINE)
_INLINE = re.compile(r"`([^`\n]+)`")
_COMMAND = re.compile(r"(?:^|[\s/(])polltrace ([a-z][a-z-]*)\b([^|;>#)]*?)(?=$|[|;>#)]|&&)")
# What a reader puts something into.
_PLACES = {"PID": "1", "$PID": "1", "IN_BAND": "1", "OUT_OF_BAND": "2", "HOST:PORT": "db:1521"}


def blocks(page: str) -> Iterator[str]:
    """Lines of fenced and of indented blocks; of a console's the commands alone."""
    for fence in _FENCE.finditer(page):
        lines = fence[1].splitlines()
        if fence[0].lstrip().startswith("```console"):
            lines = [line for line in lines if line.startswith("$ ")]
        yield from lines
    yield from (line for line in _FENCE.sub("", page).splitlines() if line.startswith("    "))


def inline(page: str) -> list[str]:
    return _INLINE.findall(_FENCE.sub("", page))


def complaint(verb: str, words: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What the grammar has against a command; empty where it has nothing."""
    if verb not in VERBS:
        return f"there is no verb {verb}"
    words = words.replace("…", "")
    if words.count("'") == 1:  # of what stands around the command
        words = words.replace("'", "")
    argv = [_PLACES.get(word, word) for word in shlex.split(words)]
    try:
        GRAMMAR.parse_args([verb, *argv])
    except SystemExit as ended:
        said = capsys.readouterr().err
        return said.splitlines()[-1] if ended.code else ""
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_is_of_the_grammar(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = page.read_text()
    wrong = {}
    for where, lines in (("block", list(blocks(text))), ("inline", inline(text))):
        for line in lines:
            for verb, words in _COMMAND.findall(line):
                said = complaint(verb, words, capsys)
                # In running text a command is named without what it needs.
                named = re.search(r"are required|expected (one|at least one|2) arg", said)
                if said and not (where == "inline" and named):
                    wrong[line] = said
    assert not wrong


def test_commands_are_found() -> None:
    """The test above would pass on pages in which it finds none."""
    found = [
        verb
        for page in PAGES
        for line in (*blocks(page.read_text()), *inline(page.read_text()))
        for verb, _ in _COMMAND.findall(line)
    ]
    assert len(found) > 60
    assert set(found) >= VERBS - {"restore"}


def test_every_verb_is_in_the_readme() -> None:
    table = (ROOT / "README.md").read_text().partition("## Commands")[2].partition("\n## ")[0]
    assert VERBS - set(re.findall(r"[a-z][a-z-]+", table)) == set()


def test_every_exit_code_is_told() -> None:
    codes = {
        each.exit_code
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, errors.PolltraceError)
    }
    told = {
        int(code)
        for code in re.findall(r"^\| (\d+) \|", (ROOT / "docs/commands.md").read_text(), re.M)
    }
    assert told == codes | {0, 130, 141}
    assert told == {int(code) for code in re.findall(r"\d+", EXIT_CODES)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_make_target_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.M))
    text = page.read_text()
    shown = "\n".join((*inline(text), *blocks(text)))
    assert set(re.findall(r"(?:^|\s)make ([a-z][a-z-]+)", shown, re.M)) - targets == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_named_is_there(page: Path) -> None:
    rooms = r"(?:\.github|docs|packaging|polltrace|probes|scenarios|stacks|tests)/[\w./*-]+"
    named = [path for path in inline(page.read_text()) if re.fullmatch(rooms, path)]
    places = (ROOT, page.parent)
    lost = [path for path in named if not any(list(place.glob(path)) for place in places)]
    assert not lost


def test_the_page_of_scenario_files_names_every_word() -> None:
    page = (ROOT / "docs/scenario-files.md").read_text()
    words = {*TOP, *TABLES, *MATRIX, *RECORDS, *BREAK_MODES, *BUSY, *PROGRAMS, *URGENT, *CHECKS}
    assert {word for word in words if word not in page} == set()
