# SPDX-License-Identifier: GPL-2.0-or-later
"""The pattern that polltrace-probe is given, against the titles that engines have."""

from __future__ import annotations

import subprocess

import pytest

from polltrace.engines import engines
from polltrace.watch.titles import title_pattern


@pytest.mark.parametrize(
    "title",
    [
        "oracleORCL (LOCAL=NO)",
        "oracleORCL (DESCRIPTION=(LOCAL=YES)(ADDRESS=(PROTOCOL=beq)))",
        "oracle+ASM1 (LOCAL=NO)",
        "oracleLAB  (LOCAL=NO)",
        "ora_pmon_ORCL",
        "grep oracleORCL (LOCAL=NO)",
        "oracle (LOCAL=NO)",
        "tnslsnr LISTENER -inherit",
    ],
)
def test_the_title_pattern_means_the_same_to_posix_and_python(title: str) -> None:
    ended = subprocess.run(
        ["grep", "-qE", "-e", title_pattern()], input=title, text=True, check=False
    )
    matched = any(engine.title.match(title) for engine in engines())
    assert (ended.returncode == 0) is matched
