# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab's sqlnet.ora: how its servers check for breaks, and how long a packet may be."""

from __future__ import annotations

from pathlib import Path


def write_sqlnet(
    directory: Path,
    *,
    break_poll_skip: int,
    disable_oob: bool = False,
    path_check: bool = True,
    sdu: int = 0,
) -> None:
    """Write sqlnet.ora for the dedicated servers that start from now on.

    Without `path_check` they do not ask clients to try urgent data at connect (DISABLE_OOB_AUTO).
    They accept an SDU of up to `sdu` bytes; 0 leaves their default of 8192.

    A server reads the file once, as it starts, so it is replaced atomically.
    """
    draft = directory / "sqlnet.ora.new"
    draft.write_text(
        f"BREAK_POLL_SKIP = {break_poll_skip}\n"
        f"DISABLE_OOB = {'ON' if disable_oob else 'OFF'}\n"
        f"DISABLE_OOB_AUTO = {'OFF' if path_check else 'ON'}\n"
        + (f"DEFAULT_SDU_SIZE = {sdu}\n" if sdu else "")
    )
    draft.replace(directory / "sqlnet.ora")
