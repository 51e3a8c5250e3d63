# SPDX-License-Identifier: GPL-2.0-or-later
"""The folder for a user's notes that must outlive polltrace's processes."""

from __future__ import annotations

import os
from pathlib import Path

from polltrace.errors import HostError


def state_directory() -> Path:
    """Our folder in XDG_STATE_HOME, which may not exist yet. Raises HostError without any home,
    or where this user may not look into it."""
    try:
        home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    except RuntimeError:
        raise HostError("this user has no home directory: set XDG_STATE_HOME to a folder") from None
    folder = Path(home) / "polltrace"
    try:
        folder.exists()
    except PermissionError:
        raise HostError(f"{home} is not this user's: set XDG_STATE_HOME to a folder") from None
    return folder
