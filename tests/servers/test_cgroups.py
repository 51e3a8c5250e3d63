# SPDX-License-Identifier: GPL-2.0-or-later
"""Containers, pods and units by control group: the forms of paths, and a real group."""

from __future__ import annotations

import json
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polltrace.servers.cgroups import ControlGroup, parsed

Run = Callable[..., subprocess.CompletedProcess[str]]
ID = "3f4e" * 16
POD = "0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0"


@pytest.mark.parametrize(
    ("line", "container", "pod", "unit"),
    [
        ("0::/", "", "", ""),
        ("0::/user.slice/user-1000.slice/session-3.scope", "", "", "session-3.scope"),
        ("0::/system.slice/oracle-db.service", "", "", "oracle-db.service"),
        (f"0::/system.slice/docker-{ID}.scope", ID, "", ""),
        (f"0::/machine.slice/libpod-{ID}.scope/container", ID, "", ""),
        (f"4:memory:/docker/{ID}", ID, "", ""),
        (
            "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod"
            f"{POD.replace('-', '_')}.slice/cri-containerd-{ID}.scope",
            *(ID, POD, ""),
        ),
        (f"11:pids:/kubepods/besteffort/pod{POD}/{ID}", ID, POD, ""),
        ("0::/lxc.payload.db1/system.slice/oracle.service", "db1", "", "oracle.service"),
        ("3:cpu:/lxc/db1", "db1", "", ""),
        ("0::/user.slice/user@1000.service/app.slice/job.service", "", "", "job.service"),
        # Longer digits are no identifier, and a colon belongs to the path.
        (f"0::/{ID}a", "", "", ""),
        (f"0::/a:b/{ID}", ID, "", ""),
        ("no line of the kernel's", "", "", ""),
    ],
)
def test_forms_of_paths(line: str, container: str, pod: str, unit: str) -> None:
    group = parsed(f"{line}\n")
    assert (group.container, group.pod, group.unit) == (container, pod, unit)


def test_of_version_1_the_hierarchy_with_the_longest_path_counts() -> None:
    text = f"9:name=systemd:/\n4:memory:/docker/{ID}\n1:cpu:/\n0::/\n"
    assert parsed(text).container == ID


def test_groups_below_a_path_are_in_it_and_its_namesakes_are_not() -> None:
    group = ControlGroup("/a.slice/b.service")
    paths = (
        "/a.slice",
        "/a.slice/",
        "/a.slice/b.service",
        "/a",
        "/a.slice/b",
        "/a.slice/b.service/c",
    )
    assert [group.is_in(path) for path in paths] == [True, True, True, False, False, False]


@pytest.fixture
def contained() -> Iterator[tuple[str, int, str]]:
    """A process in a group such as Docker's: its container, its PID, and the group's path."""
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    root = next((Path(where) for _, where, kind, *_ in mounts if kind == "cgroup2"), None)
    if root is None:
        pytest.skip("this host has no control groups of version 2")
    container = f"{uuid.uuid4().hex}{uuid.uuid4().hex}"
    group = root / f"docker-{container}.scope"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"control groups cannot be made here: {error.strerror}")
    with subprocess.Popen(["sleep", "infinity"]) as process:
        try:
            (group / "cgroup.procs").write_text(str(process.pid))
            yield container, process.pid, f"/{group.name}"
        finally:
            process.kill()
            process.wait()
            group.rmdir()


def test_a_container_is_watched_by_the_beginning_of_its_identifier(
    run: Run, contained: tuple[str, int, str]
) -> None:
    container, pid, path = contained
    for choice in (f"--container={container[:12]}", f"--cgroup={path}"):
        ended = run("stat", choice, "-d", "0.1", "--json")
        assert ended.returncode == 0, ended.stderr
        assert [process["pid"] for process in json.loads(ended.stdout)["processes"]] == [pid]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("--container=0000", "no process in a container whose identifier begins with '0000'"),
        ("--unit=no-such", "no process of the systemd unit 'no-such'"),
        ("--cgroup=/no/such", "no process in the control group '/no/such'"),
    ],
)
def test_a_group_without_processes_is_named(run: Run, choice: str, words: str) -> None:
    ended = run("stat", choice, "-d", "0.1")
    assert (ended.returncode, ended.stdout) == (5, "")
    (line,) = ended.stderr.splitlines()
    assert words in line


def test_choices_exclude_each_other(run: Run) -> None:
    ended = run("stat", "--unit=a", "--all", "-d", "0.1")
    assert ended.returncode == 2
    assert "one of -p PID" in ended.stderr


@pytest.mark.parametrize("choice", ["--container=", "--unit=", "--cgroup="])
def test_an_empty_name_is_refused(run: Run, choice: str) -> None:
    ended = run("stat", choice, "-d", "0.1")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "it is empty" in ended.stderr
