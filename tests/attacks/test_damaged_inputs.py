# SPDX-License-Identifier: GPL-2.0-or-later
"""Damaged copies of every file that a command reads: an answer, or an error of documented code.

`POLLTRACE_MUTATIONS` is the number of copies of each file; run, load, scenario and workload files
are in tests/scenarios/test_damaged_files.py, fields of recordings in tests/recording.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest
import zstandard

from polltrace.cli import main
from polltrace.overhead.host_store import this_host
from tests.conftest import ROOT
from tests.scenarios.mutations import COUNT, damaged_json_lines, damaged_text

STRACE = ROOT / "tests/backends/fixtures"
TRACES = ROOT / "tests/sqltrace/cases"
DEMO = ROOT / "polltrace/data/demo.polltrace"
Outcome = Callable[[str, Path], None]
# Done, no, usage, host, no such process, file; with capabilities all else is a fault.
DOCUMENTED = {0, 1, 2, 4, 5, 8}

OF_A_RECORDING = (
    "report FILE",
    "report FILE --html OUT",
    "advise FILE",
    "stacks FILE",
    "stacks FILE --at cpu --format html -o OUT",
    "stacks FILE --format pprof -o OUT",
    "stacks FILE --format speedscope -o OUT",
    "stacks FILE --format svg -o OUT",
    "diff FILE DEMO",
    "top -b FILE",
    "export parquet FILE OUT",
)
OF_A_TRACE = (
    "trace FILE",
    "trace statements FILE",
    "trace experiences FILE",
    "trace client FILE --json",
    "trace fetches FILE",
    "trace gaps FILE",
    "trace binds FILE",
    "trace files FILE",
    "trace diff FILE FILE",
    "trace page FILE -o OUT",
    "trace FILE --parquet OUT",
    "trace FILE --sql 'select sum(dur) from calls'",
)
FILES = {
    **dict.fromkeys(sorted(TRACES.glob("*.trc")), OF_A_TRACE),
    STRACE / "strace-k-lab.txt": ("stat --from-strace FILE", "stacks --from-strace FILE"),
    **dict.fromkeys(sorted(STRACE.glob("truss*.txt")), ("stat --from-truss FILE",)),
    **dict.fromkeys(sorted(STRACE.glob("aix*.txt")), ("stat --from-truss FILE",)),
    **dict.fromkeys(sorted(STRACE.glob("*-table.txt")), ("stat --from-strace FILE",)),
    **dict.fromkeys(
        sorted((ROOT / "polltrace/engines").glob("*.toml")), ("report DEMO --engine FILE",)
    ),
}


@pytest.fixture
def outcome(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Outcome:
    """Run a command on `damaged.*`; it must end in a documented way."""

    def run(command: str, path: Path) -> None:
        out = tmp_path / "out"
        shutil.rmtree(out, ignore_errors=True) if out.is_dir() else out.unlink(missing_ok=True)
        words = command.replace("select sum(dur) from calls", "QUERY").replace("'", "").split()
        names = {"FILE": str(path), "OUT": str(out), "DEMO": str(DEMO)}
        names["QUERY"] = "select sum(dur) from calls"
        code = main([names.get(word, word) for word in words])
        captured = capsys.readouterr()
        assert code in DOCUMENTED, (command, captured.err)
        assert "Traceback" not in captured.err, command
        lines = captured.err.splitlines()
        assert all(line.startswith("polltrace: ") for line in lines), (command, captured.err)
        reasons = [line for line in lines if "The file is not whole: " not in line]
        assert len(reasons) == 1 or code in (0, 1), (command, captured.err)
        assert "\x1b" not in captured.out + captured.err

    return run


def damaged_bytes(content: bytes, count: int = COUNT) -> Iterator[bytes]:
    text = content.decode("latin-1")
    for seed in range(count):
        yield damaged_text(text, random.Random(seed)).encode("latin-1", "replace")


@pytest.mark.parametrize("name", FILES, ids=lambda path: path.name)
def test_a_damaged_text_file(outcome: Outcome, tmp_path: Path, name: Path) -> None:
    path = tmp_path / f"damaged{name.suffix}"
    for turn, content in enumerate(damaged_bytes(name.read_bytes())):
        path.write_bytes(content)
        commands = FILES[name]
        outcome(commands[turn % len(commands)], path)


def test_a_damaged_recording(outcome: Outcome, tmp_path: Path) -> None:
    """Its bytes are damaged, and the lines below its compression."""
    whole = DEMO.read_bytes()
    lines = zstandard.ZstdDecompressor().stream_reader(whole, read_across_frames=True).read()
    records = [line for line in lines.decode().splitlines() if len(line) < 20_000][:60]
    path = tmp_path / "damaged.polltrace"
    damaged = damaged_json_lines("\n".join(records) + "\n")
    for turn, (content, text) in enumerate(zip(damaged_bytes(whole), damaged, strict=True)):
        command = OF_A_RECORDING[turn % len(OF_A_RECORDING)]
        path.write_bytes(content)
        outcome(command, path)
        path.write_bytes(zstandard.compress(text.encode("utf-8", "replace")))
        outcome(command, path)


def test_damaged_folded_stacks(outcome: Outcome, tmp_path: Path) -> None:
    path = tmp_path / "damaged.folded"
    for content in damaged_bytes(b"main;opiodr;nsmore2recv;poll 1009\nmain;kcbgtcr 103\n"):
        path.write_bytes(content)
        outcome("stacks DEMO --before FILE --format svg -o OUT", path)


def test_damaged_factors_of_this_host(
    outcome: Outcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "host.json"
    monkeypatch.setenv("POLLTRACE_HOST_FILE", str(path))
    model = json.loads(files("polltrace.overhead").joinpath("cost_model.json").read_text("utf-8"))
    host = {"format": "polltrace-host", "version": 1, "hosts": {"x": model}}
    for content in (*damaged_json_lines(json.dumps(host)), "[" * 100_000):
        path.write_text(content)
        this_host.cache_clear()
        outcome("advise DEMO", path)
    this_host.cache_clear()
