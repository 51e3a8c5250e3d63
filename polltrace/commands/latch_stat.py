# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stat --latches`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from polltrace.backends.latch_probes import LatchProbes
from polltrace.commands.output import show
from polltrace.commands.targets import note_attached, target_pids
from polltrace.errors import UsageError
from polltrace.interrupts import detaching
from polltrace.profiles.latch_report import latch_data, latch_text
from polltrace.servers.servers import servers


def latch_stat(args: argparse.Namespace) -> None:
    """Print where the time of the chosen servers goes, and the part that latches take."""
    pids = target_pids(args)
    with LatchProbes(pids, args.duration) as probes:
        _check(pids)  # after the probe, which says that a process is gone, or that root is needed
        with detaching(probes.detach):
            note_attached(args.duration)
            probes.read()
            latch_times = probes.latch_time()
    show(args.json, lambda: latch_data(latch_times), lambda: latch_text(latch_times))


def _check(pids: Sequence[int]) -> None:
    """Raises UsageError for a process in which a wait for a latch could not be recognised."""
    latch_servers = {server.pid for server in servers(pids) if server.engine.latches}
    if missing := sorted(set(pids) - latch_servers):
        raise UsageError(
            f"process {missing[0]} is no server of an engine whose file names its latch functions "
            "(docs/reference/engines.md)"
        )
