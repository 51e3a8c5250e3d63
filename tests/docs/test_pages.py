# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages agree with the program: every command shown, every verb, exit code and make target."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from polltrace import errors
from polltrace.grammar import EXIT_CODES, build_parser, command_names
from polltrace.scenarios.analyse.expectations import CHECKS
from polltrace.scenarios.clients import PROGRAMS
from polltrace.scenarios.plan.cell import BREAK_MODES, BUSY, MATRIX
from polltrace.scenarios.plan.network_path import URGENT
from polltrace.scenarios.plan.scenario import RECORDS
from polltrace.scenarios.plan.scenario_file import _TABLES as TABLES
from polltrace.scenarios.plan.scenario_file import _TOP as TOP
from tests.conftest import ROOT

PAGES = sorted(
    page
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "probes/*.md",
        "scenarios/**/*.md",
        "stacks/*.md",
        "lab/*.md",
    )
    for page in ROOT.glob(pattern)
    if "build" not in page.parts and page.name != "CHANGELOG.md"
)
GRAMMAR = build_parser()
VERBS = {*command_names(), "help"}
_FENCE = re.compile(r"^ *```.*\n((?:.*\n)*?) *```$", re.MULTILINE)
_INLINE = re.compile(r"`([^`\n]+)`")
_COMMAND = re.compile(r"(?:^|[\s/(])polltrace ([a-z][a-z-]*)\b([^|;>#)]*?)(?=$|[|;>#)]|&&)")
# Placeholders that a reader replaces.
_PLACES = {
    "COMMAND": "stat",
    "PID": "1",
    "$PID": "1",
    "IN_BAND": "1",
    "OUT_OF_BAND": "2",
    "HOST:PORT": "db:1521",
}


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


def complaint(verb: str, words: str) -> str:
    """The grammar's error for a command; empty where it has none."""
    if verb not in VERBS:
        return f"there is no verb {verb}"
    words = words.replace("…", "")
    if words.count("'") == 1:  # of what stands around the command
        words = words.replace("'", "")
    argv = [_PLACES.get(word, word) for word in shlex.split(words)]
    try:
        GRAMMAR.parse_args([verb, *argv])
    except errors.UsageError as error:
        return str(error)
    except SystemExit:  # --help
        return ""
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_is_of_the_grammar(page: Path) -> None:
    text = page.read_text()
    wrong = {}
    for where, lines in (("block", list(blocks(text))), ("inline", inline(text))):
        for line in lines:
            for verb, words in _COMMAND.findall(line):
                message = complaint(verb, words)
                # In running text a command is named without what it needs.
                named = re.search(r"are required|expected (one|at least one|2) arg", message)
                if message and not (where == "inline" and named):
                    wrong[line] = message
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


@pytest.mark.usefixtures("probe")
def test_the_probe_page_has_its_help() -> None:
    """The manual page of polltrace-probe is made of it."""
    probe = ROOT / "probes/build/polltrace-probe"
    printed = subprocess.run([probe, "--help"], capture_output=True, text=True, check=True).stdout
    page = (ROOT / "docs/reference/polltrace-probe.md").read_text()
    assert f"```text\n{printed.rstrip()}\n```" in page


def test_every_verb_is_in_the_tour() -> None:
    table = (ROOT / "docs/learn/tour.md").read_text().partition("## All commands")[2]
    assert VERBS - set(re.findall(r"[a-z][a-z-]+", table)) == set()


def test_every_exit_code_is_documented() -> None:
    codes = {
        each.exit_code
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, errors.PolltraceError)
    }
    documented = {
        int(code)
        for code in re.findall(
            r"^\| (\d+) \|", (ROOT / "docs/reference/commands.md").read_text(), re.M
        )
    }
    assert documented == codes | {0, 130, 141}
    assert documented == {int(code) for code in re.findall(r"\b\d+\b", EXIT_CODES)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_make_target_exists(page: Path) -> None:
    # A folder's page names the targets of its own Makefile.
    makefiles = {ROOT / "Makefile", ROOT / "bench/Makefile", page.parent / "Makefile"}
    texts = [each.read_text() for each in makefiles if each.exists()]
    targets = set(re.findall(r"^([a-z][a-z0-9-]*):", "\n".join(texts), re.M))
    text = page.read_text()
    shown = "\n".join((*inline(text), *blocks(text)))
    assert set(re.findall(r"(?:^|\s)make ([a-z][a-z0-9-]+)", shown, re.M)) - targets == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_named_is_there(page: Path) -> None:
    rooms = r"(?:\.github|docs|packaging|polltrace|probes|scenarios|stacks|tests)/[\w./*-]+"
    named = [path for path in inline(page.read_text()) if re.fullmatch(rooms, path)]
    folders = (ROOT, page.parent)
    lost = [path for path in named if not any(list(folder.glob(path)) for folder in folders)]
    assert not lost


_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """What the headings of a page are linked by."""
    text = _FENCE.sub("", page.read_text())
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    lost = []
    for link in _LINK.findall(_FENCE.sub("", page.read_text())):
        path, _, anchor = link.partition("#")
        if ":" in path:  # another site
            continue
        to = (page.parent / path) if path else page
        if not to.exists() or (anchor and to.suffix == ".md" and anchor not in anchors(to)):
            lost.append(link)
    assert not lost


def test_links_are_found() -> None:
    found = [link for page in PAGES for link in _LINK.findall(page.read_text())]
    assert len([link for link in found if ".md" in link]) > 50
    assert len([link for link in found if "#" in link]) > 3


def test_the_page_of_scenario_files_names_every_word() -> None:
    page = (ROOT / "docs/reference/scenario-files.md").read_text()
    words = {*TOP, *TABLES, *MATRIX, *RECORDS, *BREAK_MODES, *BUSY, *PROGRAMS, *URGENT, *CHECKS}
    assert {word for word in words if word not in page} == set()
