# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes whose ids fall into one row of the probe's table, which has room for eight."""

from __future__ import annotations

from pathlib import Path

import pytest

from polltrace import procfs
from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from tests.servers.crowd import build_crowd, crowd

pytestmark = pytest.mark.usefixtures("root")

# Rows of the table at its default size, and the processes that fit into one.
ROWS, WAYS = 512, 8


def test_processes_of_one_row_are_all_counted(tmp_path: Path) -> None:
    program = build_crowd(tmp_path)
    with crowd(program, ROWS * (WAYS + 4)):
        crowded = [pid for pid in procfs.pids() if procfs.program(pid) == str(program)]
        row = crowded[0] % ROWS
        pids = [pid for pid in crowded if pid % ROWS == row]
        assert len(pids) > WAYS
        with EbpfProbe(pids, ProbeOptions(duration_s=0.1)) as probe:
            profile = probe.profile()
    assert sorted(totals.pid for totals in profile.totals) == sorted(pids)
