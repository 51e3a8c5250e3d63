# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stacks` on an in-band session of the lab that is busy all the while."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polltrace.backends.choice import PTRACE_WARNING
from polltrace.engines import break_chains
from polltrace.stacks import classify, parse_folded
from tests.busy import busy_session

Run = Callable[..., subprocess.CompletedProcess[str]]

CHAIN = ("nioqts", "nsmore2recv", "snttmoredata", "sntpoltsts", "poll")


@pytest.fixture(scope="module")
def busy_server() -> Iterator[int]:
    """One for all: nearly every test here looks at it."""
    with busy_session() as spid:
        yield spid


@pytest.mark.usefixtures("lab")
def test_every_break_poll_is_sampled_and_every_stack_is_the_whole_chain(
    run: Run, busy_server: int
) -> None:
    """With every poll sampled there are as many stacks as polls, and none misses a frame: not
    even the one that libc hides."""
    ended = run("stacks", "-p", str(busy_server), "-d", "1", "--every", "1", "--format", "json")
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["samples"] == found["break_polls"] == found["break_checks"] > 1000
    assert found["break_checks_by_shape"] == 0
    stacks = [stack["functions"] for stack in found["stacks"]]
    assert sum(stack["count"] for stack in found["stacks"]) == found["samples"]
    assert {tuple(functions[-len(CHAIN) :]) for functions in stacks} == {CHAIN}
    assert all("main" in functions[:4] for functions in stacks)
    quality = found["quality"]
    assert quality.pop("early")["early"] == 0
    assert quality == {
        "truncated": 0,
        "caller_unknown": 0,
        "unnamed": 0,
        "lost": 0,
        "no_kernel": 0,
        "skipped": 0,
        "problems": {},
        "complete": True,
    }


@pytest.mark.usefixtures("lab")
def test_the_text_counts_the_stacks_of_the_break_check(run: Run, busy_server: int) -> None:
    ended = run("stacks", "-p", str(busy_server), "-d", "1")
    verdict = ended.stdout.splitlines()[0].split()
    assert verdict[0] == verdict[2] != "0"
    assert "Every stack reaches the beginning of its program" in ended.stdout


@pytest.mark.usefixtures("lab")
def test_the_kernel_s_functions_on_demand(run: Run, busy_server: int) -> None:
    watched = ("stacks", "-p", str(busy_server), "-d", "1", "--kernel", "--format", "folded")
    at_poll = parse_folded(run(*watched).stdout)
    entered = {names[names.index("poll") + 1 :] for names in at_poll}
    assert all(names and all(name.endswith("_[k]") for name in names) for names in entered)
    assert all("sys" in " ".join(names) for names in entered), entered
    on_cpu = parse_folded(run(*watched, "--at", "cpu", "--hz", "999").stdout)
    assert any("poll_[k]" in names[-1] or "poll" in names for names in on_cpu)
    for names in on_cpu:  # the kernel's part lies inside of the user's
        marked = [name.endswith("_[k]") for name in names]
        assert marked == sorted(marked)


@pytest.mark.usefixtures("lab")
def test_auto_takes_a_bounded_number_of_stacks_that_stand_for_all(
    run: Run, busy_server: int
) -> None:
    ended = run("stacks", "-p", str(busy_server), "-d", "3", "--format", "json")
    found = json.loads(ended.stdout)
    assert found["break_polls"] > 10 * found["samples"] > 0
    assert found["samples"] < 3 * 1000
    stand_for = sum(stack["count"] for stack in found["stacks"])
    assert stand_for == pytest.approx(found["break_polls"], rel=0.5)


@pytest.mark.usefixtures("lab")
def test_parts_and_layers(run: Run, busy_server: int) -> None:
    watched = ("stacks", "-p", str(busy_server), "-d", "0.5", "--every", "50", "--format", "folded")
    part = parse_folded(run(*watched, "--from", "nioqts", "--with", "kcb.*").stdout)
    assert list(part) == [CHAIN]
    assert not parse_folded(run(*watched, "--without", "poll").stdout)
    layers = parse_folded(run(*watched, "--group", "layer").stdout)
    assert {names[-2:] for names in layers} == {
        ("Oracle Net: sessions, transports", "Operating system")
    }


@pytest.mark.usefixtures("lab")
def test_on_cpu_a_part_of_the_samples_is_in_the_break_check(run: Run, busy_server: int) -> None:
    ended = run(
        "stacks", "-p", str(busy_server), "--at=cpu", "-d2", "--hz=999", "--format", "folded"
    )
    folded = parse_folded(ended.stdout)
    inside = sum(
        count
        for names, count in folded.items()
        if any(classify(tuple(reversed(names)), chain, at_call=False) for chain in break_chains())
    )
    assert 0 < inside < 0.5 * sum(folded.values())


@pytest.mark.usefixtures("lab")
@pytest.mark.parametrize("form", ["html", "speedscope", "pprof"])
def test_other_forms_go_to_a_file(run: Run, busy_server: int, form: str, tmp_path: Path) -> None:
    before, output = tmp_path / "before.folded", tmp_path / "out"
    before.write_text("main;kpoal8;opifch2 10\n")
    ended = run(
        *("stacks", "-p", str(busy_server), "-d", "0.3", "--format", form, "-o", str(output)),
        *(("--before", str(before)) if form == "html" else ()),
    )
    assert (ended.returncode, ended.stdout) == (0, "")
    written = output.read_bytes()
    match form:
        case "html":
            assert b"snttmoredata" in written
            assert b"before: 10 samples" in written or b"before: 10 break polls" in written
        case "speedscope":
            assert json.loads(written)["exporter"].startswith("polltrace ")
        case "pprof":
            assert written.startswith(b"\x1f\x8b")


@pytest.mark.usefixtures("probe")
def test_a_process_that_does_not_poll_has_no_stacks(run: Run) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as idle:
        ended = run("stacks", "-p", str(idle.pid), "-d", "0.2")
        idle.kill()
    # On a busy host it looks longer, and says so.
    nothing = r"No stacks: in [\d.]+ s no poll of a socket with timeout 0 was sampled\."
    assert re.match(nothing, ended.stdout)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--every", "0"], "'0' is not a whole number from 1"),
        (["--hz", "0.5"], "'0.5' is not a rate from 1 to 10000 a second"),
        (["--format", "jpeg"], "invalid choice: 'jpeg'"),
        (["--with", "("], "not a regular expression: '('"),
    ],
)
def test_bad_options(run: Run, options: list[str], words: str) -> None:
    ended = run("stacks", "-p", "1", *options)
    assert ended.returncode == 2
    assert words in ended.stderr


@pytest.mark.usefixtures("probe")
def test_output_that_cannot_be_written(run: Run) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as idle:
        ended = run("stacks", "-p", str(idle.pid), "-d", "0.1", "-o", "/no/such/folder/x")
        idle.kill()
    assert ended.returncode == 8
    assert ended.stderr.splitlines()[-1].startswith("polltrace: cannot write /no/such/folder/x")


@pytest.mark.usefixtures("lab")
def test_ptrace_shows_the_whole_chain_too(run: Run, busy_server: int) -> None:
    options = ("--backend", "ptrace", "-p", str(busy_server), "-d", "0.2")
    ended = run("stacks", *options, "--format", "json")
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.startswith(
        f"polltrace: backend ptrace: asked for\npolltrace: {PTRACE_WARNING}\n"
    )
    found = json.loads(ended.stdout)
    assert found["samples"] == found["break_checks"] > 0
    assert found["break_polls"] == found["samples"]
    assert found["break_checks_by_shape"] == 0
    assert {tuple(each["functions"][-len(CHAIN) :]) for each in found["stacks"]} == {CHAIN}
    assert found["quality"]["early"]["early"] == 0
