# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings (`*.polltrace`): written while processes are watched, read anywhere, later.

docs/reference/recording-format.md is the specification, `recording.schema.json` its record types.
`read` gives a whole recording, boiled down; `frames` every frame of the probe in its order.
"""

from polltrace.recording.fold import Recording, read
from polltrace.recording.replay import RecordedFrame, frames

__all__ = ["RecordedFrame", "Recording", "frames", "read"]
