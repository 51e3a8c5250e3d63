# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stat` on a real process, against what that process did."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator

import pytest

from polltrace.containers import hidden_processes
from tests.conftest import WITHOUT_BTF, WITHOUT_CAPABILITIES
from tests.polltrace.exact_poller import BREAK_POLLS, OTHER_POLLS, Poller, exact_poller
from tests.waiting import PATIENCE_S

Process = subprocess.Popen[str]
Run = Callable[..., subprocess.CompletedProcess[str]]
Stat = Callable[..., Process]


@pytest.fixture
def poller() -> Iterator[Poller]:
    with exact_poller() as started:
        yield started


@pytest.fixture
def stat(probe: None, start: Stat, poller: Poller) -> Stat:
    """Start `polltrace stat` on the poller; it has attached when this returns."""

    def stat_(*options: str) -> Process:
        process = start("stat", "-p", str(poller.pid), *options)
        assert process.stderr is not None
        assert "attached" in process.stderr.readline()
        return process

    return stat_


def test_counts_are_exactly_what_the_process_did(poller: Poller, stat: Stat) -> None:
    # GIVEN a process with stat attached
    process = stat("--json")
    # WHEN it makes a prime number of break polls and of others, and stat is interrupted
    poller.poll()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE_S)
    # THEN every one is there, and classified
    (seen,) = json.loads(output)["processes"]
    assert (seen["break_polls"], seen["other_polls"]) == (BREAK_POLLS, OTHER_POLLS)
    calls = {call["name"]: call for call in seen["syscalls"]}
    assert calls["poll"]["calls"] == BREAK_POLLS + OTHER_POLLS
    assert seen["pid"] == poller.pid
    assert (process.returncode, errors) == (0, "")


def test_the_table_shows_the_same(poller: Poller, stat: Stat) -> None:
    process = stat()
    poller.poll()
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=PATIENCE_S)
    rows = [line.split() for line in output.splitlines()]
    assert ["polls,", "timeout", "0", f"{BREAK_POLLS:,}"] in [row[:4] for row in rows]
    assert ["other", "polls", f"{OTHER_POLLS:,}"] in [row[:3] for row in rows]
    assert ["poll", f"{BREAK_POLLS + OTHER_POLLS:,}"] in rows


def test_a_duration_ends_the_count(stat: Stat) -> None:
    process = stat("--json", "-d", "0.2")
    output, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert json.loads(output)["seconds"] >= 0.2


def test_a_process_that_ends_during_the_count(poller: Poller, stat: Stat) -> None:
    process = stat("--json")
    poller.poll()
    poller.go_on()
    output, errors = process.communicate(timeout=PATIENCE_S)
    data = json.loads(output)
    (seen,) = data["processes"]
    assert seen["break_polls"] == BREAK_POLLS
    assert seen["ended"]
    assert 0 < seen["watched_s"] <= data["seconds"]
    assert process.returncode == 0
    assert f"process {poller.pid} " in errors
    assert "ended meanwhile" in errors


@pytest.mark.usefixtures("probe")
def test_a_command_is_watched_from_its_first_call_with_what_it_forks(run: Run) -> None:
    # GIVEN a shell that runs another program and ends with a code of its own
    ended = run("stat", "--json", "--", "sh", "-c", "/bin/true; exit 7")
    # THEN both are there, from execve on, and the code is the command's
    assert ended.returncode == 7
    processes = json.loads(ended.stdout)["processes"]
    assert len(processes) == 2
    for process in processes:
        calls = {call["name"]: call["calls"] for call in process["syscalls"]}
        assert calls["execve"] == calls["exit_group"] == 1


def test_no_such_command(run: Run) -> None:
    ended = run("stat", "--", "/no/such/command")
    assert ended.returncode == 2
    assert ended.stderr == "polltrace: /no/such/command: no such command\n"


@pytest.mark.usefixtures("probe")
def test_processes_by_title(run: Run, poller: Poller) -> None:
    ended = run("stat", "--json", "-d", "0.1", "-n", rf"poller\.py {BREAK_POLLS} {OTHER_POLLS}$")
    assert [each["pid"] for each in json.loads(ended.stdout)["processes"]] == [poller.pid]


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ([], 2, "choose processes"),
        (["--all", "--sid", "X"], 2, "choose processes"),
        (["--all", "--", "true"], 2, "not both"),
        (["-n", "("], 2, "'(' is not a regular expression"),
        (["-n", "no process is called so"], 5, "no process with a title like"),
    ],
)
@pytest.mark.usefixtures("root")
def test_a_choice_without_a_process_is_an_error(
    run: Run, options: list[str], code: int, words: str
) -> None:
    ended = run("stat", *options)
    assert ended.returncode == code
    assert words in ended.stderr


@pytest.mark.usefixtures("root")
def test_no_server_of_an_instance_is_certain_only_where_all_processes_are_seen(run: Run) -> None:
    """In a PID namespace of its own it sees only a part of the host's."""
    ended = run("stat", "--sid", "NOSUCH")
    code, words = 5, "no dedicated server of instance NOSUCH"
    if hidden_processes():
        code, words = 4, "whether this host has dedicated servers cannot be told"
    assert ended.returncode == code
    assert words in ended.stderr


@pytest.mark.parametrize("verb", ["stat", "why"])
def test_a_number_above_all_pids_is_no_process(run: Run, verb: str) -> None:
    ended = run(verb, "-p", "99999999")
    assert (ended.returncode, ended.stderr) == (
        5,
        "polltrace: no process 99999999 ('polltrace ps' lists the servers)\n",
    )


def a_pid_that_is_gone() -> str:
    process = subprocess.Popen(["true"])
    process.wait()
    return str(process.pid)


@pytest.mark.parametrize("pid", ["0", "12x", "", "1,,2"])
def test_an_invalid_pid_is_refused(run: Run, pid: str) -> None:
    ended = run("stat", "-p", pid)
    assert ended.returncode == 2
    assert f"{pid!r} is not a PID" in ended.stderr


@pytest.mark.usefixtures("probe")
def test_no_such_process(run: Run) -> None:
    pid = a_pid_that_is_gone()
    ended = run("stat", "-p", pid)
    assert ended.returncode == 5
    (line,) = ended.stderr.splitlines()
    assert pid in line


@pytest.mark.usefixtures("probe")
def test_without_capabilities(run: Run, poller: Poller) -> None:
    ended = run("stat", "-p", str(poller.pid), prefix=WITHOUT_CAPABILITIES)
    assert ended.returncode == 3
    (line,) = ended.stderr.splitlines()
    assert "root" in line


@pytest.mark.usefixtures("probe")
def test_a_kernel_without_btf(run: Run, poller: Poller) -> None:
    ended = run("stat", "-p", str(poller.pid), prefix=WITHOUT_BTF)
    assert ended.returncode == 4
    (line,) = ended.stderr.splitlines()
    assert "/sys/kernel/btf/vmlinux" in line


def test_output_that_cannot_be_written(run: Run) -> None:
    ended = run("doctor", "--json", prefix=("bash", "-c", '"$@" > /dev/full', "bash"))
    assert ended.returncode == 8
    assert ended.stderr == "polltrace: cannot write the output: No space left on device\n"


def test_an_unknown_command_is_refused(run: Run) -> None:
    ended = run("frobnicate")
    assert ended.returncode == 2
    assert "there is no command 'frobnicate'" in ended.stderr


def test_help_names_the_exit_codes(run: Run) -> None:
    ended = run("stat", "--help")
    assert ended.returncode == 0
    assert "5 no such process" in ended.stdout
