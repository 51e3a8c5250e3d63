# SPDX-License-Identifier: GPL-2.0-or-later
"""CONTRIBUTING.md's examples are lines of the tree, and what each adds works."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from polltrace import engines, procfs
from polltrace.backends import choice
from polltrace.grammar import build_parser
from polltrace.scenarios import clients
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.servers.servers import servers
from polltrace.top import columns
from polltrace.top.screen import table_screen
from polltrace.top.state import UIState
from polltrace.watch.snapshot import ServerRow
from tests.backends import test_live
from tests.conftest import ROOT
from tests.docs.test_pages import inline
from tests.lab import test_drivers
from tests.polltrace.exact_poller import exact_poller
from tests.waiting import until
from tests.watch.samples import snapshot

PAGE = (ROOT / "CONTRIBUTING.md").read_text()


def examples(heading: str) -> list[str]:
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^```(?:python|toml)\n(.*?)^```$", section, re.M | re.S)


def test_quoted_lines_are_in_the_named_files() -> None:
    sources = [(ROOT / path).read_text() for path in inline(PAGE) if (ROOT / path).is_file()]
    shown = [each for title in re.findall(r"^## (.*)$", PAGE, re.M) for each in examples(title)]
    assert len(shown) == 7
    for example in shown:
        assert any(example.strip() in source for source in sources), example


def test_the_example_column_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table has it from its width on, once the example's line is among the columns."""
    field, line = examples("A column of `top`")
    name, default = re.fullmatch(r"(\w+): .* = (\w+)\n", field).groups()  # type: ignore[union-attr]
    assert ServerRow.__dataclass_fields__[name].default is eval(default)
    column = eval(line, vars(columns))

    def screen(width: int) -> str:
        drawn = table_screen(snapshot(), UIState(), width=width, height=20, interval_s=1.0)
        return "\n".join(str(each) for each in drawn)

    without = tuple(each for each in columns.COLUMNS if each.key != column.key)
    monkeypatch.setattr(columns, "COLUMNS", without)
    assert column.title not in screen(120)
    monkeypatch.setattr(columns, "COLUMNS", (*without, column))
    assert column.title in screen(120)
    assert "46.7 ms" in screen(120)
    assert column.title not in screen(80)


@pytest.fixture
def folder_of_engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """polltrace's own, but the lab, where a new one can be put."""
    folder = tmp_path / "engines"
    shutil.copytree(ROOT / "polltrace/engines", folder)
    (folder / "lab.toml").unlink()
    monkeypatch.setattr(engines.catalogue, "files", lambda _: folder)
    monkeypatch.setattr(engines, "_catalogue", ())
    return folder


def test_the_example_engine_works(folder_of_engines: Path, tmp_path: Path) -> None:
    """A process with such an executable and title is a dedicated server, once the file is there."""
    (example,) = examples("An engine")
    executable = tmp_path / "oralab"
    shutil.copy(shutil.which("sleep") or "", executable)
    with subprocess.Popen(["oracleLAB (LOCAL=NO)", "1000"], executable=executable) as process:
        try:
            until(lambda: Path(f"/proc/{process.pid}/exe").resolve() == executable)
            until(lambda: procfs.title(process.pid))  # an exec sets it a moment later
            assert servers([process.pid]) == []
            (folder_of_engines / "new.toml").write_text(example)
            engines.add_engines(())
            (server,) = servers([process.pid])
            assert (server.engine.short, server.instance) == ("lab", "LAB")
            (oracle,) = [each for each in engines.engines() if each.short == "oracle"]
            assert server.engine.chains == oracle.chains
        finally:
            process.kill()


@pytest.mark.usefixtures("built_lab")
def test_the_example_driver_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once its program is made it is started by its name and talks to the lab; this one's program
    is python-oracledb's."""
    entry, cases = examples("A driver")
    made = tmp_path / "client"
    program = eval(entry, vars(clients) | {"_GO": made})
    monkeypatch.setitem(clients.PROGRAMS, program.name, program)
    assert "make clients" in str(clients.program(program.name).missing())
    source = ROOT / "scenarios/clients/python_oracledb/client.py"
    made.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{source}'\n")
    made.chmod(0o755)
    with LabServer() as lab, DriverClient(program.name) as client:
        lab.connect(client, break_poll_skip=3, disable_oob=True)
        assert client.query("select 6 * 7 from dual")[1] == [[42]]
    held = eval(f"{{{cases}}}")
    assert held.items() <= test_drivers.CASES.items()
    assert {name for name, _ in held.values()} == {program.name}


def test_the_example_backend_works(capsys: pytest.CaptureFixture[str]) -> None:
    """It is a choice of `stat`, and counts."""
    named, function = examples("A backend")
    scope: dict[str, Any] = dict(vars(test_live))
    exec(named + function, scope)
    assert scope["BACKENDS"] == choice.BACKENDS
    for name in scope["BACKENDS"]:
        assert build_parser().parse_args(["stat", "-p", "1", "--backend", name]).backend == name
    with exact_poller(307, 103) as poller, scope["ptrace"](poller.pid) as backend:
        poller.poll()
        (totals,) = backend.stop().totals
    assert (totals.break_polls, totals.other_polls) == (307, 103)
