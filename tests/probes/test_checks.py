# SPDX-License-Identifier: GPL-2.0-or-later
"""The calls besides poll by which an engine may check its client's socket, each counted exactly."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.probes.conftest import TARGETS
from tests.probes.probe_process import LINUX, PROBE, Probe, Target, counts, total

StartProbe = Callable[..., Probe]
ALL = "checker=poll,select,epoll_wait,recv"

# Calls that are checks where their family is one, by family.
CHECKS = {
    "epoll_wait": [
        *("epoll", "epoll-pwait", "epoll-once"),
        *(("epoll-pwait2",) if LINUX >= (5, 11) else ()),
    ],
    "select": ["select", "pselect", "select-below"],
    "recv": ["recv", "recvmsg"],
    "poll": ["poll"],
}
# What is never one: it waits, holds no client's socket, asks about several, or is no set at all.
OTHERS = [
    *("epoll-waiting", "epoll-other", "epoll-without", "epoll-large", "epoll-no-set"),
    *("select-two", "select-high-two", "select-waiting"),
]


@pytest.fixture(scope="session")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("checker") / "checker"
    subprocess.run(
        [
            *("gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"),
            *(str(TARGETS / "checker.c"), "-o", str(output)),
        ],
        check=True,
    )
    return output


@pytest.fixture
def target(checker: Path) -> Iterator[Target]:
    running = Target.start(checker)
    yield running
    running.close()


def test_every_call_is_counted_by_every_variant(
    variant: str, target: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(target.pid), "--variant", variant, "--check", ALL)
    checks = [name for names in CHECKS.values() for name in names]
    for number, name in enumerate(checks):
        fd = target.do(f"{name} {101 + number}")
    for name in OTHERS:
        target.do(f"{name} 11")
    target.do("recv-reading 13")  # reads, so it is no poll at all
    frame = probe.stop()

    made = sum(101 + number for number in range(len(checks)))
    found = counts(frame, target.pid)
    assert found["break_polls"] == made
    assert found["other_polls"] == 11 * len(OTHERS)
    assert [(s["fd"], s["polls"]) for s in found["sockets"]] == [(fd, made)]


def test_select_of_a_descriptor_beyond_the_first_word_of_the_set(
    variant: str, target: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(target.pid), "--variant", variant, "--check", ALL)
    target.do("select-high 31")
    client = target.do("recv 7")
    found = counts(probe.stop(), target.pid)
    assert (found["break_polls"], found["other_polls"]) == (38, 0)
    assert {s["fd"]: s["polls"] for s in found["sockets"]} == {200: 31, client: 7}


@pytest.mark.parametrize("family", list(CHECKS))
def test_only_the_calls_of_the_rule_are_checks(
    family: str, target: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(target.pid), "--check", f"checker={family}")
    for names in CHECKS.values():
        for name in names:
            target.do(f"{name} 53")
    found = counts(probe.stop(), target.pid)
    every = sum(map(len, CHECKS.values()))
    assert found["break_polls"] == 53 * len(CHECKS[family])
    assert found["other_polls"] == 53 * (every - len(CHECKS[family]))


def test_without_a_rule_poll_alone_is_a_check(target: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(target.pid), "--check", "checkers=epoll_wait,select,recv")
    for names in CHECKS.values():
        for name in names:
            target.do(f"{name} 53")
    found = counts(probe.stop(), target.pid)
    every = sum(map(len, CHECKS.values()))
    assert (found["break_polls"], found["other_polls"]) == (53, 53 * (every - 1))


def test_a_rule_applies_to_a_forked_child_from_its_first_call(
    variant: str, target: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(target.pid), "-f", "--variant", variant, "--check", ALL)
    target.do("fork-epoll-once 53")
    target.do("fork-epoll-other 7")
    probe.stop()
    assert (total(probe), total(probe, "other_polls")) == (53, 7)


def test_a_rule_applies_to_an_executable_that_was_replaced_on_disk(
    checker: Path, tmp_path: Path, start_probe: StartProbe
) -> None:
    copy = tmp_path / "server"
    copy.write_bytes(checker.read_bytes())
    copy.chmod(0o755)
    target = Target.start(copy)
    copy.unlink()
    assert os.readlink(f"/proc/{target.pid}/exe").endswith("server (deleted)")
    try:
        probe = start_probe("-p", str(target.pid), "-f", "--check", "server=epoll_wait")
        target.do("epoll 31")
        target.do("fork-epoll 17")
        probe.stop()
        assert total(probe) == 31 + 17
    finally:
        target.close()


def test_times_and_stacks_are_taken_of_every_kind_of_check(
    target: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(target.pid), "--latency", "--stacks", "1", "--check", ALL)
    for names in CHECKS.values():
        for name in names:
            target.do(f"{name} 10")
    found = counts(probe.stop(), target.pid)
    made = 10 * sum(map(len, CHECKS.values()))
    assert found["break_polls"] == made
    assert sum(bucket[2] for bucket in found["times_ns"]["duration"]) == made
    assert 20 <= sum(stack["count"] for stack in found["stacks"]) <= made


@pytest.mark.parametrize(
    "rule", ["checker", "=poll", "checker=", "checker=poll,write", f"{'x' * 31}=poll"]
)
def test_a_malformed_check_rule_is_refused(rule: str) -> None:
    ended = subprocess.run(
        [PROBE, "-p", "1", "--check", rule], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith("polltrace-probe: --check takes EXECUTABLE=CALL")
