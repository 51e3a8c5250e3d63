# SPDX-License-Identifier: GPL-2.0-or-later
"""Properties of every command: its group, its examples, its answer to a typing error."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest

from polltrace.commands.arguments import duration
from polltrace.errors import UsageError
from polltrace.grammar import GROUPS, build_parser, command_names, load, overview, own_commands
from tests.conftest import POLLTRACE

Run = Callable[..., subprocess.CompletedProcess[str]]
GRAMMAR = build_parser()
NAMES = command_names()


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_a_group_a_summary_and_examples(name: str) -> None:
    command = load(name)
    assert command.group in GROUPS
    options = len(list(actions(name)))
    assert len(command.examples) >= (2 if options > 1 else 1)  # one is --help
    for words, meaning in command.examples:
        GRAMMAR.parse_args([name, *shlex.split(words)])
        assert meaning
    (line,) = [line for line in overview().splitlines() if line.split()[:1] == [name]]
    assert len(line) <= 80
    assert line.endswith(".")


def actions(name: str) -> Iterator[argparse.Action]:
    (commands,) = (a for a in GRAMMAR._actions if isinstance(a, argparse._SubParsersAction))
    yield from commands.choices[name]._actions


def test_the_overview_is_in_groups_and_names_a_start(run: Run) -> None:
    shown = [run(*words) for words in ((), ("help",), ("--help",), ("-h",))]
    assert {(each.returncode, each.stdout, each.stderr) for each in shown} == {
        (0, f"{overview()}\n", "")
    }
    text = shown[0].stdout
    assert "start with: polltrace ps" in text
    places = [text.index(f"\n{group}:\n") for group in GROUPS]
    assert places == sorted(places)
    observed = text[places[0] : places[1]]
    assert [line.split()[0] for line in observed.splitlines()[2:] if line] == [
        *("dump", "ps", "stacks", "stat", "stop-at", "top")
    ]


@pytest.mark.parametrize("words", [("trace", "--help"), ("export", "prometheus", "--help")])
def test_help_is_as_wide_as_the_terminal(run: Run, words: tuple[str, ...]) -> None:
    for columns in 70, 150:
        shown = run(*words, prefix=("env", f"COLUMNS={columns}")).stdout
        usage = shown.partition("\n\n")[0]
        assert columns / 2 < max(map(len, usage.splitlines())) <= columns


def test_help_of_a_command(run: Run) -> None:
    asked = run("help", "stat")
    assert asked.stdout == run("stat", "--help").stdout
    assert "\nexamples:\n  polltrace stat -p 4711 -d 10s\n" in asked.stdout
    assert "5 no such process" in asked.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["stats"], "there is no command 'stats'; did you mean stat? ('polltrace help' lists"),
        (["help", "reprot"], "did you mean report?"),
        (["frobnicate"], "there is no command 'frobnicate' ('polltrace help' lists"),
        (["-p", "1", "stat"], "there is no command '-p'"),
        (["why", "-p", "1", "--jsn"], "why: unrecognized arguments: --jsn; did you mean --json?"),
        (["export", "prometheus", "--lisen=1"], "did you mean --listen?"),
        (["stat", "-d", "soon"], "stat: argument -d/--duration: 'soon' is not a duration, like"),
        (["stat", "1234"], "1234: no such command; for a running process: -p 1234"),
        (["stacks", "--at", "cp"], "invalid choice: 'cp' (choose from 'poll', 'cpu', 'offcpu')"),
        (["export", "prometheus", "--top", "x"], "('polltrace help export' shows the usage)"),
        (["why"], "the following arguments are required: -p/--pid"),
    ],
)
def test_an_error_is_one_line(run: Run, words: list[str], message: str) -> None:
    ended = run(*words)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("polltrace: ")
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_own_commands_are_those_that_the_installed_package_announces() -> None:
    announced = distribution("polltrace").entry_points.select(group="polltrace.commands")
    assert own_commands() == {each.name: each.value for each in announced}


def test_a_command_of_another_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = tmp_path / "other-1.dist-info"
    made.mkdir()
    (made / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
    (made / "entry_points.txt").write_text(
        "[polltrace.commands]\nother = polltrace.commands.ps:Ps\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "other" in command_names()
    assert type(load("other")).__name__ == "Ps"
    # AND a missing name is still a missing name
    with pytest.raises(UsageError, match="did you mean other"):
        load("otter")


def test_a_command_starts_without_what_is_slow() -> None:
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", POLLTRACE, "stat", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert "polltrace.commands.targets" in loaded
    assert loaded & {"importlib.metadata", "email", "numpy", "rich"} == set()


def test_the_version_loads_nothing_else(run: Run) -> None:
    """Held by what is imported, not by a clock: argparse and numpy are what made it slow."""
    assert run("-V").stdout == run("--version").stdout
    assert run("-V").stdout.startswith("polltrace ")
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", POLLTRACE, "-V"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert "polltrace.cli" in loaded
    assert (
        loaded & {"argparse", "numpy", "rich", "polltrace.grammar", "json", "subprocess"} == set()
    )


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("10s", 10), ("500ms", 0.5), ("2m", 120), ("2min", 120), ("1h", 3600), ("100us", 1e-4)),
        *(("7", 7), ("0.25", 0.25), (".5s", 0.5), ("1.5 h", 5400)),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "-1", "1d", "s", "1m30s", "nan", "inf", "1e9h"])
def test_an_invalid_duration_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is not a duration, like 10s, 500ms"):
        duration(text)


@pytest.mark.parametrize("text", ["0", "0s", "0.0ms"])
def test_a_duration_of_zero_is_refused(text: str) -> None:
    with pytest.raises(
        argparse.ArgumentTypeError, match="is no time at all: give more, like 500ms"
    ):
        duration(text)


@pytest.mark.parametrize("name", NAMES)
def test_every_duration_takes_units(name: str) -> None:
    """Every option that takes a time has the same type, so no help text has SECONDS."""
    for action in actions(name):
        if {"-d", "--timeout", "--interval", "--max-cancel"} & {*action.option_strings}:
            assert action.type is duration, action.option_strings
        assert action.metavar not in ("SECONDS", "MS")


def test_a_stop_longer_than_ten_seconds_is_refused(run: Run) -> None:
    """It was once milliseconds: a user who still means those must not stop a server for 50 s."""
    ended = run("stop-at", "-p", "1", "--longest-stop", "50")
    assert (ended.returncode, ended.stderr) == (2, "polltrace: --longest-stop is at most 10s\n")


def test_the_whole_grammar_refuses_as_the_program_does() -> None:
    with pytest.raises(UsageError, match="stat: argument -d/--duration"):
        GRAMMAR.parse_args(["stat", "-d", "soon"])
