# SPDX-License-Identifier: GPL-2.0-or-later
"""Watches processes and writes what is seen, until told to end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from polltrace.backends.ebpf import AUTO
from polltrace.interrupts import detaching
from polltrace.recording.close_looks import CloseLooks
from polltrace.recording.header import Quality
from polltrace.recording.journal import Journal
from polltrace.recording.parts import Parts, make_room
from polltrace.recording.pollers import Pollers
from polltrace.recording.probes import Probes, Said
from polltrace.recording.stream import CHECKS, COUNT, CPU, GAPS, identity_of
from polltrace.watch.inspection import Inspector
from polltrace.watch.pricing import PriceList

# Room for as many as a host has: what is more is lost, and counted as lost. Of thousands most do
# nothing, and need not be said so every second.
_ROOM = ["--max-processes", "8192", "--max-stacks", "16384", "--changed"]
# So many processes are looked at between two looks at the probes.
_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to record: `targets` are polltrace-probe's options. duration_s None: until stopped.

    `stack_every`: one stack in so many break polls, or AUTO; `sample_hz`: on-CPU samples a second
    and processor, 0 for none; `gaps`: look closely now and then; see close_looks.
    """

    path: Path
    targets: tuple[str, ...]
    command: tuple[str, ...]
    duration_s: float | None = None
    interval_s: float = 1.0
    max_bytes: int = 1 << 28
    keep: int = 4
    stack_every: int | Literal["auto"] = AUTO
    sample_hz: float = 49.0
    gaps: bool = True

    def counting(self) -> list[str]:
        """Options of the probe that counts every break poll."""
        duration = [] if self.duration_s is None else ["-d", f"{self.duration_s:g}"]
        stacks = ["--stacks", str(self.stack_every), "--own-cost"]
        return [*self.targets, *_ROOM, *stacks, "-i", f"{self.interval_s:g}", *duration]

    def sampling(self) -> list[str]:
        """Options of the probe that samples stacks on CPU. Polls are the other's business: this
        one counts for ten milliseconds a minute, because it cannot do without."""
        samples = ["--watch", "--hz", f"{self.sample_hz:g}", "--gap", "60", "--own-cost"]
        return [*self.targets, *_ROOM, *samples, "-i", f"{self.interval_s:g}"]


class Recorder:
    """One recording."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._inspector = Inspector()
        self._prices = PriceList()
        self._pollers = Pollers(wanted.duration_s)
        self._close_looks = CloseLooks(self._pollers, self._inspector.servers)

    def run(self, attached: Callable[[], None]) -> Quality:
        """Record; `attached` is called when every break poll counts. Ends when the duration is
        over, every process has ended, or by Ctrl-C.

        Raises the probe's failure, UsageError where another's file is in the way, and HostError
        when the file cannot be written any more.
        """
        wanted = self._wanted
        with Probes() as self._probes:
            journal = Journal(wanted.command, wanted.interval_s, self._probes.now_s)
            self._journal = journal
            early = self._attached()
            make_room(wanted.path)  # now that there will be another
            parts = Parts(
                wanted.path,
                max_bytes=wanted.max_bytes,
                keep=wanted.keep,
                opening=journal.opening,
                closing=lambda reason: journal.quality(reason).data(),
            )
            with closing(parts), detaching(self._probes.detach):
                parts.write(early)
                attached()
                self._probes.also(self._prices)
                self._record(parts)
                parts.finish(journal.reason)
                return journal.quality(journal.reason)

    def _attached(self) -> list[dict[str, object]]:
        """Start the probes, the counting one last: from then on it counts. The entries so far."""
        looks = [(CPU, self._wanted.sampling())] if self._wanted.sample_hz else []
        entries: list[dict[str, object]] = []
        for look, options in [*looks, (COUNT, self._wanted.counting())]:
            self._probes.start(look, options)
            for said in self._probes.until_attached():
                entries += self._heed(said)
        return entries

    @property
    def why_no_price(self) -> str:
        """Why the price of a poll could not be measured; empty if it was, or nobody polled."""
        return self._prices.now.failed

    def _record(self, parts: Parts) -> None:
        while self._probes.looks:
            for said in self._probes.wait(0 if self._inspector.due() else 0.5):
                if not said.look:
                    self._prices.seen()
                elif said.record is None:
                    self._ended(said.look, parts)
                elif entries := list(self._heed(said)):
                    parts.write(entries)
            self._look_around(parts)
        if not self._prices.now.by_pace_us:  # one will do for others that are near
            self._prices.wait()
        parts.write(self._journal.prices(self._prices.now.by_pace_us))

    def _heed(self, said: Said) -> list[dict[str, object]]:
        """The entries for what a probe said, and what else follows from it."""
        record = said.record
        assert record is not None
        if said.look == COUNT:
            match record["type"]:
                case "process":
                    is_new = bool(record.get("parent"))
                    self._inspector.announced(identity_of(record), is_new=is_new)
                case "exit":
                    self._inspector.gone(identity_of(record))
                    self._pollers.gone(identity_of(record))
                case "frame":
                    self._prices.want(self._pollers.frame(record))
                    for identity in self._pollers.ran:
                        self._inspector.ran(identity)
        return list(self._journal.said(said))

    def _look_around(self, parts: Parts) -> None:
        """What else is to be done when the probes have nothing to say."""
        if self._inspector.due():
            looked_at = self._inspector.look(_AT_ONCE)
            found = [self._inspector.servers.get(identity) for identity in looked_at]
            if news := [e for server in found if server for e in self._journal.server(server)]:
                parts.write(news)
        if news := list(self._journal.prices(self._prices.now.by_pace_us)):
            parts.write(news)
        close = self._wanted.gaps and not {GAPS, CHECKS} & set(self._probes.looks)
        if close and COUNT in self._probes:
            wanted = self._close_looks.next(self._probes.now_s())
            if wanted is not None:
                self._probes.start(*wanted)

    def _ended(self, look: str, parts: Parts) -> None:
        """A probe has ended: of the counting one that is the end of the recording."""
        if look == COUNT and self._probes.failed(look):
            parts.finish("probe failed")
            raise self._probes.failure(look)
        self._probes.close(look)
        if entries := list(self._close_looks.ended(look, self._probes.now_s())):
            parts.write(entries)
        if look == COUNT:
            self._probes.detach()
