# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace doctor --verify-oracle` on the lab, and each assumption broken once."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polltrace.verify_oracle.assumptions import AssumptionVerdict, judge
from polltrace.verify_oracle.observations import (
    Beginning,
    CountedWork,
    FunctionFacts,
    Observations,
    OutOfBand,
)
from polltrace.verify_oracle.process_facts import facts_of_code
from tests.conftest import POLLTRACE
from tests.lab import conftest as lab_tests
from tests.lab.conftest import Lab
from tests.lab.conftest import lab as lab  # noqa: PLC0414 - a fixture
from tests.lab.conftest import oralab as oralab  # noqa: PLC0414
from tests.lab.conftest import start_lab as start_lab  # noqa: PLC0414
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.usefixtures("probe")

IN_ORDER = [
    *("functions", "frame pointers", "beginnings", "in-band polls", "skip", "checks"),
    *("SIGURG", "socket owner", "no polls", "trace"),
]


def verified(lab: Lab, out: Path) -> tuple[int, dict[str, str]]:
    """Exit code, and the verdicts in the file that the command wrote."""
    ended = subprocess.run(
        [
            *(POLLTRACE, "doctor", "--verify-oracle", "--out", str(out)),
            *("--connect", f"scott@127.0.0.1:{lab.port}/LAB"),
        ],
        env=os.environ | {"POLLTRACE_PASSWORD": "tiger"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode in (0, 1), ended.stderr
    assumptions: list[dict[str, Any]] = json.loads(out.read_text())["assumptions"]
    for item in assumptions:
        assert f"{item['verdict']:<17}{item['name']}: " in ended.stdout
    return ended.returncode, {item["name"]: item["verdict"] for item in assumptions}


def test_the_lab_confirms_every_assumption(lab: Lab, tmp_path: Path) -> None:
    lab.sqlnet_ora("BREAK_POLL_SKIP=7\n")
    out = tmp_path / "out.json"
    code, verdicts = verified(lab, out)
    assert verdicts == dict.fromkeys(IN_ORDER, "confirmed"), out.read_text()
    assert code == 0
    # AND the file has no names
    text = out.read_text().lower()
    for name in ("127.0.0.1", "scott", "tiger", "/lab", str(tmp_path), socket.gethostname()):
        assert name.lower() not in text
    assert "7.000; configured is 7" in text
    # AND the table is gone, so that it can be run again
    tables = "select count(*) from user_tables where table_name = 'POLLTRACE_VERIFY'"
    assert lab.connect().one(tables) == 0


def test_a_server_without_out_of_band_breaks(lab: Lab, tmp_path: Path) -> None:
    lab.sqlnet_ora("DISABLE_OOB=ON\n")
    code, verdicts = verified(lab, tmp_path / "out.json")
    refuted = {name for name, verdict in verdicts.items() if verdict == "refuted"}
    assert refuted == {"SIGURG", "socket owner", "no polls"}
    assert code == 1


def test_a_program_with_another_name_of_the_check_function(
    oralab: Path,
    start_lab: Callable[..., Lab],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    renamed = tmp_path / "bin" / oralab.name
    renamed.parent.mkdir()
    rename = ("objcopy", "--redefine-sym", "nsmore2recv=nsmore2recw")
    subprocess.run([*rename, str(oralab), str(renamed)], check=True)
    monkeypatch.setattr(lab_tests, "ORALAB", renamed)
    code, verdicts = verified(start_lab(), tmp_path / "out.json")
    assert verdicts["functions"] == "refuted"
    assert verdicts["skip"] == verdicts["checks"] == "could not check"
    assert verdicts["in-band polls"] == "confirmed"
    assert code == 1


SOUND = Observations(
    release="19.0.0.0.0",
    functions={"nsmore2recv": FunctionFacts(Beginning.PUSH, has_frame=True)},
    work=CountedWork(gets=3000, break_polls=1000),
    burst=(3000, 1000),
    skip=3,
    out_of_band=OutOfBand(catches_sigurg=True, owns_socket=True, break_polls=0),
    traced_calls=146,
)
NO_FRAME = {"nsmore2recv": FunctionFacts(Beginning.PUSH, has_frame=False)}
NO_OP = {"nsmore2recv": FunctionFacts(Beginning.NO_OP, has_frame=True)}
BROKEN: dict[str, dict[str, Any]] = {
    "functions": {"functions": {**(SOUND.functions or {}), "snttmoredata": None}},
    "frame pointers": {"functions": NO_FRAME},
    "beginnings": {"functions": NO_OP},
    "in-band polls": {"work": CountedWork(gets=3000, break_polls=0)},
    "skip": {"burst": (3000, 950)},
    "checks": {"work": CountedWork(gets=30_000, break_polls=1000)},
    "SIGURG": {"out_of_band": OutOfBand(False, True, 0)},
    "socket owner": {"out_of_band": OutOfBand(True, False, 0)},
    "no polls": {"out_of_band": OutOfBand(True, True, 1)},
    "trace": {"unread_lines": 1},
}


def test_sound_readings_confirm_every_assumption() -> None:
    judgements = judge(SOUND)
    assert [item.name for item in judgements] == IN_ORDER == list(BROKEN)
    assert {item.verdict for item in judgements} == {AssumptionVerdict.CONFIRMED}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_assumption_is_refuted(name: str) -> None:
    verdicts = {item.name: item.verdict for item in judge(replace(SOUND, **BROKEN[name]))}
    assert verdicts[name] is AssumptionVerdict.REFUTED
    others = {verdict for other, verdict in verdicts.items() if other != name}
    # Without polls there are no checks to count either.
    assert others == {AssumptionVerdict.CONFIRMED} or name == "in-band polls"


def test_nothing_observed_is_nothing_confirmed() -> None:
    seen = Observations(failures={"work": "not permitted"})
    judgements = {item.name: item for item in judge(seen)}
    assert {item.verdict for item in judgements.values()} == {AssumptionVerdict.UNCHECKED}
    assert judgements["in-band polls"].reason == "not permitted"


@pytest.mark.parametrize(
    ("code", "facts"),
    [
        ("6690554889e5", FunctionFacts(Beginning.NO_OP, has_frame=True)),
        ("f30f1efa554889e5", FunctionFacts(Beginning.ENDBR64, has_frame=True)),
        ("55488bec", FunctionFacts(Beginning.PUSH, has_frame=True)),
        ("488b4720", FunctionFacts(Beginning.OTHER, has_frame=False)),
        ("488b472055c74710000000004889e5", FunctionFacts(Beginning.OTHER, has_frame=True)),
    ],
)
def test_beginnings_of_functions(code: str, facts: FunctionFacts) -> None:
    assert facts_of_code(bytes.fromhex(code)) == facts


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--verify-oracle takes an Oracle database and a user: --connect USER@DSN"),
        (("--connect", "postgresql://u@h/d"), "--verify-oracle takes an Oracle database"),
        (("-p", "1", "--connect", "u@h:1/s"), "not at -p PID"),
        (("--out", "/dev/null", "--connect", "u@h:1/s"), "/dev/null exists"),
    ],
)
def test_wrong_usage(words: tuple[str, ...], message: str) -> None:
    ended = subprocess.run(
        [POLLTRACE, "doctor", "--verify-oracle", *words],
        env=os.environ | {"POLLTRACE_PASSWORD": "tiger"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert message in ended.stderr
