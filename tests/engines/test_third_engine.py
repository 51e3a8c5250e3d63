# SPDX-License-Identifier: GPL-2.0-or-later
"""An engine of one's own takes one file and no code."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import POLLTRACE, missing
from tests.engines.test_schema import MADE_UP
from tests.probes.conftest import TARGETS, why_no_bpf
from tests.probes.probe_process import Target, read_line


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Target]:
    if why := why_no_bpf():
        missing(why)
    program = tmp_path / "madeupd"
    subprocess.run(["gcc", "-O1", str(TARGETS / "checker.c"), "-o", str(program)], check=True)
    shell = f"exec -a 'madeup: sales local busy' {program}"
    running = Target.start(Path("/bin/bash"), "env", "-i", "bash", "-c", shell, "--")
    yield running
    running.close()


def test_one_file_makes_a_third_engine(server: Target, tmp_path: Path) -> None:
    file = tmp_path / "made.toml"
    file.write_text(MADE_UP)
    command = [
        POLLTRACE,
        "stat",
        "-p",
        str(server.pid),
        "--engine",
        str(file),
        "-d",
        "1h",
        "--json",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as stat:
        assert "attached" in read_line(stat.stderr)
        server.do("recv 101")
        server.do("select 103")
        server.do("epoll 107")
        server.do("poll 109")
        stat.terminate()
        out, _ = stat.communicate()
    (process,) = json.loads(out)["processes"]
    assert (process["break_polls"], process["other_polls"]) == (101 + 103, 107 + 109)

    listed = subprocess.run(
        [POLLTRACE, "ps", "--engine", str(file), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    (session,) = [s for s in json.loads(listed.stdout)["sessions"] if s["pid"] == server.pid]
    assert (session["engine"], session["instance"], session["local"]) == (
        "Made-up DB",
        "sales",
        True,
    )
    assert session["break_mode"] in ("not checking", "unknown")


@pytest.mark.usefixtures("quick_calibration")
def test_its_reports_have_its_own_words(server: Target, tmp_path: Path) -> None:
    file = tmp_path / "made.toml"
    file.write_text(MADE_UP)
    server.begin("recv 2000000000")

    def polltrace(*words: str) -> str:
        command = [POLLTRACE, *words, "-p", str(server.pid), "--engine", str(file)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    why = json.loads(polltrace("why", "--json"))
    assert (why["break_mode"], why["cause"]) == ("checking", "interval-set")
    assert why["reason"].startswith("client_look_ms is set")
    advice = json.loads(polltrace("advise", "-d", "1s", "--json"))
    assert (advice["engine"], advice["parameter"]) == ("Made-up DB", "client_look_ms")
    assert advice["checks_per_s"] > 1000
    assert advice["check_cost_us"] > 0
    text = polltrace("dump")
    assert "checks of its client a second" in text
    assert "client_connection" not in text


@pytest.mark.parametrize(
    ("change", "error"),
    [("", "cannot read"), ("nonsense = 1\n", "nonsense: no such key; known are")],
)
def test_a_file_that_is_wrong_ends_the_command(change: str, error: str, tmp_path: Path) -> None:
    file = tmp_path / "made.toml"
    if change:
        file.write_text(change + MADE_UP)
    ended = subprocess.run(
        [POLLTRACE, "ps", "--engine", str(file)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 8
    (line,) = ended.stderr.splitlines()
    assert str(file) in line
    assert error in line
