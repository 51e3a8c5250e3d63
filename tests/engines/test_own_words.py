# SPDX-License-Identifier: GPL-2.0-or-later
"""What is shown of a PostgreSQL session has PostgreSQL's words and none of Oracle's."""

from __future__ import annotations

import html
import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import POLLTRACE
from tests.engines.conftest import StartSession, executing

pytestmark = pytest.mark.usefixtures("quick_calibration")

NAMES = r"oracle|sqlnet|nsmore2recv|nioqts|break_poll_skip|disable_oob|v\$session|sigurg"
# In sentences and headings; data for programs has the same keys for every engine.
ORACLE = re.compile(rf"{NAMES}|in-band|out-of-band|\bskip\b", re.IGNORECASE)
IN_DATA = re.compile(NAMES, re.IGNORECASE)
OF_THE_SHELL = re.compile(r"<script.*?</script>|<style.*?</style>", re.DOTALL)


def polltrace(*words: str | Path) -> str:
    ended = subprocess.run([POLLTRACE, *words], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_live_commands_use_the_terms_of_the_sessions_engine(start_session: StartSession) -> None:
    (client, pid), (other, quiet) = start_session(10), start_session(0)
    _, idle = start_session(0)
    commands = [
        *(["ps"], ["top", "-b", "-n", "3", "-d", "0.5"], ["stat", "-p", str(pid), "-d", "1s"]),
        ["stop-at", "-p", str(pid), "--longest-stop", "10s"],
        *(["why", "-p", str(each)] for each in (pid, quiet, idle)),
        *(["dump", "-p", str(each)] for each in (pid, quiet, idle)),
        *(["why", "--slow", "-p", str(each), "-d", "1s"] for each in (pid, idle)),
        *(["advise", "-p", str(each), "-d", "1s"] for each in (pid, quiet, idle)),
    ]
    with executing(client, other):
        shown = {" ".join(words): polltrace(*words) for words in commands}
    found = {name: ORACLE.findall(text) for name, text in shown.items()}
    assert {name: words for name, words in found.items() if words} == {}
    slow = shown[f"why --slow -p {pid} -d 1s"]
    assert "pg_stat_activity" in slow or "waits for a processor" in slow  # of a busy host
    for name in (f"why -p {pid}", f"advise -p {pid} -d 1s", "ps"):
        assert " checking" in shown[name] or "checks" in shown[name]
    assert "SHOW client_connection_check_interval" in shown[f"why -p {quiet}"]
    top = shown["top -b -n 3 -d 0.5"]
    assert re.search(rf"^ *{pid} .* client_connection_check_interval is set", top, re.MULTILINE)


@pytest.fixture
def recording(start_session: StartSession, tmp_path: Path) -> Path:
    """A session that executed and checked all the time."""
    client, pid = start_session(1)
    path = tmp_path / "pg.polltrace"
    with executing(client):
        polltrace("record", "-o", path, "-p", str(pid), "-d", "3s")
    return path


def test_a_recording_uses_the_terms_of_its_engine(recording: Path, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow.parquet")
    shown = {}
    for verb, files in (("report", [recording]), ("diff", [recording, recording])):
        shown[f"{verb} text"] = polltrace(verb, *files)
        page = tmp_path / "page.html"
        polltrace(verb, *files, "--html", page)
        text = page.read_text()
        assert "Executor: the steps of a plan" in text  # a layer of its graph
        assert IN_DATA.findall(html.unescape(text)) == []
        shown[f"{verb} page"] = OF_THE_SHELL.sub("", html.unescape(text))
    for at, layer in (
        ("poll", "The client's connection"),
        ("cpu", "Executor: the steps of a plan"),
    ):
        shown[f"stacks {at}"] = polltrace("stacks", recording, "--at", at)
        shown[f"layers {at}"] = polltrace("stacks", recording, "--at", at, "--group", "layer")
        folded = polltrace(
            "stacks", recording, "--at", at, "--group", "layer", "--format", "folded"
        )
        assert layer in folded
        svg = polltrace("stacks", recording, "--at", at, "--format", "svg")
        shown[f"svg {at}"] = OF_THE_SHELL.sub("", svg)
    assert "pq_check_connection" in shown["stacks poll"]
    assert "client_connection_check_interval" in shown["report text"]
    found = {name: ORACLE.findall(text) for name, text in shown.items()}
    assert {name: words for name, words in found.items() if words} == {}

    data = [json.loads(polltrace("report", recording, "--json"))]
    data.append(json.loads(polltrace("diff", recording, recording, "--json")))
    data.append(json.loads(polltrace("stacks", recording, "--format", "json")))
    polltrace("export", "--parquet", recording, tmp_path / "tables")
    data += [
        pyarrow.read_table(table).to_pylist() for table in (tmp_path / "tables").glob("*.parquet")
    ]
    assert IN_DATA.findall(json.dumps(data)) == []
