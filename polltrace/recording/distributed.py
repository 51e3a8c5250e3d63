# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions over database links, across the recorded hosts."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polltrace.errors import UsageError
from polltrace.intervals import Estimate
from polltrace.recording.fold import Recording
from polltrace.recording.links import Presence, links
from polltrace.recording.summary import RecordingSummary, SessionSummary


@dataclass(frozen=True, slots=True)
class DistributedSession:
    """A `session` on `host`, and the sessions that it had over links, `remote`, each with its
    own.
    """

    host: str
    session: SessionSummary
    remote: tuple[DistributedSession, ...]

    def every(self, depth: int = 0) -> Iterator[tuple[int, DistributedSession]]:
        """This session and all sessions below it, each with the number of links to it."""
        yield depth, self
        for remote_session in self.remote:
            yield from remote_session.every(depth + 1)

    @property
    def cpu_s(self) -> float:
        """CPU seconds of this session and all below it."""
        return sum(part.session.cpu_s for _, part in self.every())

    @property
    def break_polls(self) -> int:
        return sum(part.session.break_polls for _, part in self.every())

    @property
    def lost_cpu_s(self) -> Estimate | None:
        """CPU seconds that all these sessions spent in break checking; None where that of one is
        not known. The bounds add up: all rest on one model, whose error they share.
        """
        losses = [part.session.lost_cpu_s for _, part in self.every()]
        values = [(loss.value, loss.low, loss.high) for loss in losses if loss is not None]
        if len(values) < len(losses):
            return None
        return Estimate(*map(sum, zip(*values, strict=True)))


@dataclass(frozen=True, slots=True)
class DistributedSessions:
    """`recordings` that are reported together, and the `sessions` in them that have links and are
    not themselves remote ends.
    """

    recordings: tuple[RecordingSummary, ...]
    sessions: tuple[DistributedSession, ...]


def distributed(recordings: Sequence[RecordingSummary]) -> DistributedSessions:
    """Find the sessions over links. Pure: everything comes from the recordings.

    Raises UsageError where a process is in two of them: it would count twice.
    """
    for first, second in itertools.combinations([summary.recording for summary in recordings], 2):
        if _same(first, second):
            raise UsageError(
                f"{first.path} and {second.path} have the same processes of host "
                f"{first.header.host}: name one recording of each host"
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
        beneath = [
            remote_number
            for remote_number in sessions_of.get(number, ())
            if remote_number not in above
        ]
        return DistributedSession(
            summary.recording.header.host,
            session,
            tuple(with_remote(remote_number, above | {number}) for remote_number in beneath),
        )

    origins = [number for number in sessions_of if number not in client_of]
    return DistributedSessions(
        tuple(recordings), tuple(with_remote(number, frozenset()) for number in origins)
    )


def _same(first: Recording, second: Recording) -> bool:
    """True for two files of one recording, and for two recordings of the same processes."""
    if first.header.host != second.header.host:
        return False
    runs = [(recording.header.started, recording.header.command) for recording in (first, second)]
    return runs[0] == runs[1] or not set(first.identities).isdisjoint(second.identities)


def _began_s(summary: RecordingSummary) -> float:
    """The start of the recording in seconds since the epoch; 0 where its header does not have
    it.
    """
    try:
        return datetime.datetime.fromisoformat(summary.recording.header.started).timestamp()
    except (ValueError, OverflowError):
        return 0.0
