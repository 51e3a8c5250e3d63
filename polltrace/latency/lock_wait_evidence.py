# SPDX-License-Identifier: GPL-2.0-or-later
"""The evidence of lock waits in a session: the database's own counts, else samples of its waits.

From outside a wait for a lock looks like any other sleep that another process ends. So only a
session that was seen in no such sleep counts as one without.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator

from polltrace.alongside import alongside
from polltrace.errors import PolltraceError
from polltrace.latency.time_budget import RECEIVING, SENDING
from polltrace.latency.wait_sampler import Waits, WaitSampler
from polltrace.overhead.lock_waits import LockWaits
from polltrace.servers.activity import Activity

# Waits for a disk, a peer or a page: no lock ends them.
_NO_LOCK = RECEIVING | SENDING
_NO_LOCK |= {"pread64", "preadv", "preadv2", "pwrite64", "pwritev", "pwritev2", "no system call"}
_NO_LOCK |= {"io_getevents", "io_pgetevents", "io_submit", "fsync", "fdatasync"}
# During measurements of about ten seconds: hundreds of samples, for 0.8 % of a processor in a
# virtual machine. Nearly all of that is the wake-up, 160 us; a sample itself takes 4.
RATE_HZ = 50.0
_FEWEST = 30


class WaitWatch:
    """The sampled waits of a process and the conclusion from them; see watched_waits()."""

    def __init__(self) -> None:
        self.waits = Waits()
        self.failure = ""

    @property
    def lock_waits(self) -> LockWaits:
        """The conclusion from the samples."""
        if self.failure:
            return LockWaits(None, f"its waits are not known: {self.failure}")
        return sampled_lock_waits(self.waits)


@contextlib.contextmanager
def watched_waits(pid: int) -> Iterator[WaitWatch]:
    """Sample the waits of process `pid` until the block ends, during other measurements."""
    watch = WaitWatch()
    try:
        sampler = WaitSampler(pid)
    except PolltraceError as error:
        watch.failure = str(error)
        yield watch
        return
    watch.waits = sampler.waits

    def sample(over: threading.Event) -> None:
        with contextlib.suppress(PolltraceError):  # it ended: the measurement itself reports that
            sampler.run(math.inf, over.is_set, RATE_HZ)

    with alongside(sample):
        yield watch


def sampled_lock_waits(waits: Waits) -> LockWaits:
    """The evidence from samples of the process's waits."""
    sleeps = {name: 0 for name, _ in waits.calls if name not in _NO_LOCK}
    for (name, _), count in waits.calls.items():
        if name in sleeps:
            sleeps[name] += count
    if sleeps:
        name = max(sleeps, key=lambda system_call: sleeps[system_call])
        return LockWaits(
            True,
            f"{sum(sleeps.values()):,} of {waits.samples:,} samples found it asleep as for a lock, "
            f"in {name}",
        )
    if waits.samples < _FEWEST:
        return LockWaits(None, f"{waits.samples:,} samples of its waits are too few")
    return LockWaits(
        False,
        f"none of {waits.samples:,} samples found it waiting for a lock; --connect asks the "
        "database",
    )


def counted_lock_waits(activity: Activity) -> LockWaits | None:
    """The evidence from V$SESSION_EVENT and V$SESSION; None where these could not be read."""
    if any(view.startswith("v$session_event") for view in activity.unread):
        return None
    lock_waits = activity.lock_waits
    if not lock_waits:
        return LockWaits(False, "V$SESSION_EVENT has no enq: wait since it logged on")
    event, waited = max(lock_waits.items(), key=lambda event_wait: event_wait[1].seconds)
    return LockWaits(
        True, f"V$SESSION_EVENT has {waited.seconds:,.1f} s of {event} since it logged on"
    )
