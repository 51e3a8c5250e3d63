# SPDX-License-Identifier: GPL-2.0-or-later
"""The first and the last record of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from polltrace.errors import FileFormatError

FORMAT = "polltrace-recording"
# A reader refuses a larger one; older ones are upgraded as they are read (see upgrade.py). A
# change that an old reader may overlook (a new record type or field) makes no new version.
VERSION = 2


@dataclass(frozen=True, slots=True)
class RecordingHeader:
    """The header of a recording.

    `polltrace` is the release that wrote the file; `host`, its `kernel` and `arch`, and the
    recorder's `command` line follow. `started` is UTC, ISO 8601; a frame comes every `interval_s`
    seconds. `part` counts the files of one recording, from 1; `at_s` is the start of this one, in
    seconds since `started`. `version` is that of the file's format.
    """

    polltrace: str
    host: str
    kernel: str
    arch: str
    command: tuple[str, ...]
    started: str
    interval_s: float
    part: int = 1
    at_s: float = 0.0
    version: int = VERSION

    def data(self) -> dict[str, Any]:
        return {"format": FORMAT, **asdict(self)}


def header_of(data: Mapping[str, Any]) -> RecordingHeader:
    """Parse a header. Raises FileFormatError for another format, or a version that this release
    cannot read.
    """
    try:
        if data["format"] != FORMAT:
            raise FileFormatError(f"a file of format {data['format']!r}, not {FORMAT!r}")
        version = int(data["version"])
        if version > VERSION:
            raise FileFormatError(
                f"a recording of version {version}, made by polltrace "
                f"{data.get('polltrace', '?')}; this release reads up to version {VERSION}: "
                "use a newer polltrace"
            )
        return RecordingHeader(
            polltrace=str(data["polltrace"]),
            host=str(data["host"]),
            kernel=str(data["kernel"]),
            arch=str(data["arch"]),
            command=tuple(map(str, data["command"])),
            started=str(data["started"]),
            interval_s=float(data["interval_s"]),
            part=int(data["part"]),
            at_s=float(data["at_s"]),
            version=version,
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise FileFormatError(f"a recording whose header is damaged ({error!r})") from None


@dataclass(frozen=True, slots=True)
class RecordingQuality:
    """The losses and the cost of a recording.

    It ended at `at_s` (seconds since it began) for `reason`. `lost` counts by kind what could not
    be counted or kept (full maps, unreadable memory), of all streams together; `late_frames` came
    later than asked for. CPU seconds: `probe_cpu_s` of the probes' processes, `bpf_s` of their
    programs in the kernel, `recorder_cpu_s` of polltrace. `unnamed` stacks came from processes
    that were gone before their functions had been looked up.
    """

    at_s: float
    reason: str
    lost: Mapping[str, int] = field(default_factory=dict)
    late_frames: int = 0
    probe_cpu_s: float = 0.0
    bpf_s: float = 0.0
    recorder_cpu_s: float = 0.0
    unnamed: int = 0

    def data(self) -> dict[str, Any]:
        return {"type": "trailer", **asdict(self), "lost": dict(self.lost)}


def quality_of(data: Mapping[str, Any]) -> RecordingQuality:
    """Raises one of fold.MALFORMED for a record that is no trailer."""
    return RecordingQuality(
        at_s=float(data["at_s"]),
        reason=str(data["reason"]),
        lost={str(kind): int(count) for kind, count in data["lost"].items()},
        late_frames=int(data["late_frames"]),
        probe_cpu_s=float(data["probe_cpu_s"]),
        bpf_s=float(data["bpf_s"]),
        recorder_cpu_s=float(data["recorder_cpu_s"]),
        unnamed=int(data["unnamed"]),
    )
