# SPDX-License-Identifier: GPL-2.0-or-later
"""One body over every backend: each reports exactly what it claims to be able to."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from polltrace.backends.backend import Backend
from polltrace.backends.bcc_backend import SCRIPT, BccProbe
from polltrace.backends.choice import PTRACE_WARNING, Choice, choose
from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.backends.ptrace_probe import PtraceProbe
from polltrace.doctor.host import ThisHost
from polltrace.errors import HostError, NoSuchProcessError
from polltrace.executables import SYSTEM_PYTHON
from polltrace.profiles.profile import Profile
from polltrace.stop_at.threads import status
from tests.conftest import WITHOUT_BTF
from tests.stop_at.stopped_target import StoppedTarget
from tests.waiting import PATIENCE_S, until

Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]


class Answers(ThisHost):
    """This host, except for the answers of programs to an option."""

    def __init__(self, answers: dict[str, tuple[int, str]]) -> None:
        self.answers = answers

    def output(self, *argv: str) -> tuple[int, str]:
        return self.answers[argv[-1]] if argv[-1] in self.answers else super().output(*argv)


def ebpf(pid: int) -> Backend:
    return EbpfProbe([pid], ProbeOptions(syscalls=True, follow=True))


def ptrace(pid: int) -> Backend:
    return PtraceProbe([pid], follow=True)


def bcc(pid: int) -> Backend:
    return BccProbe([pid], ProbeOptions(syscalls=True, follow=True))


@cache
def why_no_bcc() -> str:
    """For this kernel with the headers it has, "" where bcc works. Not missing() in CI: a kernel
    that has type information needs no bcc, and tests/kernels tries it on one that has headers."""
    code, text = ThisHost().output(SYSTEM_PYTHON, str(SCRIPT), "--check")
    return text.strip() if code else ""


@pytest.fixture(params=[ebpf, ptrace, bcc])
def backend(request: pytest.FixtureRequest, probe: None) -> Callable[[int], Backend]:
    if request.param is bcc and (why := why_no_bcc()):
        pytest.skip(why)
    chosen: Callable[[int], Backend] = request.param
    return chosen


def watched(backend: Backend, target: StoppedTarget, *commands: str) -> Profile:
    with backend as attached:
        for command in commands:
            target.do(command)
        return attached.stop()


def polls(profile: Profile) -> tuple[int, int]:
    """Break polls and other polls of all processes."""
    return (
        sum(each.break_polls for each in profile.totals),
        sum(each.other_polls for each in profile.totals),
    )


@pytest.mark.parametrize("kind", ["tcp", "tcp6", "unix"])
def test_break_polls_and_the_socket(
    backend: Callable[[int], Backend], target: StoppedTarget, kind: str
) -> None:
    fd = target.do(f"open {kind}")
    seen = watched(backend(target.pid), target, f"poll {fd} 1009 0", f"ppoll {fd} 101 zero")
    assert polls(seen) == (1110, 0)
    (socket,) = [each for each in seen.only().sockets if each.polls]
    assert (socket.fd, socket.kind, socket.polls) == (fd, kind, 1110)
    if kind == "tcp":
        assert socket.local.startswith("127.0.0.1:")
        assert socket.peer.startswith("127.0.0.1:")


def test_polls_that_are_no_break_polls_are_counted_apart(
    backend: Callable[[int], Backend], target: StoppedTarget
) -> None:
    tcp, *others = (target.do(f"open {k}") for k in ("tcp", "pipe", "udp", "unconnected", "dgram"))
    seen = watched(
        backend(target.pid),
        target,
        *(f"poll {fd} 101 0" for fd in others),
        f"poll {tcp} 103 1",
        f"many {tcp} 107",
        f"ppoll {tcp} 109 soon",
        "poll 899 113 0",
    )
    assert polls(seen) == (0, 4 * 101 + 103 + 107 + 109 + 113)


def test_failing_calls(backend: Callable[[int], Backend], target: StoppedTarget) -> None:
    seen = watched(backend(target.pid), target, "badclose 0 211", "getppid 0 223")
    calls = {call.name: (call.calls, call.errors) for call in seen.only().syscalls}
    assert (calls["close"], calls["getppid"]) == ((211, 211), (223, 0))


def test_threads_are_their_process(
    backend: Callable[[int], Backend], target: StoppedTarget
) -> None:
    fd = target.do("open tcp")
    seen = watched(backend(target.pid), target, f"threads {fd} 1009 3")
    assert (polls(seen), seen.only().pid) == ((1009, 0), target.pid)


def test_forks_are_processes_of_their_own(
    backend: Callable[[int], Backend], target: StoppedTarget
) -> None:
    fd = target.do("open tcp")
    seen = watched(backend(target.pid), target, f"forks {fd} 1009 3 2")
    assert polls(seen) == (1009, 0)
    counts = [each.break_polls for each in seen.totals if each.pid != target.pid]
    assert sorted(counts) == [336, 336, 337]


def test_a_process_that_ends(backend: Callable[[int], Backend], target: StoppedTarget) -> None:
    fd = target.do("open tcp")
    with backend(target.pid) as attached:
        target.do(f"poll {fd} 1009 0")
        target.begin("exit 0")
        target.process.wait(PATIENCE_S)
        seen = attached.profile()
    assert polls(seen) == (1009, 0)
    assert seen.ended


def test_a_process_that_has_ended_is_refused(backend: Callable[[int], Backend]) -> None:
    with subprocess.Popen(["true"]) as process:
        pass
    with pytest.raises(NoSuchProcessError), backend(process.pid):
        pass


def ptrace_stat(start: Start, target: StoppedTarget, *options: str) -> subprocess.Popen[str]:
    process = start("stat", "--backend", "ptrace", "-p", str(target.pid), *options)
    assert process.stderr is not None
    assert process.stderr.readline() == "polltrace: backend ptrace: asked for\n"
    assert process.stderr.readline() == f"polltrace: {PTRACE_WARNING}\n"
    assert "attached" in process.stderr.readline()
    return process


def only_process(stat: subprocess.Popen[str]) -> dict[str, Any]:
    """The one process that `stat --json` reports, once it was interrupted."""
    stat.send_signal(signal.SIGINT)
    output, errors = stat.communicate(timeout=PATIENCE_S)
    assert (stat.returncode, errors) == (0, "")
    data = json.loads(output)
    assert data.get("complete", True)  # only a trace has the field
    (seen,) = data["processes"]
    assert isinstance(seen, dict)
    return seen


@pytest.mark.usefixtures("root")
def test_stat_reports_what_ptrace_can(start: Start, target: StoppedTarget) -> None:
    fd = target.do("open tcp")
    process = ptrace_stat(start, target, "--json")
    target.do(f"poll {fd} 1009 0")
    seen = only_process(process)
    assert (seen["break_polls"], seen["verdict"]) == (1009, "break_polling")
    assert seen["cost_ns"] is seen["cpu_s"] is None
    assert status(target.pid, "TracerPid") == 0


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("asked", ["auto", "ptrace"])
def test_polls_are_counted_without_btf(start: Start, target: StoppedTarget, asked: str) -> None:
    if asked == "auto" and (why := why_no_bcc()):
        pytest.skip(why)  # then auto refuses: see below
    fd = target.do("open tcp")
    options = ("--backend", asked, "-p", str(target.pid), "--json")
    process = start("stat", *options, prefix=WITHOUT_BTF)
    assert process.stderr is not None
    taken = "ptrace" if asked == "ptrace" else "bcc"
    why = "no eBPF here" if asked == "auto" else "asked for"
    assert process.stderr.readline().startswith(f"polltrace: backend {taken}: {why}")
    if taken == "ptrace":
        assert process.stderr.readline() == f"polltrace: {PTRACE_WARNING}\n"
    assert "attached" in process.stderr.readline()
    target.do(f"poll {fd} 1009 0")
    assert only_process(process)["break_polls"] == 1009


@pytest.mark.usefixtures("root")
def test_ptrace_on_a_process_that_is_traced_already(
    start: Start, run: Run, target: StoppedTarget
) -> None:
    ptrace_stat(start, target)
    ended = run("stat", "--backend", "ptrace", "-p", str(target.pid))
    assert ended.returncode == 3
    *_, line = ended.stderr.splitlines()
    assert f"process {target.pid} is traced already, by " in line


@pytest.mark.usefixtures("probe")
def test_auto_reports_its_choice(run: Run, target: StoppedTarget) -> None:
    ended = run("stat", "--backend", "auto", "-p", str(target.pid), "-d", "0.1")
    assert (ended.returncode, ended.stderr.splitlines()[0]) == (
        0,
        "polltrace: backend ebpf: it works here",
    )


@pytest.mark.usefixtures("root")
def test_killed_it_takes_its_tracer_along(start: Start, target: StoppedTarget) -> None:
    fd = target.do("open tcp")
    process = ptrace_stat(start, target)
    target.begin(f"poll {fd} {10**12} 0")
    process.kill()
    until(lambda: status(target.pid, "TracerPid") == 0)
    target.assert_free()


@pytest.mark.usefixtures("probe")
def test_auto_takes_ebpf_where_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose("auto") == Choice("ebpf", "it works here")
    assert choose("ptrace") == Choice("ptrace", "asked for")
    # AND elsewhere another backend, with the reason
    monkeypatch.setenv("POLLTRACE_PROBE", "/no/such/file")
    host = Answers({"--check": (0, "yes\n")})
    no_ebpf = "no eBPF here (the probe is not built)"
    assert choose("auto", host) == Choice("bcc", f"{no_ebpf}, but the kernel's headers")
    # AND never what stops the process at every call
    with pytest.raises(HostError, match=re.escape(f"{no_ebpf}; --backend ptrace is left")):
        choose("auto", host, stacks=True)
    host = Answers({"--check": (4, "clang: noise\nbcc_probe: no headers\n")})
    refusal = f"{no_ebpf}, nor bcc (no headers); --backend ptrace is left"
    with pytest.raises(HostError, match=re.escape(refusal)):
        choose("auto", host)


@pytest.mark.usefixtures("root")
def test_the_ptrace_backend_refuses_a_command(run: Run) -> None:
    ended = run("stat", "--backend", "ptrace", "--", "true")
    assert ended.returncode == 2
    assert "use -p PID" in ended.stderr
