# SPDX-License-Identifier: GPL-2.0-or-later
"""Filters, and the messages of refusals."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.probes.probe_process import LINUX, PROBE, Probe, Target, counts, total
from tests.waiting import PATIENCE_S

StartProbe = Callable[..., Probe]
StartTarget = Callable[..., Target]


def test_processes_selected_by_name_running_and_new(
    start_target: StartTarget, start_probe: StartProbe, poller: Path
) -> None:
    old = start_target()
    old.do(f"title orac{os.getpid()}")
    probe = start_probe("-n", f"^{poller}$", "-i", "0.1")
    first = old.do("open tcp")
    old.do(f"poll {first} 1301 0")
    new = start_target()
    fd = new.do("open tcp")
    new.do(f"poll {fd} 1303 0")  # long before it was judged
    probe.wait_for("frame", lambda f: any(p["pid"] == new.pid for p in f["processes"]))
    frame = probe.stop()
    assert counts(frame, old.pid)["break_polls"] == 1301
    assert counts(frame, new.pid)["break_polls"] == 1303
    assert {p["pid"] for p in frame["processes"]} == {old.pid, new.pid}


def test_a_process_is_watched_from_when_its_title_matches(
    target: Target, start_probe: StartProbe
) -> None:
    """As a listener's child that becomes a dedicated server."""
    fd = target.do("open tcp")
    probe = start_probe("-n", f"^becomes{os.getpid()}$", "-i", "0.1")
    child = Target.start(Path("/proc") / str(target.pid) / "exe")
    try:
        own = child.do("open tcp")
        child.do(f"poll {own} 1409 0")
        child.do(f"title becomes{os.getpid()}")
        probe.wait_for("frame", lambda f: bool(f["processes"]))
        target.do(f"poll {fd} 17 0")
        probe.stop()
    finally:
        child.close()
    assert total(probe) == 1409


def test_short_lived_processes_are_counted_by_name(
    target: Target, start_probe: StartProbe, poller: Path
) -> None:
    probe = start_probe("-n", f"^{poller}$", "-i", "0.1")
    fd = target.do("open tcp")
    target.do(f"forks {fd} 2003 5 1")
    probe.wait_for("exit", lambda _: len(probe.of("exit")) == 5)
    probe.stop()
    assert sum(e["break_polls"] for e in probe.of("exit")) == 2003


@pytest.fixture
def cgroup() -> Iterator[Path]:
    for root in ("/sys/fs/cgroup/unified", "/sys/fs/cgroup", "/sys/fs/cgroup/pids"):
        path = Path(root) / f"polltrace-test-{secrets.token_hex(4)}"
        try:
            path.mkdir()
        except OSError:
            continue
        if (path / "cgroup.procs").exists():
            yield path
            path.rmdir()
            return
        path.rmdir()
    pytest.skip("no cgroup can be made here")


def test_processes_selected_by_cgroup(
    start_target: StartTarget, start_probe: StartProbe, cgroup: Path
) -> None:
    inside, outside = start_target(), start_target()
    (cgroup / "cgroup.procs").write_text(str(inside.pid))
    probe = start_probe("--cgroup", str(cgroup), "-i", "0.1")
    for target in (inside, outside):
        target.do(f"poll {target.do('open tcp')} 1511 0")
    inside.do(f"forks {inside.do('open tcp')} 1523 2 1")
    probe.wait_for("exit", lambda _: len(probe.of("exit")) == 2)
    probe.stop()
    assert total(probe) == 1511 + 1523
    assert outside.pid not in {p["pid"] for p in probe.of("process")}
    inside.close()


def fails(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [PROBE, *arguments], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("polltrace-probe: ")
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["-p", ""],
        ["-p", "abc"],
        ["-p", "1,"],
        ["-p", "-1"],
        ["-p", "1", "-i", "0"],
        ["-p", "1", "-d", "nan"],
        ["-p", "1", "--stacks", "x"],
        ["-p", "1", "--depth", "62"],
        ["-p", "1", "--watch", "-c"],
        ["-p", "1", "surplus"],
        ["-p", "1", "--variant", "uprobe"],
        ["-n", "("],
        ["--cgroup", "/proc"],
        ["-p", "1", "--no-stacks"],
        ["-p", "1", "--kernel"],
        ["-p", "1", "--stacks", "automatic"],
        ["-p", "1", "--burst-calls", "0"],
    ],
)
def test_wrong_usage(arguments: list[str], root: None) -> None:
    code, _ = fails(*arguments)
    assert code == 2


def test_no_such_process(root: None) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    code, text = fails("-p", str(ended.pid))
    assert code == 5
    assert str(ended.pid) in text


def test_the_id_of_a_thread_is_refused_with_its_process(root: None) -> None:
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        code, text = fails("-p", str(thread.native_id))
    finally:
        over.set()
        thread.join()
    assert code == 5
    assert f"thread of process {os.getpid()}" in text


def test_the_variant_that_counts_exactly_is_chosen(target: Target, start_probe: StartProbe) -> None:
    """kprobe, where the kernel preempts other programs and skips them meanwhile."""
    probe = start_probe("-p", str(target.pid))
    preempts = LINUX >= (7, 0) and "PREEMPT" in os.uname().version
    assert (probe.records[0]["variant"] == "kprobe") == preempts
    probe.stop()


def test_without_root_the_error_names_the_capabilities() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to become nobody")
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", PROBE, "-p", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    if "Permission denied" in done.stderr:
        pytest.skip("the checkout is not readable by others")
    assert done.returncode == 3
    assert "CAP_BPF" in done.stderr
    assert done.stderr.count("\n") == 1


def test_setuid_use_is_refused(tmp_path: Path, root: None) -> None:
    copy = Path("/tmp") / f"polltrace-probe-setuid-{os.getpid()}"
    copy.write_bytes(PROBE.read_bytes())
    copy.chmod(0o4755)
    try:
        done = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copy, "-p", "1"],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        copy.unlink()
    assert done.returncode == 3
    assert "setuid" in done.stderr


def test_help_and_version_need_no_privileges() -> None:
    done = subprocess.run([PROBE, "--help"], capture_output=True, text=True, check=True)
    assert "Exit: 0 done" in done.stdout
    done = subprocess.run([PROBE, "--version"], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"polltrace-probe \S+\nlibbpf \d+\.\d+\n", done.stdout)
