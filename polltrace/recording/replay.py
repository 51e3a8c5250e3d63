# SPDX-License-Identifier: GPL-2.0-or-later
"""The replay of a recording: every frame, in its order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from polltrace.profiles.decoder import record_of
from polltrace.profiles.frames import ProbeFrame, ProbeRecord
from polltrace.recording.fold import MALFORMED
from polltrace.recording.scan import Scan
from polltrace.recording.server import server_of
from polltrace.recording.stream import Restored
from polltrace.servers.servers import Server


@dataclass(frozen=True, slots=True)
class RecordedFrame:
    """A `record` of the probe, or a server as it was found, at `at_s` seconds since the recording
    began.

    `stream` names the probe's measurement (see stream.py), empty for a server. `is_base`: the frame
    has the totals that were reached before this file began. A process that is not in a frame did
    nothing since the previous one.
    """

    at_s: float
    stream: str
    record: ProbeRecord | Server
    is_base: bool = False


def frames(path: Path) -> Iterator[RecordedFrame]:
    """Frames and the probe's other records, and servers as they were found.

    Ends where the file is torn or damaged; `read(path).tear` reports it. Raises the errors of
    `Scan`.
    """
    restored: dict[str, Restored] = {}
    for data in Scan(path):
        try:
            record: ProbeRecord | Server | None = None
            stream = str(data.get("stream", ""))
            if data["type"] in ("probe", "base"):
                of_stream = restored.setdefault(stream, Restored())
                record = record_of(of_stream.record(data["record"]))
            elif data["type"] == "server":
                record = server_of(data)
            if record is not None:
                is_base = data["type"] == "base" and isinstance(record, ProbeFrame)
                yield RecordedFrame(float(data["at_s"]), stream, record, is_base)
        except MALFORMED:
            return
