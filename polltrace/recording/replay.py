# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording as it happened: every frame, in its order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from polltrace.profiles.frames import Frame, Record, record_of
from polltrace.recording.fold import MALFORMED
from polltrace.recording.scan import Scan
from polltrace.recording.server import server_of
from polltrace.recording.stream import Restored
from polltrace.servers.servers import Server


@dataclass(frozen=True, slots=True)
class RecordedFrame:
    """`at_s` is seconds since the recording began, `look` what for (see stream.py).

    `is_base`: totals that were reached before this file began. A process that is not in a frame
    did nothing since the one before.
    """

    at_s: float
    look: str
    record: Record | Server
    is_base: bool = False


def frames(path: Path) -> Iterator[RecordedFrame]:
    """Frames, and what else the probe said of processes, and servers as they were found.

    Ends where the file is torn or damaged; `read(path).tear` says so. Raises as `Scan` does.
    """
    restored: dict[str, Restored] = {}
    for data in Scan(path):
        try:
            record: Record | Server | None = None
            look = str(data.get("look", ""))
            if data["type"] in ("probe", "base"):
                record = record_of(restored.setdefault(look, Restored()).record(data["record"]))
            elif data["type"] == "server":
                record = server_of(data)
            if record is not None:
                is_base = data["type"] == "base" and isinstance(record, Frame)
                yield RecordedFrame(float(data["at_s"]), look, record, is_base)
        except MALFORMED:
            return
