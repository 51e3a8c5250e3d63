# SPDX-License-Identifier: GPL-2.0-or-later
"""Every command of every page is run: what a `console` block shows as it stands there, and what an
indented or plain block or docs/learn/in-a-hurry.md names with this host's names and times in the
place of the page's. What is run elsewhere is named with the place. `make soak` runs all of them,
`make test` those of the tutorial (with the fewest runs of the demo), README.md and
docs/learn/in-a-hurry.md: the others take six minutes more."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from docs.shown import PAGES as SHOWN_PAGES
from docs.shown import Stage, commands_of, shown_on, stage_for
from polltrace.scenarios.clients import program
from polltrace.scenarios.plan.lotslios import LOTSLIOS
from tests.busy import leave_processors
from tests.conftest import ROOT
from tests.docs.sense import doubts
from tests.docs.test_pages import PAGES
from tests.sqltrace.traces import REAL
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.usefixtures("lab", "quick_calibration")

TUTORIAL = "tutorial.md"
WHO = "in-a-hurry.md"  # its commands stand in the running text
SOAK = "PAGES_SOAK" in os.environ
of_all_pages = pytest.mark.skipif(not SOAK, reason="long: make soak")

# Where a command is run that this file does not run, because it takes another host, a network or
# a quarter of an hour. `make` alone is what runs all of this.
ELSEWHERE = {
    r"make\b": "Makefile",
    r"python3 -m venv|\.venv/bin/pre-commit": "Makefile",
    r"pip install|apt install|PYTHONPATH=|pip uninstall": "tests/packages/test_packages.py",
    r"setpriv ": "tests/probes/test_least_privilege.py",
    r"vagrant |POLLTRACE_ORACLE_RPM=": "tests/vagrant/up.sh",
    r"polltrace export prometheus": "tests/exporter/test_serving.py",
    r"promtool |cp packaging/systemd|systemctl ": "tests/exporter/test_fleet.py",
    r"polltrace top --ssh": "tests/top/test_ssh_host.py",
    r"polltrace record --ssh|polltrace record --sid SALES": "tests/recording/test_remote.py",
    r"polltrace run (client-check|lost-client)": "tests/engines/test_scenario.py",
    r"POLLTRACE_PASSWORD=… polltrace run": "tests/scenarios/test_run.py",
    r"polltrace report sales": "tests/recording/test_distributed.py",
    r"polltrace run database-link": "tests/scenarios/test_link_scenario.py",
    r"polltrace lab sql": "tests/lab/test_scripts.py",
    r"polltrace run result-cache-latch": "tests/load/test_latch_scenario.py",
    r"polltrace run result-cache|polltrace trace diff traces/": "tests/load/test_load_scenario.py",
    r"duckdb ": "tests/recording/test_parquet.py",
    r"truss ": "tests/backends/test_truss_text.py",  # Solaris has it
    r"build/oralab": "tests/lab/conftest.py",
}
# The page's names, and what stands for them here.
NAMES = [
    (r"\bsudo build/|^build/", f"{ROOT}/probes/build/"),
    (r"^polltrace-probe", f"{ROOT}/probes/build/polltrace-probe"),
    (r"-p PID\b", "-p $PID"),
    (r"-p IN_BAND\b", "-p $PID"),
    (r"-p OUT_OF_BAND\b", "-p $OUT_OF_BAND"),
    (r"\bscott@db\S*/sales", "$LAB_USER@$LAB_DSN"),
    (r"\bperf@db1:1521/ORCL", "$LAB_USER@$LAB_DSN"),
    (r"~/\.pw", "pw"),
    (r"0\.0\.0\.0:(\d+)", r"127.0.0.1:$PORT_\1"),
    (r"\bdb:(\d+)", r"127.0.0.1:$PORT_\1"),
    (r"HOST:PORT", "127.0.0.1:$PORT_1599"),
    (
        r"--from-truss FILE",
        f"--from-truss {ROOT}/tests/backends/fixtures/truss-c-windows-client.txt",
    ),
    (r"--from-strace FILE", f"--from-strace {ROOT}/tests/backends/fixtures/strace-k-lab.txt"),
]
# What makes a command end soon, where the page's takes minutes or Ctrl-C.
SHORTER = [
    (r"(-d|--period) (30s|3600|1h|1m)", r"\1 3s"),
    (r"-n 1000\b", "-n 50"),
    (r"^(polltrace stacks (?!--from).*)", r"\1 -d 1s"),
    (r"^(polltrace net-test (?!--listen).*)", r"\1 -d 300ms --warm-up 0"),
    (
        r"^(polltrace run break-poll.*?)( --only \S+)?( --repeats \d+)?$",
        r"\1 --only CELLS --repeats 1",
    ),
    (r"^(polltrace run --resume .*)", r"\1 --repeats 2"),
    (r"^(polltrace run (?:--like|--sql) .*)", r"\1 --repeats 1"),
    (
        r"--only CELLS",
        "--only client=python-oracledb,break_mode=out-of-band,break_mode=in-band,skip=3",
    ),
    (r"^(polltrace load \S+)", r"\1 --seconds 1"),
    (r"--seconds 60 ", ""),
    (r"^(strace .*|\S*polltrace-probe (?!--help).*?)(?= \||$)", r"timeout -s INT 2 \1"),
]
# By Ctrl-C, by timeout(1).
ENDED_BY_HAND = (0, 124, 130)


class DocumentedCommand(NamedTuple):
    page: str
    line: str

    @property
    def elsewhere(self) -> str | None:
        found = (place for start, place in ELSEWHERE.items() if re.match(start, self.line))
        return next(found, None)

    @property
    def here(self) -> str:
        """As it is run here."""
        line = self.line
        for pattern, stands in (*NAMES, *SHORTER):
            line = re.sub(pattern, stands, line)
        return line

    @property
    def compares(self) -> bool:
        """Its exit code is an answer: 1 for a difference, which a busy host may make."""
        return self.line.startswith("polltrace compare")

    @property
    def listens(self) -> bool:
        return "--listen" in self.line


_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_PROMPT = re.compile(r"^(?:db|client)\$ +|^\$ ")
_PROGRAMS = re.compile(
    r"(?:[A-Z_]+=\S* )?(?:sudo )?(?:\.venv/bin/|build/)?(?:polltrace|make|pip|python3|apt|setpriv"
    r"|vagrant|promtool|cp|systemctl|duckdb|truss|strace|pre-commit|oralab)(?:-probe)?(?=\s|$)"
)


def named_on(page: Path) -> Iterator[DocumentedCommand]:
    """Those in blocks that show no output, and those of the running text of in-a-hurry.md."""
    text = page.read_text()
    lines = [
        line
        for kind, block in _FENCE.findall(text)
        if not kind and "\n$ " not in f"\n{block}"  # a session of another machine: its script's
        for line in block.splitlines()
    ]
    plain = _FENCE.sub("", text).replace("\\\n", " ")
    lines += [line[4:] for line in plain.splitlines() if line.startswith("    ")]
    if page.name == WHO:
        lines += re.findall(r"`(polltrace [^`]+)`", plain)
    for line in lines:
        command = re.sub(r"\s+#\s.*$", "", _PROMPT.sub("", line.strip()))
        if _PROGRAMS.match(command):
            yield DocumentedCommand(page.name, " ".join(command.split()))


NAMED = [each for page in PAGES for each in named_on(page)]
RUN_HERE = [each for each in NAMED if each.elsewhere is None]


def test_commands_are_found() -> None:
    assert len(RUN_HERE) > 40
    assert {each.page for each in RUN_HERE} >= {WHO, "load.md", "stacks.md", "trace.md"}


def test_what_is_run_elsewhere_is_there() -> None:
    used = {each.elsewhere for each in NAMED}
    assert {place for place in ELSEWHERE.values() if not (ROOT / place).is_file()} == set()
    assert set(ELSEWHERE.values()) == used - {None}


def test_the_tutorial_from_an_empty_machine_to_its_last_line() -> None:
    """By copy and paste, in the order of the page."""
    commands = commands_of((ROOT / "docs/learn" / TUTORIAL).read_text())
    assert (commands[0], commands[-1]) == ("polltrace lab start", "polltrace demo")
    if not SOAK:
        commands[-1] += " --runs 6"
    found = {}
    with stage_for(commands) as stage:
        for command in commands:
            found[command] = doubts(command, stage.run(command))
            if command.startswith("PID="):
                lab_of(stage)
    assert {command: why for command, why in found.items() if why} == {}


def lab_of(stage: Stage) -> dict[str, Any]:
    """The lab that runs there; its sessions leave the processors to others from here on."""
    lab: dict[str, Any] = json.loads(stage.run("polltrace lab status --json"))
    pid = lab["pid"]
    leave_processors(*map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    return lab


@of_all_pages
def test_what_the_other_pages_show() -> None:
    """Each command once, between the load's start and its end."""
    tutorial = set(commands_of((ROOT / "docs/learn" / TUTORIAL).read_text()))
    others = [
        command
        for page in SHOWN_PAGES
        if page.name != TUTORIAL
        for command, _ in shown_on(page.read_text())
        if command not in tutorial
    ]
    assert len(others) > 8
    with stage_for(others) as stage:
        found = {command: doubts(command, stage.run(command)) for command in dict.fromkeys(others)}
    assert {command: why for command, why in found.items() if why} == {}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A lab with its load."""
    with stage_for([]) as made:
        lab = lab_of(made)
        sessions = json.loads(made.run("polltrace ps --json"))["sessions"]
        (quiet,) = (each["pid"] for each in sessions if each["break_mode"] == "out-of-band")
        made.environment |= {
            "OUT_OF_BAND": str(quiet),
            "LAB_USER": lab["user"],
            "LAB_DSN": lab["dsn"],
            "POLLTRACE_PASSWORD": lab["password"],
            **{f"PORT_{number}": str(free_port()) for number in (1599, 5555)},
        }
        yield made


@pytest.fixture
def folder(stage: Stage, tmp_path: Path) -> Path:
    """The files that the pages take for granted."""
    (tmp_path / "pw").touch(0o600)
    (tmp_path / "pw").write_text(stage.environment["POLLTRACE_PASSWORD"])
    (tmp_path / "orders.toml").write_text(workload())
    (tmp_path / "orders.csv").write_text("id,v\n1,one\n2,two\n")
    (tmp_path / "query.sql").write_text(LOTSLIOS)
    (tmp_path / "binds.toml").write_text("n = 300\n")
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    (tmp_path / "trace").mkdir()
    for trace in sorted(REAL.glob("*_3056*.trc.zst")):
        shutil.copy(trace, tmp_path / "trace")
    return tmp_path


def workload() -> str:
    """docs/tasks/load.md's, by the drivers that are built here."""
    kinds: list[tuple[str, str]] = _FENCE.findall((ROOT / "docs/tasks/load.md").read_text())
    text = next(block for kind, block in kinds if kind == "toml" and "orders.csv" in block)
    return text if program("go-ora").missing() is None else text.replace(', "go-ora"', "")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextlib.contextmanager
def listening(stage: Stage, commands: list[DocumentedCommand]) -> Iterator[None]:
    """The pages' commands for the other end of a path, until the block ends."""
    with contextlib.ExitStack() as ending:
        for each in {each.here: each for each in commands if each.listens}.values():
            process = subprocess.Popen(
                ["bash", "-c", f"exec {each.here}"],
                env=stage.environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            ending.callback(process.communicate, timeout=PATIENCE_S)
            ending.callback(process.terminate)
            port = stage.environment[re.findall(r"PORT_\d+", each.here)[0]]
            until_it_listens(process, int(port))
        yield


def until_it_listens(process: subprocess.Popen[str], port: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    wanted = f"0100007F:{port:04X} 00000000:0000 0A"
    while wanted not in Path("/proc/net/tcp").read_text():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize(
    "page",
    [
        page if page in ("README.md", WHO) else pytest.param(page, marks=of_all_pages)
        for page in sorted({each.page for each in RUN_HERE})
    ],
)
def test_what_a_page_names(stage: Stage, folder: Path, page: str) -> None:
    """In the order of the page: a later command may read an earlier one's file."""
    commands = [each for each in RUN_HERE if each.page == page]
    listeners = [
        each for each in RUN_HERE if each.listens and each.page in (page, "who-is-in-band.md")
    ]
    wrong = {}
    with listening(stage, listeners):
        for each in (command for command in commands if not command.listens):
            ended = run(stage, folder, each.here)
            good = (*ENDED_BY_HAND, 1) if each.compares else ENDED_BY_HAND
            found = doubts(each.here, ended.stdout)
            if ended.returncode not in good or found:
                wrong[each.line] = (each.here, ended.returncode, ended.stdout, found)
            if each.page == WHO and "before.polltrace" in each.line:  # "the same afterwards"
                assert run(stage, folder, each.here.replace("before.", "after.")).returncode == 0
    assert wrong == {}


def run(stage: Stage, folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env=stage.environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=4 * PATIENCE_S,
        check=False,
    )


@pytest.mark.parametrize("page", [ROOT / "lab/README.md", ROOT / "stacks/README.md"])
def test_what_a_page_shows_in_python(stage: Stage, page: Path) -> None:
    """With what the page leaves to the reader: a port, a process, its addresses."""
    names = (
        f"PORT={stage.environment['LAB_DSN'].split(':')[1].split('/')[0]}\n"
        f"pid, ip, return_addresses = {stage.environment['PID']}, 0x1000, [0x2000]\n"
    )
    for block in (text for kind, text in _FENCE.findall(page.read_text()) if kind == "python"):
        code = block.replace("127.0.0.1:PORT/LAB", stage.environment["LAB_DSN"])
        code = code.replace('"scott"', repr(stage.environment["LAB_USER"]))
        code = code.replace('"tiger"', repr(stage.environment["POLLTRACE_PASSWORD"]))
        ended = subprocess.run(
            [sys.executable, "-c", names + code],
            env=stage.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.strip()
