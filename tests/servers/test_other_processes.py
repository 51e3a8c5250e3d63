# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes of a database that are no dedicated servers are counted by kind."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from polltrace.servers.other_processes import other_processes, others_text
from tests.conftest import POLLTRACE
from tests.probes.conftest import why_no_bpf
from tests.waiting import until

TITLES = [
    *("ora_s000_ORCL", "ora_s001_ORCL", "ora_s002_ORCL", "ora_d000_ORCL", "ora_l000_ORCL"),
    *("ora_n000_ORCL", "ora_p00a_ORCL", "ora_j000_ORCL", "ora_pmon_ORCL", "ora_dbw0_ORCL"),
    *("ora_lgwr_ORCL", "ora_smon_ORCL", "oracleORCL (LOCAL=NO)"),
]


def runs_oracle(pid: int) -> bool:
    return Path(f"/proc/{pid}/comm").read_text() == "oracle\n"


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[list[int]]:
    """Processes of a program called oracle, with the titles of an instance's."""
    program = tmp_path / "oracle"
    shutil.copy("/bin/sleep", program)
    with contextlib.ExitStack() as ending:
        started = []
        for title in TITLES:
            command = ["bash", "-c", f"exec -a '{title}' {program} 1000"]
            process = ending.enter_context(subprocess.Popen(command))
            ending.callback(process.kill)
            started.append(process.pid)
            until(partial(runs_oracle, process.pid), "the program to run")
        yield started


def test_each_kind_is_counted_and_background_processes_are_not(processes: list[int]) -> None:
    others = other_processes(processes)
    assert [(group.kind, len(group.pids), group.names[0]) for group in others] == [
        ("shared servers", 3, "S000"),
        ("dispatchers", 1, "D000"),
        ("DRCP pooled servers", 1, "L000"),
        ("DRCP brokers", 1, "N000"),
        ("parallel servers", 1, "P00A"),
        ("job slaves", 1, "J000"),
    ]
    assert others_text(others) == (
        "Not watched: 3 shared servers (S000, S001, …), 1 dispatchers (D000), 1 DRCP pooled "
        "servers (L000), 1 DRCP brokers (N000), 1 parallel servers (P00A), 1 job slaves (J000)."
    )
    assert others_text([]) == ""


def test_ps_names_them(processes: list[int]) -> None:
    if why_no_bpf():
        pytest.skip("ps attaches a probe")
    shown = subprocess.run([POLLTRACE, "ps"], capture_output=True, text=True, check=True).stdout
    assert "Not watched: 3 shared servers (S000, S001, …), 1 dispatchers (D000)," in shown
    out = subprocess.run([POLLTRACE, "ps", "--json"], capture_output=True, text=True, check=True)
    (first, *_) = json.loads(out.stdout)["not_watched"]
    assert (first["engine"], first["pids"]) == ("Oracle Database", processes[:3])
