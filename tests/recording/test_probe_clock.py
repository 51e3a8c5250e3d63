# SPDX-License-Identifier: GPL-2.0-or-later
"""A frame's time is the probe's, however late this process reads it."""

from __future__ import annotations

import time

from polltrace.recording.probes import Probes
from polltrace.recording.stream import COUNT


def test_the_recording_begins_when_the_probe_began_to_count() -> None:
    probes = Probes()
    attached_s = time.monotonic() - 3.0
    header = {"type": "header", "attached_s": attached_s}
    probes._stamped(COUNT, header)
    assert probes.began_s == attached_s
    frame = probes._stamped(COUNT, {"type": "frame", "t_s": 0.25, "processes": []})
    assert frame
    assert frame.at_s == 0.25


def test_another_probe_has_times_of_the_same_recording() -> None:
    probes = Probes()
    probes._stamped(COUNT, {"type": "header", "attached_s": 100.0})
    probes._stamped("cpu", {"type": "header", "attached_s": 100.5})
    frame = probes._stamped("cpu", {"type": "frame", "t_s": 0.25, "processes": []})
    assert frame
    assert frame.at_s == 0.75
