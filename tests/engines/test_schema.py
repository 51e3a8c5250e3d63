# SPDX-License-Identifier: GPL-2.0-or-later
"""An engine file is right, or its error is one line that names the file, the key and the cure."""

from __future__ import annotations

import copy
import os
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from polltrace import engines
from polltrace.engines import BREAK_POLL, TIMER_CHECK, CheckKind, Reveals, Trigger, catalogue
from polltrace.engines.catalogue import _with_parents, built_in, of_file, of_site
from polltrace.engines.schema import EngineError, engine_from
from polltrace.errors import FileError
from tests.conftest import ROOT

MADE_UP = """
name = "Made-up DB"
short = "made"

[process]
executables = ["madeupd"]
title = 'madeup: (?P<instance>[a-z]+) (?P<local>local|remote) '
local = "local"

[break_check]
calls = ["recv", "select"]
chain = [["look_for_client"], ["peek", "peek2"], ["recv", "__libc_recv"]]
trigger = "interval"
reveals = "lost client"

[configuration]
parameter = "client_look_ms"
default = 500
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_the_engines_of_this_release_are_right() -> None:
    found = {engine.short: engine for engine in built_in()}
    assert set(found) == {"oracle", "lab", "pgsql", "clickh", "mariad"}
    assert found["oracle"].trigger is found["lab"].trigger is Trigger.COUNT
    assert found["pgsql"].check_kind == TIMER_CHECK
    assert found["oracle"].check_kind == found["lab"].check_kind == BREAK_POLL
    assert found["pgsql"].reveals == {Reveals.LOST_CLIENT}
    assert (found["lab"].default, found["lab"].wait_slice_s) == (3, 3.0)


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    engine = of_file(write(tmp_path / "made.toml", MADE_UP))
    assert engine.calls == ("recv", "select")
    assert engine.default == 500
    title = engine.titled("madeup: sales local idle")
    assert title is not None
    assert (engine.instance_of(title), engine.is_local(title)) == ("sales", True)
    title = engine.titled("madeup: sales remote idle")
    assert title is not None
    assert not engine.is_local(title)


def test_an_inheriting_file_says_what_differs(tmp_path: Path) -> None:
    engine = of_file(
        write(
            tmp_path / "fork.toml",
            'inherits = "postgresql"\nname = "Fork"\nshort = "fork"\n'
            '[process]\nexecutables = ["forked"]\n',
        )
    )
    assert (engine.short, engine.calls) == ("fork", ("poll", "epoll_wait"))


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda d: d.pop("name"), "name: missing; give 1 to 40 printable characters"),
        (lambda d: d.update(short="toolong"), "short: 1 to 6 letters"),
        (lambda d: d.update(shrt="x"), "shrt: no such key; known are"),
        (lambda d: d.pop("process"), "process: missing; the file needs a table [process]"),
        (lambda d: d.pop("configuration"), "configuration: missing; the file needs a table"),
        (lambda d: d.update(process=3), "process: a table [process] is expected"),
        (lambda d: d["process"].update(executables=["a/b"]), "process.executables: file names"),
        (lambda d: d["process"].update(executables=[]), "process.executables: file names"),
        (lambda d: d["process"].update(executables=["x" * 31]), "process.executables: file names"),
        (lambda d: d["process"].update(title="(?=x)"), "process.title: '?' repeats nothing"),
        (lambda d: d["process"].update(title="(?P<sid>x)"), "no group is called 'sid'"),
        (lambda d: d["break_check"].update(calls=["read"]), "break_check.calls: some of poll, "),
        (lambda d: d["break_check"].update(trigger="often"), "break_check.trigger: one of 'count'"),
        (lambda d: d["break_check"].update(chain=["a", "b"]), "break_check.chain: a list of"),
        (
            lambda d: d["break_check"].update(chain=[["a"]] * 31),
            "break_check.chain: a list of",
        ),
        (lambda d: d["break_check"].update(chains=[]), "break_check.chain: give the functions"),
        (lambda d: d["break_check"].update(trigger="count"), "break_check.function: trigger"),
        (lambda d: d["break_check"].update(reveals="end"), "break_check.reveals: a list of 'canc"),
        (lambda d: d["break_check"].update(reveals=[]), "break_check.reveals: a list of 'cancel'"),
        (lambda d: d["break_check"].update(started_by="x"), "break_check.started_by: one of loop"),
        (lambda d: d["break_check"].update(system_calls=["read"]), "break_check.system_calls: at"),
        (lambda d: d["break_check"].update(system_calls=["poll"] * 9), "break_check.system_calls"),
        (
            lambda d: d["break_check"].update(cost_model="oracle"),
            "break_check.cost_model: 'or",
        ),
        (
            lambda d: d["break_check"].update(cost_model="postgresql"),
            "cost_model: 'postgresql'",
        ),
        (
            lambda d: d["break_check"].update(trigger="none"),
            "break_check.no_check: missing",
        ),
        (
            lambda d: d["configuration"].update(disable_oob="NO_OOB"),
            "configuration.disable_oob",
        ),
        (lambda d: d["process"].update(sessions="fiber"), "process.sessions: one of"),
        (lambda d: d["configuration"].update(default=-1), "configuration.default: a whole number"),
        (lambda d: d["configuration"].update(default=True), "configuration.default: a whole"),
        (lambda d: d["configuration"].update(wait_slice_s="3"), "configuration.wait_slice_s: sec"),
        (lambda d: d["configuration"].update(file="x"), "configuration.directories: missing"),
        (
            lambda d: d.update(views={"of": "db2"}),
            "views.of: one of oracle, postgresql is expected",
        ),
        (lambda d: d.update(views={"sql_trace": 1}), "views.sql_trace: true or false is expected"),
        (lambda d: d.update(latches={"get": ["a"], "spin": ["b"]}), "latches.sleep: missing"),
        (
            lambda d: d.update(latches={"get": "a", "spin": ["b"], "sleep": ["c"]}),
            "latches.get: a list of texts is expected",
        ),
        (lambda d: d["break_check"].update(trigger=["count"]), "break_check.trigger: one of"),
        (
            lambda d: d.update(inherits="mysql"),
            "inherits: one of clickhouse, lab, mariadb,",
        ),
    ],
)
def test_a_mistake_names_file_key_and_cure(
    change: Callable[[dict[str, Any]], None], error: str, tmp_path: Path
) -> None:
    data = tomllib.loads(MADE_UP)
    change(data)
    path = write(tmp_path / "made.toml", _toml(data))
    with pytest.raises(FileError) as raised:
        of_file(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert error in str(raised.value)
    assert "\n" not in str(raised.value)


def _toml(data: dict[str, Any]) -> str:
    """JSON's values are TOML's, but for booleans and tables."""
    import json  # noqa: PLC0415

    lines = [f"{k} = {json.dumps(v)}" for k, v in data.items() if not isinstance(v, dict)]
    for name, table in data.items():
        if isinstance(table, dict):
            lines += [f"[{name}]", *(f"{k} = {json.dumps(v)}" for k, v in table.items())]
    return "\n".join(lines)


@pytest.mark.parametrize("trigger", ["count", "interval"])
@pytest.mark.parametrize("reveals", [["cancel"], ["lost client"], ["cancel", "lost client"]])
def test_every_trigger_goes_with_every_event(trigger: str, reveals: list[str]) -> None:
    data = tomllib.loads(MADE_UP)
    data["break_check"] |= {"trigger": trigger, "reveals": reveals, "function": "look_for_client"}
    data["break_check"]["system_calls"] = ["epoll_create1", "epoll_ctl", "epoll_wait", "close"]
    engine = engine_from(data)
    calls = ("epoll_create1", "epoll_ctl", "epoll_wait", "close")
    assert engine.check_kind == CheckKind(Trigger(trigger), False, calls)
    assert [word for word in ("cancels", "is gone") if word in engine.revealed] == [
        {"cancel": "cancels", "lost client": "is gone"}[event] for event in reveals
    ]
    assert not engine.has_out_of_band


def test_a_chain_may_be_one_demangled_function() -> None:
    data = tomllib.loads(MADE_UP)
    data["break_check"]["chain"] = [["toy::Server::look(int)", "_ZN3toy6Server5checkEv"]]
    assert engine_from(data).chains == ((frozenset({"toy::Server::look", "toy::Server::check"}),),)


def test_an_engine_without_a_check_declares_nothing_of_one() -> None:
    engine = engine_from(
        {
            **tomllib.loads(MADE_UP),
            "break_check": {"trigger": "none", "no_check": "it sees nothing"},
        }
    )
    assert (engine.calls, engine.chains, engine.reveals) == ((), (), frozenset())
    assert engine.never_checks


STRANGE = [
    *("", "\x1b[2J\n", "x" * 3000, "(" * 400, "a{1000}", 0, -1, 10**30, 0.5, True, [], [[]], [{}]),
    *({}, {"x": 1}, [["a"], 1], [[["a"]]], [1], ["a", ["b"]]),
]


@pytest.mark.parametrize(
    ("table", "key"),
    [
        *(("", key) for key in ("name", "short", "process", "break_check", "configuration")),
        *(("process", key) for key in ("executables", "title")),
        *(("break_check", key) for key in ("calls", "chain", "trigger", "reveals")),
        *(("configuration", key) for key in ("parameter", "default")),
    ],
)
def test_the_mandatory_keys_are_those_that_the_page_lists(table: str, key: str) -> None:
    data = tomllib.loads(MADE_UP)
    engine_from(copy.deepcopy(data))
    del (data[table] if table else data)[key]
    with pytest.raises(EngineError, match=key):
        engine_from(data)
    page = (ROOT / "docs/reference/engines.md").read_text()
    (listed,) = [line for line in page.splitlines() if line.startswith("Mandatory are")]
    assert table or key in ("name", "short") or f"`{key}." in listed
    assert not table or f"`{table}.{key}`" in listed


@pytest.mark.parametrize(
    ("unit", "command"),
    [("ms", "SET look = 1500"), ("s", "SET look = 1.5"), (None, "SET look = 1.5")],
)
def test_the_set_command_has_the_unit_of_its_file(unit: str | None, command: str) -> None:
    data = tomllib.loads(MADE_UP)
    data["configuration"] |= {"set": "SET look = {value}"} | ({"unit": unit} if unit else {})
    engine = engine_from(data)
    assert engine.set_command(1.5) == command
    assert engine.set_command() == "SET look = ..."


def _places(data: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Every key of a file, those of its tables and the tables themselves."""
    for table in [data, *(each for each in data.values() if isinstance(each, dict))]:
        for key in [*table, "inherits", "a\nb"]:
            yield table, key


@pytest.mark.parametrize("chains", [True, False])
def test_whatever_a_file_has_its_error_is_one_line(chains: bool) -> None:
    """An error of any other kind would end every command, with a traceback."""
    known = tomllib.loads(MADE_UP)
    known["break_check"]["function"] = "look_for_client"
    if chains:
        known["break_check"]["chains"] = [known["break_check"].pop("chain")]
    known["process"] |= {"not_title": "madeup: other", "sessions": "thread"}
    known["break_check"] |= {"started_by": "signal", "system_calls": ["poll", "close"]}
    known["configuration"] |= {"directories": ["$HOME"], "wait_slice_s": 1, "ask": "x"}
    known["configuration"] |= {"set": "y {value}", "unit": "ms", "scope": "z"}
    known |= {"clients": {"ask": ["x"], "tell": "y"}, "stacks": {"layers": "oracle", "find": "f"}}
    known["views"] = {"of": "oracle", "waits": "v", "sql_trace": True}
    known["latches"] = {"get": ["g"], "spin": ["s"], "sleep": ["z"]}
    engine_from(_with_parents(copy.deepcopy(known)))
    places, refused = len(list(_places(known))), 0
    for number in range(places):
        for value in STRANGE:
            data = copy.deepcopy(known)
            table, key = list(_places(data))[number]
            table[key] = value
            try:
                engine_from(_with_parents(data))
            except EngineError:
                refused += 1
    assert refused > places * len(STRANGE) / 2


def test_an_unknown_key_of_two_lines_is_named_on_one(tmp_path: Path) -> None:
    path = write(tmp_path / "made.toml", f'"a\\nb" = 1\n{MADE_UP}')
    with pytest.raises(FileError, match="no such key") as raised:
        of_file(path)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"name = ", "it is not TOML"),
        (b"\xff", "it is not UTF-8"),
        (b"#" * 70000, "longer than"),
        (b"a = " + b"[" * 30000, "it is not TOML"),
        (b"a = " + b"1" * 5000, "it is not TOML"),
    ],
)
def test_what_is_no_engine_file_is_refused(content: bytes, error: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    with pytest.raises(FileError, match=error):
        of_file(path)


def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(FileError, match="no regular file"):
        of_file(tmp_path / "pipe.toml")


def test_a_broken_file_of_the_site_never_breaks_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "a.toml", "name = ")
    write(tmp_path / "b.toml", MADE_UP)
    write(tmp_path / "c.toml", MADE_UP.replace("Made-up DB", "PostgreSQL"))
    monkeypatch.setattr(catalogue.of_site, "__defaults__", (tmp_path,))
    monkeypatch.setattr(engines, "_catalogue", ())
    assert [engine.short for engine in engines.engines()] == [
        *("made", "clickh", "lab", "mariad", "oracle", "pgsql")
    ]
    (error,) = capsys.readouterr().err.splitlines()
    assert error.startswith(f"polltrace: {tmp_path}/a.toml: it is not TOML")
    assert error.endswith("the file is left out")


def test_no_folder_of_the_site_is_no_error(tmp_path: Path) -> None:
    assert list(of_site(tmp_path / "none")) == []


def test_two_engines_of_one_name_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "_catalogue", ())
    path = write(tmp_path / "x.toml", MADE_UP.replace("Made-up DB", "PostgreSQL"))
    with pytest.raises(FileError, match="two engine files say name = 'PostgreSQL'"):
        engines.add_engines([path])


def test_the_probe_is_told_of_every_call_but_poll(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "_catalogue", ())
    engines.add_engines([write(tmp_path / "made.toml", MADE_UP)])
    assert engines.check_options() == [
        *("--check", "clickhouse=epoll_wait"),
        *("--check", "clickhouse-server=epoll_wait"),
        *("--check", "madeupd=recv,select"),
        *("--check", "postgres=epoll_wait,poll"),
    ]


def test_the_worked_example_is_the_file_itself() -> None:
    page = (ROOT / "docs/reference/engines.md").read_text()
    text = (ROOT / "polltrace/engines/postgresql.toml").read_text()
    assert text.partition("name = ")[2] in page
