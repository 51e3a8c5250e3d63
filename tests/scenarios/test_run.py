# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace run` and what reads its files, against the real lab, drivers and probe."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from polltrace.scenarios.analyse.run_file import read_run
from polltrace.scenarios.report.run import RunReport
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.sqlnet_file import write_sqlnet
from tests.conftest import POLLTRACE, missing
from tests.waiting import until

from .test_demo import all_ended, descendants

Process = subprocess.Popen[str]
Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., Process]

SMALL = """
title = "small"
statement = "lotslios.sql"
seconds = 0.01
record = ["elapsed", "polls", "statistics"]
[matrix]
client = ["python-oracledb"]
break_mode = ["out-of-band", "in-band", "local"]
skip = [3]
[base]
break_mode = "out-of-band"
[repeats]
blocks = 2
timed = 1
counted = 1
"""
WHOLE = (
    SMALL.replace('statistics"]', 'statistics", "cancel", "stacks"]')
    .replace("[3]", "[3, 100]")
    .replace("timed = 1", "timed = 2")
)
ENDS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
KILLS = int(os.environ.get("RUN_KILLS", "2"))
"""How often a run is killed; `make soak` has more."""


@pytest.fixture
def run() -> Run:
    """As tests/conftest.py has it, with the patience that a run needs on a busy machine."""

    def run_(*argv: str, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        words = [*prefix, POLLTRACE, *argv]
        return subprocess.run(words, capture_output=True, text=True, timeout=400, check=False)

    return run_


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


@pytest.mark.usefixtures("lab")
def test_a_run_holds_what_it_promises(run: Run, small: Path, tmp_path: Path) -> None:
    saved = tmp_path / "a.run"
    small.write_text(WHOLE)
    ended = run("run", str(small), "-o", str(saved), "--seed", "7", "--repeats", "1")
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
    assert "Noise floor: " in ended.stdout
    assert "The probe counted exactly what the server did." in ended.stdout

    data = json.loads(run("report", str(saved), "--json").stdout)
    assert data["header"]["seed"] == 7
    assert data["counts_agree"] is True
    cells = {
        (c["cell"]["break_mode"], c["cell"]["skip"], c["cell"]["twin"]): c for c in data["cells"]
    }
    assert len(cells) == 5
    for (mode, skip, _), cell in cells.items():
        counted = cell["counted"]
        assert counted["polls"] == counted["polls_server"]
        assert counted["lost"] == 0
        assert cell["cancels_wrong"] == cell["cancels_lost"] == 0
        assert len(cell["cancels_ms"]) == 1
        assert cell["stacks"]["samples"] > 0
        assert cell["in_break_check_pct"]["high"] > 0
        if mode == "in-band":
            assert counted["gets_per_poll"] == pytest.approx(skip, rel=0.01)
        else:
            assert counted["polls"] == 0
    # Each turn has a yardstick of its own, shared by its cells.
    turns: dict[int, set[float]] = {}
    for line in read_run(saved).of("sample"):
        turns.setdefault(line["turn"], set()).add(line["yardstick_s"])
    assert all(len(each) == 1 and min(each) > 0 for each in turns.values())
    assert len(set.union(*turns.values())) == len(turns) > 1
    # The article's first finding: by the views an execution is the same everywhere.
    for name in ("consistent gets", "execute count"):
        seen = [c["counted"]["statistics"][name] for c in cells.values()]
        assert max(seen) <= 1.02 * min(seen)
    # The page has every plot and makes no requests.
    text = RunReport(saved).html()
    for heading in (
        "Elapsed",
        "Break polls",
        "Cancels",
        "What a skip costs",
        "Where the time went",
    ):
        assert f"<h2>{heading}" in text
    assert "nsmore2recv" in text
    assert "src=" not in text
    assert "<script" not in text


@pytest.mark.usefixtures("lab")
def test_a_cancel_meets_its_call_however_short_the_others_are(
    run: Run, small: Path, tmp_path: Path
) -> None:
    saved = tmp_path / "a.run"
    record = re.compile("record = .*")
    small.write_text(
        record.sub('record = ["cancel"]', SMALL).replace("seconds = 0.01", "seconds = 0.001")
    )
    assert run("run", str(small), "-o", str(saved)).returncode == 0
    data = json.loads(run("report", str(saved), "--json").stdout)
    work = data["header"]["work"]
    assert work["cancelled"]["n"] == 400 * work["binds"]["n"] >= 400 * 250
    assert {cell["cancels_lost"] for cell in data["cells"]} == {0}


@pytest.mark.usefixtures("lab")
def test_killed_at_any_moment_it_leaves_nothing_and_can_be_resumed(
    start: Start, run: Run, small: Path, tmp_path: Path
) -> None:
    # With network namespaces among what has to go, with interfaces between them, and a relay. No
    # delay: not every kernel has netem.
    path = '[paths.near]\nurgent = "drop"\n[matrix]\npath = ["direct", "near"]\n'
    blocks = f"blocks = {KILLS}"
    small.write_text(SMALL.replace("[matrix]\n", path).replace("blocks = 2", blocks))
    saved = tmp_path / "k.run"
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    moment = random.Random(KILLS)
    family: set[int] = set()
    home = Path("/proc/self/ns/net").readlink()
    seen: set[Path] = set()
    what: tuple[str, ...] = ("run", str(small), "--network", "netem", "-o", str(saved))
    # WHEN it is ended at random moments, in one way or another, first before it has begun to write,
    # last when it has namespaces
    for n in range(KILLS):
        process = start(*what, TMPDIR=str(temporary))
        deadline = time.monotonic() + moment.uniform(0.3, 5)
        family = set()
        last = n == KILLS - 1
        while (time.monotonic() < deadline or (last and not seen)) and process.poll() is None:
            family |= descendants(process.pid)
            seen |= namespaces(family) - {home}
            time.sleep(0.02)
        process.send_signal(moment.choice(ENDS))
        process.wait()
        # THEN nothing of it is left
        all_ended(family)
        all_given_up(seen)
        # What was started in the last moment may be at it still.
        until(lambda: not [*temporary.iterdir()], "a folder without leavings")
        if saved.exists():
            what = ("run", "--resume", str(saved))
    assert seen
    # THEN it goes on to its end, and every whole block counts
    ended = run(*what)
    assert ended.returncode == 0, ended.stderr
    assert len(read_run(saved).blocks) == KILLS


def namespaces(pids: Iterable[int]) -> set[Path]:
    """The network namespaces of processes, by what the kernel calls them."""
    found = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            found.add(Path(f"/proc/{pid}/ns/net").readlink())
    return found


def all_given_up(network: set[Path]) -> None:
    until(lambda: not network & held_namespaces(), "the end of the run's network namespaces")


def held_namespaces() -> set[Path]:
    """All that there are: one lives by a process, a descriptor or a mount."""
    pids = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdecimal()]
    found = namespaces(pids)
    for pid in pids:
        with contextlib.suppress(OSError):
            for descriptor in Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    found.add(descriptor.readlink())
        with contextlib.suppress(OSError):
            mounts = Path(f"/proc/{pid}/mountinfo").read_text()
            found |= {Path(name) for name in re.findall(r"net:\[\d+\]", mounts)}
    return found


@pytest.mark.usefixtures("lab")
def test_a_stranger_of_a_server(run: Run, small: Path, tmp_path: Path) -> None:
    """The lab as if it were a foreign Oracle: only requested changes are made, and undone."""
    saved = tmp_path / "s.run"
    with LabServer() as lab:
        oracle = lab.oralab
        write_sqlnet(oracle.tns_admin, break_poll_skip=10)
        sqlnet = oracle.sqlnet_ora
        before = sqlnet.read_text()
        connect = (
            *("--server", "oracle", "--connect", oracle.dsn, "--user", oracle.user),
            *("--repeats", "1"),
        )
        environment = ("env", f"POLLTRACE_PASSWORD={oracle.password}")

        ended = run("run", str(small), *connect, "-o", str(saved), prefix=environment)
        assert ended.returncode == 0, ended.stderr
        assert "skipped: a local (bequeath) session" in ended.stderr
        cells = {c["cell"]["break_mode"]: c for c in report(run, saved) if not c["cell"]["twin"]}
        assert cells["in-band"]["counted"]["gets_per_poll"] == pytest.approx(10, rel=0.01)
        assert cells["out-of-band"]["counted"]["polls"] == 0
        assert sqlnet.read_text() == before

        saved.unlink()
        small.write_text(SMALL.replace("[3]", "[3, 100]"))
        more = ("--set-sqlnet", str(sqlnet), "-o", str(saved))
        ended = run("run", str(small), *connect, *more, prefix=environment)
        assert ended.returncode == 0, ended.stderr
        assert f"BREAK_POLL_SKIP is set in {sqlnet} during the run" in ended.stderr
        skips = {c["cell"]["skip"]: c for c in report(run, saved)}
        for skip in (3, 100):
            assert skips[skip]["counted"]["gets_per_poll"] == pytest.approx(skip, rel=0.01)
        assert sqlnet.read_text() == before
        assert [each.name for each in sqlnet.parent.iterdir() if "polltrace" in each.name] == []


@pytest.mark.usefixtures("lab")
def test_a_killed_run_on_a_stranger_is_restored(start: Start, run: Run, small: Path) -> None:
    with LabServer() as lab:
        oracle = lab.oralab
        write_sqlnet(oracle.tns_admin, break_poll_skip=10)
        before = oracle.sqlnet_ora.read_text()
        environment = {
            "POLLTRACE_PASSWORD": oracle.password,
            "XDG_STATE_HOME": str(small.parent / "state"),
        }
        process = start(
            *("run", str(small), "--server", "oracle", "--connect", oracle.dsn),
            *("--user", oracle.user, "--set-sqlnet", str(oracle.sqlnet_ora)),
            *("-o", str(small.parent / "x.run")),
            **environment,
        )
        until(lambda: oracle.sqlnet_ora.read_text() != before, "a change to sqlnet.ora")
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert oracle.sqlnet_ora.read_text() != before
        prefix = ("env", f"XDG_STATE_HOME={environment['XDG_STATE_HOME']}")
        ended = run("restore", prefix=prefix)
        assert (ended.returncode, ended.stdout) == (0, f"{oracle.sqlnet_ora} is restored.\n")
        assert oracle.sqlnet_ora.read_text() == before
        assert run("restore", prefix=prefix).stdout == "Nothing to restore.\n"


@pytest.mark.usefixtures("lab")
def test_a_regression_is_an_exit_code(run: Run, small: Path, tmp_path: Path) -> None:
    base, again, worse = (tmp_path / name for name in ("base", "again", "worse"))
    only = ("--only", "break_mode=in-band", "--repeats", "1")
    assert run("run", str(small), *only, "-o", str(base)).returncode == 0
    assert run("run", "--like", str(base), "-o", str(again)).returncode == 0
    # GIVEN the same with a server that polls at every logical I/O
    assert run("run", "--like", str(base), "--force-skip", "1", "-o", str(worse)).returncode == 0
    junit, markdown = tmp_path / "j.xml", tmp_path / "m.md"
    # THEN the one is flagged and the other is not, whatever the machine was doing
    wide = ("--margin", "900")
    assert run("compare", str(base), str(again), *wide).returncode == 0
    ended = run(
        *("compare", str(base), str(worse), "--margin", "150"),
        *("--junit", str(junit), "--markdown", str(markdown)),
    )
    assert ended.returncode == 1
    # On a busy host times may be beyond even this margin.
    failures = ElementTree.parse(junit).findall(".//failure")
    assert "3.000 times the base" in [failure.get("message") for failure in failures]
    assert "| 3.000 | **regression** |" in markdown.read_text()
    rows = [line for line in ended.stdout.splitlines() if line.endswith("  regression")]
    assert any("polls per get" in row for row in rows)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("run",), "name one scenario"),
        (("run", "nonesuch"), "no scenario is called 'nonesuch'"),
        (("run", "break-poll", "--only", "colour=red"), "'colour=red' is not KEY=VALUE"),
        (("run", "break-poll", "--server", "oracle"), "needs --connect"),
        (("run", "break-poll", "--connect", "a:1/b"), "go with --server oracle"),
        (("compare", "nonesuch", "nonesuch"), "cannot read nonesuch"),
        (("compare", "/dev/null", "/dev/null"), "/dev/null is no recording, run or load"),
    ],
)
def test_an_error_is_one_line(run: Run, argv: tuple[str, ...], message: str) -> None:
    ended = run(*argv)
    assert ended.returncode == (8 if argv[0] == "compare" else 2)
    assert message in ended.stderr.strip().splitlines()[-1]
    assert "Traceback" not in ended.stderr


def test_a_run_without_a_cell_is_refused(built_lab: None, run: Run) -> None:
    ended = run("run", "break-poll", "--only", "client=sqlplus")
    assert ended.returncode == 2
    assert "nothing is left to run" in ended.stderr.strip().splitlines()[-1]
    assert "Traceback" not in ended.stderr


def test_scenarios_are_listed(run: Run) -> None:
    listed = run("scenarios").stdout
    assert "break-poll " in listed
    data = json.loads(run("scenarios", "--json").stdout)
    assert {each["name"] for each in data} >= {"break-poll", "cancel-latency"}


def test_a_part_that_is_not_built_is_skipped_with_a_reason(run: Run, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        missing("hiding a build from a process needs root")
    hidden = "scenarios/clients/build"
    script = f'mount -t tmpfs none {hidden} 2>/dev/null || mkdir -p {hidden}; exec "$@"'
    ended = run(
        *("run", "break-poll", "--only", "client=go-ora"),
        prefix=("unshare", "-m", "sh", "-c", f"cd {Path(__file__).parents[2]}; {script}", "sh"),
    )
    assert ended.returncode == 2
    assert "go-ora is not built: run 'make clients'" in ended.stderr


def report(run: Run, path: Path) -> list[dict[str, Any]]:
    data = json.loads(run("report", str(path), "--json").stdout)
    assert isinstance(data["cells"], list)
    return data["cells"]
