# SPDX-License-Identifier: GPL-2.0-or-later
"""A test from the client's side: its concurrent streams, and their combined figures."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import polltrace
from polltrace.errors import HostError
from polltrace.latency.distribution import Distribution, LatencySummary
from polltrace.latency.net_test.plan import NetTestPlan

# The length of a message of the stream that measures latency while others send without waiting.
LOADED_LENGTH = 100
# Above this share of a processor a stream is limited by itself.
SATURATED = 0.9


@dataclass(frozen=True, slots=True)
class NetTestInterval:
    """The figures of all streams in one interval, which ended `at_s` seconds after the warm-up.

    `bytes` of messages, the number of answered `messages` and the mean of their latencies, `mean_s`
    (None: no message).
    """

    at_s: float
    seconds: float
    bytes: int
    messages: int
    mean_s: float | None


@dataclass(frozen=True, slots=True)
class NetTestResult:
    """A test's figures, after the warm-up.

    - `plan`, and the number of `streams`
    - `seconds`: duration, of `plan.seconds`; `ended_early`: the other end closed the connection
    before
    - `bytes`: of messages that have arrived; without acknowledgements
    - `latency`: seconds from a message to its answer; None without acknowledgement
    - `loaded`: seconds of a short message's round trip at the same time, on a connection of its
    own; only without acknowledgement
    - `retransmits`: segments sent again; `rtt_s`: smoothed round trip times by the kernel
    - `send_buffer`: of a socket, in bytes
    - `cpu_share`: of a processor, the busiest stream's
    - `intervals`: in their order
    """

    plan: NetTestPlan
    streams: int
    seconds: float
    ended_early: bool
    bytes: int
    latency: LatencySummary | None
    loaded: LatencySummary | None
    retransmits: int
    rtt_s: Sequence[float]
    send_buffer: int
    cpu_share: float
    intervals: Sequence[NetTestInterval]

    @property
    def bytes_per_s(self) -> float:
        return self.bytes / self.seconds if self.seconds else 0.0

    @property
    def messages_per_s(self) -> float:
        return self.bytes_per_s / self.plan.length

    @property
    def saturated(self) -> bool:
        return self.cpu_share > SATURATED


class _StreamProcess:
    """A process of stream.py, which connects in __enter__."""

    def __init__(
        self, address: tuple[str, int], plan: NetTestPlan, interval_s: float, timeout_s: float
    ) -> None:
        self._request = {
            "address": address,
            "plan": asdict(plan),
            "interval_s": interval_s,
            "timeout_s": timeout_s,
        }

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "polltrace.latency.net_test.stream"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
            cwd=Path(polltrace.__file__).parents[1],
        )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(self._request) + "\n")
        self._process.stdin.flush()
        return self

    def ready(self) -> None:
        """Wait until it is connected. Raises HostError where it could not connect."""
        self.answer()

    def begin(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write("begin\n")
            self._process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise HostError("a stream's process ended before its time")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise HostError(answer["error"])
        return answer

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()


def run_test(  # noqa: PLR0913
    address: tuple[str, int],
    plan: NetTestPlan,
    streams: int,
    *,
    interval_s: float,
    timeout_s: float,
    show: Callable[[NetTestInterval], None] = lambda _: None,
) -> NetTestResult:
    """Run the test; `show` gets each interval as it ends. Raises HostError."""
    plans = [plan] * streams
    if plan.mode == "async":
        plans.append(replace(plan, mode="sync", direction="to-server", length=LOADED_LENGTH))
    with contextlib.ExitStack() as stack:
        started = [
            stack.enter_context(_StreamProcess(address, stream_plan, interval_s, timeout_s))
            for stream_plan in plans
        ]
        for process in started:
            process.ready()
        for process in started:
            process.begin()
        ends: list[dict[str, Any]] = []
        intervals = []
        for interval in _intervals(started, streams, ends):
            intervals.append(interval)
            show(interval)
    results = ends[:streams]
    return NetTestResult(
        plan=plan,
        streams=streams,
        seconds=max(result["seconds"] for result in results),
        ended_early=any(result["ended_early"] for result in results),
        bytes=sum(result["bytes"] for result in results),
        latency=_merged(results) if plan.mode == "sync" else None,
        loaded=_merged(ends[streams:]),
        retransmits=sum(result["retransmits"] for result in results),
        rtt_s=[result["rtt_s"] for result in results],
        send_buffer=results[0]["send_buffer"],
        cpu_share=max(result["cpu_share"] for result in results),
        intervals=intervals,
    )


def _intervals(
    started: Sequence[_StreamProcess], streams: int, ends: list[dict[str, Any]]
) -> Iterator[NetTestInterval]:
    """The intervals until every stream has ended; `ends` gets the streams' last lines."""
    before_s = 0.0
    while True:
        lines = [process.answer() for process in started]
        if any("latency" in line for line in lines):
            # A stream that ended early has no more intervals: the others' are read to their end.
            for process, line in zip(started, lines, strict=True):
                while "latency" not in line:
                    line = process.answer()  # noqa: PLW2901
                ends.append(line)
            return
        ours = lines[:streams]
        answered = sum(line["messages"] for line in lines)
        total_s = sum(line["messages"] * line["mean_s"] for line in lines if line["messages"])
        yield NetTestInterval(
            at_s=ours[0]["at_s"],
            seconds=ours[0]["at_s"] - before_s,
            bytes=sum(line["bytes"] for line in ours),
            messages=answered,
            mean_s=total_s / answered if answered else None,
        )
        before_s = ours[0]["at_s"]


def _merged(ends: Sequence[dict[str, Any]]) -> LatencySummary | None:
    merged = Distribution()
    for end in ends:
        merged.merge(Distribution.of(end["latency"]))
    return merged.summary()
