# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever a watched process puts where its configuration is read: an answer, and a small one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from polltrace.breaks.sqlnet import BreakSettings, break_settings
from polltrace.each_within import each_within
from polltrace.engines import engine_of
from polltrace.servers.servers import servers
from tests.attacks.hostile_files import LINKS, NAMES, NUMBERS, TEXTS, TITLES, UNREADABLE
from tests.waiting import PATIENCE_S, children, until

Run = Callable[..., subprocess.CompletedProcess[str]]
FILES = ["network/admin/sqlnet.ora", "install/orabasetab"]
# The largest file that is read is 1 MiB; as lines and parameters it is larger, not without end.
MOST_BYTES = 64 << 20

_known = engine_of("oracle", "oracleORCL (LOCAL=NO)")
assert _known is not None
ORACLE = _known[0]


def settings(root: Path, **environ: str) -> BreakSettings:
    """Read in a process that is not waited for without end; the memory it takes is bounded."""
    ((_, found),) = each_within(
        [environ or {"ORACLE_HOME": "/home"}], lambda environ: measured(environ, root), PATIENCE_S
    )
    assert found is not None, "it is still being read"
    result, most_bytes = found
    assert most_bytes < MOST_BYTES
    return result


def measured(environ: Mapping[str, str], root: Path) -> tuple[BreakSettings, int]:
    """The settings, and the most bytes that were allocated to read them."""
    tracemalloc.start()
    try:
        return break_settings(ORACLE, environ, root), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def put(root: Path, file: str) -> Path:
    path = root / "home" / file
    path.parent.mkdir(parents=True)
    return path


def test_a_hundred_kinds_of_hostile_files_are_generated() -> None:
    kinds = [*UNREADABLE, *LINKS, *TEXTS, *NUMBERS, *NAMES, *TITLES]
    assert len(kinds) >= 100


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("kind", UNREADABLE)
def test_unreadable_files_are_a_problem(tmp_path: Path, file: str, kind: str) -> None:
    if os.geteuid() != 0 and "device" in kind:
        pytest.skip("needs root")
    UNREADABLE[kind](put(tmp_path, file))
    found = settings(tmp_path)
    assert found.problem
    assert "\n" not in found.problem
    assert len(found.problem) < 100


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("kind", LINKS)
def test_links_of_a_process_with_our_root(tmp_path: Path, file: str, kind: str) -> None:
    # GIVEN a home below our own root directory
    path = put(tmp_path, file)
    LINKS[kind](path)
    found = settings(Path("/"), ORACLE_HOME=str(tmp_path / "home"))
    # THEN only a regular file is read, and it contains none of the parameters
    assert found.problem or not path.is_file() or kind.endswith("/etc/shadow")
    assert found.skip_is_default
    # AND in a root directory of its own it leads nowhere
    assert settings(tmp_path).path is None


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("kind", TEXTS)
def test_texts(tmp_path: Path, file: str, kind: str) -> None:
    put(tmp_path, file).write_bytes(TEXTS[kind])
    found = settings(tmp_path)
    assert (found.break_poll_skip, found.skip_is_default, found.problem) == (3, True, "")


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers(tmp_path: Path, kind: str) -> None:
    put(tmp_path, FILES[0]).write_text(f"BREAK_POLL_SKIP={NUMBERS[kind]}\n")
    assert f"{len(NUMBERS[kind])} digits" in settings(tmp_path).problem


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("variable", ["TNS_ADMIN", "ORACLE_HOME"])
def test_names(tmp_path: Path, variable: str, kind: str) -> None:
    found = settings(tmp_path, **{variable: NAMES[kind]})
    assert found.skip_is_default


@pytest.mark.parametrize("kind", TITLES)
def test_titles(kind: str) -> None:
    ((_, found),) = each_within(
        [TITLES[kind]], lambda title: [engine_of("oracle", title)], PATIENCE_S
    )
    assert found == [None]


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[Callable[..., int]]:
    """Starts a process that looks like a dedicated server, with this ORACLE_HOME."""
    started: list[subprocess.Popen[bytes]] = []
    program = tmp_path / "oracle"
    shutil.copy(shutil.which("sleep") or "/bin/sleep", program)

    def start(home: Path) -> int:
        argv, environ = ["oracleORCL (LOCAL=NO)", "1000"], {"ORACLE_HOME": str(home)}
        started.append(subprocess.Popen(argv, executable=program, env=environ))
        return started[-1].pid

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.usefixtures("root")
def test_an_unreadable_process_has_a_dash_in_its_row(
    run: Run, start_server: Callable[..., int], tmp_path: Path, probe: None
) -> None:
    hostile, good = tmp_path / "hostile", tmp_path / "good"
    for home, file, maker in (
        (hostile, FILES[1], os.mkfifo),
        (good, FILES[0], lambda path: path.write_text("BREAK_POLL_SKIP=11\n")),
    ):
        path = home / file
        path.parent.mkdir(parents=True)
        maker(path)
    pids = [start_server(hostile), start_server(good)]
    ended = run("ps", "--json")
    assert ended.returncode == 0, ended.stderr
    rows = {each["pid"]: each for each in json.loads(ended.stdout)["sessions"]}
    assert rows[pids[0]]["configured_skip"] is None
    assert rows[pids[0]]["sqlnet_ora_problem"] == "it is no regular file"
    assert rows[pids[1]]["configured_skip"] == 11


def test_a_process_that_never_answers(
    start_server: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = sorted(start_server(tmp_path / "home") for _ in range(3))
    released = threading.Event()

    def environ(pid: int, _names: object) -> dict[str, str]:
        if pid == pids[1]:  # as where its environment lies in a file system that hangs
            released.wait()
        return {}

    monkeypatch.setattr("polltrace.procfs.environ", environ)
    monkeypatch.setattr("polltrace.procfs.PATIENCE_S", 2.0)
    found = servers(pids)
    released.set()
    assert [each.pid for each in found] == pids
    assert [bool(each.settings.problem) for each in found] == [False, True, False]


def test_no_process_that_hangs_is_left_behind() -> None:
    found = list(each_within(range(50), lambda _: time.sleep(PATIENCE_S), 0.001))
    assert [result for _, result in found] == [None] * 50
    own_name = Path("/proc/self/comm").read_text().strip()
    until(lambda: not children(os.getpid(), own_name), "the end of all that were abandoned")
