# SPDX-License-Identifier: GPL-2.0-or-later
"""lab/CONTRACT.md lists what polltrace relies on in the lab: it is compared with both programs."""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from polltrace.engines.catalogue import packaged
from polltrace.executables import EXECUTABLES

from .conftest import LAB, ORALAB, Lab

ROOT = LAB.parent
PAGE = (LAB / "CONTRACT.md").read_text("utf-8")
SECTIONS = {section.splitlines()[0]: section for section in PAGE.split("\n## ")[1:]}
CODE = re.compile(r"`([^`]+)`")
VIEW = re.compile(r"\bg?(v\$[a-z_]+)(?:\s+([a-z]{1,2})\b)?")


def rows(section: str) -> list[list[str]]:
    """The cells of a section's tables, without headings."""
    lines = [line for line in SECTIONS[section].splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def named(cells: list[str], column: int) -> list[str]:
    """The names in a column of a table's row."""
    return CODE.findall(cells[column])


def views() -> dict[str, set[str]]:
    """The columns that the page lists for each view."""
    return {
        named(cells, 0)[0]: set(named(cells, 1))
        for cells in rows("Views")
        if cells[0].startswith("`v$")
    }


def readers() -> Iterator[tuple[Path, str]]:
    """The files of polltrace that name a V$ view in a statement, and their text."""
    for package in ("polltrace", "scenarios"):
        for path in sorted((ROOT / package).rglob("*")):
            hidden = {"build", "node_modules", "scenarios", "stacks"} & {
                *path.relative_to(ROOT / package).parts
            }
            if path.suffix in (".py", ".sql", ".toml") and not hidden:
                text = path.read_text("utf-8").lower()
                if VIEW.search(text):
                    yield path, text


def test_the_executable_is_the_one_that_polltrace_starts() -> None:
    assert (
        f"`{Path(EXECUTABLES['oralab'].tree).parent}`"
        in SECTIONS["The executable and its arguments"]
    )
    assert packaged("lab").executables == {"oralab"}


@pytest.mark.usefixtures("built_lab")
def test_options_are_those_that_polltrace_gives_and_the_lab_accepts() -> None:
    listed = {named(cells, 0)[0].split()[0] for cells in rows("The executable and its arguments")}
    accepted = subprocess.run([ORALAB, "--help"], capture_output=True, text=True, check=True).stdout
    assert listed <= set(re.findall(r"--[a-z-]+", accepted))
    given = set()
    for name in ("oralab.py", "lab_server.py", "background_lab.py"):
        text = (ROOT / "scenarios" / "run" / "servers" / name).read_text("utf-8")
        given |= set(re.findall(r'"(--[a-z-]+)"', text))
    assert given == listed


@pytest.mark.usefixtures("built_lab")
@pytest.mark.parametrize("options", [[], ["--tcps-port", "0"]])
def test_the_line_of_a_lab_that_is_ready_has_the_listed_keys(options: list[str]) -> None:
    listed = {
        key
        for cells in rows("The line that it prints when it is ready")
        if options or "only" not in cells[1]
        for key in named(cells, 0)
    }
    with subprocess.Popen(
        [ORALAB, "--until-eof", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        line = process.stdout.readline()
        process.stdin.close()
        assert process.stdout.read() == ""
    assert set(json.loads(line)) == listed


def test_titles_of_processes_are_those_that_polltrace_looks_for() -> None:
    lab = packaged("lab")
    titles = [text for text in CODE.findall(SECTIONS["Processes"]) if " " in text]
    matches = [lab.title.match(title) for title in titles]
    found = [(match["instance"], match["local"]) for match in matches if match]
    assert found == [("LAB", "NO"), ("LAB", "YES")]


@pytest.mark.usefixtures("built_lab")
def test_functions_are_in_the_executable_and_where_polltrace_looks_for_them() -> None:
    table = {
        cells[0]: set(CODE.findall(cells[1]))
        for line in SECTIONS["Functions"].splitlines()
        if line.count("`") and (cells := [cell.strip() for cell in line.strip("|").split("|")])
    }
    symbols = subprocess.run(["nm", ORALAB], capture_output=True, text=True, check=True).stdout
    functions = {line.split()[2] for line in symbols.splitlines() if len(line.split()) == 3}
    assert set().union(*table.values()) - {"poll"} <= functions
    lab = packaged("lab")
    check = table["The break check, outermost first"]
    assert all(step & check for step in lab.chains[0])
    [own] = table["The function that every check calls, whether it polls or not"]
    assert own == lab.check_function
    for purpose, known in (
        ("Getting a latch", lab.latches.gets),
        ("Spinning for a latch", lab.latches.spins),
        ("Sleeping for a latch", lab.latches.sleeps),
    ):
        assert table[purpose] == known & functions


def columns_read(text: str) -> Iterator[tuple[set[str], str]]:
    """The views that an alias in a file stands for, and a column that is read by this alias."""
    views_of = defaultdict(set)
    for view, alias in VIEW.findall(text):
        if alias:
            views_of[alias].add(view)
    for alias, aliased in views_of.items():
        for column in re.findall(rf"(?<![\w.]){alias}\.([a-z_0-9]+#?)", text):
            yield aliased, column


def test_views_are_those_that_polltrace_reads() -> None:
    listed = views()
    texts = [text for _, text in readers()]
    assert {view for text in texts for view, _ in VIEW.findall(text)} == set(listed)
    unlisted = {
        (*sorted(aliased), column)
        for text in texts
        for aliased, column in columns_read(text)
        if column != "inst_id" and not any(column in listed[view] for view in aliased)
    }
    # AND the column that the page calls missing is the only one
    assert unlisted == {("v$sql", "plan_hash_value")}
    assert "`v$sql` has no `plan_hash_value`" in SECTIONS["Views"]
    # AND no column is listed that polltrace does not name
    words = {word for text in texts for word in re.findall(r"[a-z_0-9$]+#?", text)}
    assert {column for columns in listed.values() for column in columns} <= words


def test_the_lab_has_the_views_and_their_columns(lab: Lab) -> None:
    session = lab.connect()
    for view, columns in views().items():
        names = ", ".join(sorted(columns))
        assert session.rows(f"select {names} from {view} where 1 = 0") == []
    sentence = SECTIONS["Views"].partition("in the `gv$` views of ")[2].partition(", with")[0]
    for view in CODE.findall(sentence):
        names = ", ".join({*views()[view], "inst_id"})
        assert session.rows(f"select {names} from g{view} where 1 = 0") == []


def test_the_lab_has_the_listed_names(lab: Lab) -> None:
    session = lab.connect()
    known = {
        name
        for source in (
            "select name from v$statname",
            "select stat_name from v$sess_time_model",
            "select name from v$latch",
        )
        for (name,) in session.rows(source)
    }
    names = {name for cells in rows("Views") if "v$" not in cells[0] for name in named(cells, 0)}
    assert names
    assert names <= known
