# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions over database links, across the hosts that were recorded."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polltrace.errors import UsageError
from polltrace.intervals import Estimate
from polltrace.recording.fold import Recording
from polltrace.recording.links import Presence, links
from polltrace.recording.summary import SessionSummary, Summary


@dataclass(frozen=True, slots=True)
class DistributedSession:
    """`session` on `host`, and the sessions that it had over links, `remote`, with theirs."""

    host: str
    session: SessionSummary
    remote: tuple[DistributedSession, ...]

    def every(self, depth: int = 0) -> Iterator[tuple[int, DistributedSession]]:
        """This session and all beneath, each with how many links away it is."""
        yield depth, self
        for each in self.remote:
            yield from each.every(depth + 1)

    @property
    def cpu_s(self) -> float:
        """CPU seconds of all together."""
        return sum(each.session.cpu_s for _, each in self.every())

    @property
    def break_polls(self) -> int:
        return sum(each.session.break_polls for _, each in self.every())

    @property
    def lost_cpu_s(self) -> Estimate | None:
        """CPU seconds that went into break checking, of all together; None where that of one is not
        known. The bounds add up: all rest on one model, whose error they share."""
        known = [each.session.lost_cpu_s for _, each in self.every()]
        values = [(each.value, each.low, each.high) for each in known if each is not None]
        if len(values) < len(known):
            return None
        return Estimate(*map(sum, zip(*values, strict=True)))


@dataclass(frozen=True, slots=True)
class Distributed:
    """`recordings` that are reported together, and the `sessions` in them that have links, those
    that nobody has a link to."""

    recordings: tuple[Summary, ...]
    sessions: tuple[DistributedSession, ...]


def distributed(recordings: Sequence[Summary]) -> Distributed:
    """Pure: everything comes from the recordings. Raises UsageError where a process is in two of
    them: it would count twice."""
    for one, other in itertools.combinations([each.recording for each in recordings], 2):
        if _same(one, other):
            raise UsageError(
                f"{one.path} and {other.path} have the same processes of host {one.header.host}: "
                "name one recording of each host"
            )
    placed = [
        (number, summary, session)
        for number, summary in enumerate(recordings)
        for session in summary.sessions
    ]
    present = [
        Presence(number, session.server, began_s + session.from_s, began_s + session.to_s)
        for number, summary, session in placed
        for began_s in [_began_s(summary)]
    ]
    client_of = {session: client for client, session in links(present)}
    sessions_of: dict[int, list[int]] = {}
    for session, client in client_of.items():
        sessions_of.setdefault(client, []).append(session)

    def with_remote(number: int, above: frozenset[int]) -> DistributedSession:
        _, summary, session = placed[number]
        beneath = [each for each in sessions_of.get(number, ()) if each not in above]
        return DistributedSession(
            summary.recording.header.host,
            session,
            tuple(with_remote(each, above | {number}) for each in beneath),
        )

    first = [number for number in sessions_of if number not in client_of]
    return Distributed(
        tuple(recordings), tuple(with_remote(number, frozenset()) for number in first)
    )


def _same(one: Recording, other: Recording) -> bool:
    """Whether they are one recording, or parts of it, or two of the same processes."""
    if one.header.host != other.header.host:
        return False
    runs = [(each.header.started, each.header.command) for each in (one, other)]
    return runs[0] == runs[1] or not set(one.identities).isdisjoint(other.identities)


def _began_s(summary: Summary) -> float:
    """Seconds since the epoch when the recording began; 0 where its header does not tell."""
    try:
        return datetime.datetime.fromisoformat(summary.recording.header.started).timestamp()
    except (ValueError, OverflowError):
        return 0.0
