# SPDX-License-Identifier: GPL-2.0-or-later
"""The traced process runs on, whichever process of polltrace is suspended, and whenever."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest

from polltrace.stop_at import ptrace
from polltrace.stop_at.capture import HELD_UP, Capture, Refused, StopCondition
from polltrace.stop_at.counter import PtraceCallCounter
from polltrace.stop_at.guard import TracingProcess, stop_at
from polltrace.stop_at.threads import state, status
from polltrace.stop_at.tracing import Limits
from tests.attacks.storm import Storm
from tests.waiting import PATIENCE_S, children, until

Start = Callable[..., subprocess.Popen[str]]
# `make soak` has 200.
SUSPENDS = int(os.environ.get("POLLTRACE_SUSPENDS", "12"))
BREAK_POLLS = StopCondition(frozenset({7, 271}), True)
NEVER_MADE = "reboot"


def assert_free(storm: Storm) -> None:
    until(lambda: status(storm.pid, "TracerPid") == 0, "the release of the process")
    assert state(storm.pid, storm.pid) in "RS"
    storm.assert_every_signal_arrived()


def test_the_tracing_process_at_every_step(storm: Storm, monkeypatch: pytest.MonkeyPatch) -> None:
    # GIVEN a tracing process that is suspended before its n-th request to the kernel
    request: Callable[..., None] = ptrace._request
    for fatal in range(1, 100):
        made = 0

        def counted(*arguments: Any, fatal: int = fatal) -> None:
            nonlocal made
            made += 1
            if made == fatal:
                os.kill(os.getpid(), signal.SIGSTOP)
            request(*arguments)

        monkeypatch.setattr(ptrace, "_request", counted)
        outcome = stop_at(storm.pid, BREAK_POLLS, Limits(60.0, 0.5))
        # THEN its own deadline ends it, and the process runs on
        assert status(storm.pid, "TracerPid") == 0
        if isinstance(outcome, Capture):
            break
        assert outcome == Refused(0, HELD_UP)
        if fatal >= SUSPENDS:
            break
    assert_free(storm)


def test_the_tracing_process_at_any_time(storm: Storm) -> None:
    chance = random.Random(18)
    for _ in range(SUSPENDS):
        counter = PtraceCallCounter([storm.pid], Limits(None, 0.1), False, False)
        process = TracingProcess(counter.outcome, None)
        process.await_begun()
        time.sleep(chance.uniform(0, 0.02))
        os.kill(process.pid, signal.SIGSTOP)
        # No process waits for it or guards it, as if this one were suspended, too.
        until(lambda: status(storm.pid, "TracerPid") == 0)
        process.close()
    assert_free(storm)


@pytest.mark.parametrize("whom", ["polltrace", "its group", "all at once"])
@pytest.mark.parametrize("verb", ["stat", "stop-at"])
def test_polltrace_itself_is_suspended(start: Start, storm: Storm, verb: str, whom: str) -> None:
    options = {
        "stat": ("--backend", "ptrace", "--json"),
        "stop-at": ("--syscall", NEVER_MADE, "-d", "600", "--longest-stop", "500ms"),
    }[verb]
    process = start(verb, *options, "-p", str(storm.pid), prefix=("setsid",))
    tracer = until(lambda: status(storm.pid, "TracerPid"))
    assert tracer in children(process.pid, "polltrace")
    # WHEN processes are suspended: the group as by Ctrl-Z, or one after the other
    if whom == "its group":
        os.killpg(process.pid, signal.SIGSTOP)
    else:
        os.kill(process.pid, signal.SIGSTOP)
        if whom == "all at once":
            os.kill(tracer, signal.SIGSTOP)
    until(lambda: state(process.pid, process.pid) == "T")
    # THEN the process runs on while polltrace is still suspended
    assert_free(storm)
    assert state(process.pid, process.pid) == "T"
    # AND polltrace reports it once it runs again
    os.kill(process.pid, signal.SIGCONT)
    output, errors = process.communicate(timeout=PATIENCE_S)
    # A tracer that the host stalled has let the process go by itself and says that.
    if whom == "all at once" or "this host is busy" in errors:
        assert "let " in errors.splitlines()[-1]
    elif verb == "stat":
        assert "polltrace was suspended" in json.loads(output)["doubts"][0]
    else:
        assert "when polltrace was suspended" in errors
