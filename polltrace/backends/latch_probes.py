# SPDX-License-Identifier: GPL-2.0-or-later
"""Two probes side by side: one follows context switches, the other samples on CPU."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.profiles.latches import LatchTime, latch_time
from polltrace.profiles.sampled import introduced
from polltrace.stacks import Symbolizer

HZ = 99.0


class LatchProbes:
    """Both probes on `pids`, from __enter__ until detach() or for `duration_s`. Raises
    PolltraceError."""

    def __init__(self, pids: Sequence[int], duration_s: float | None) -> None:
        self._names = Symbolizer()
        self._switches = EbpfProbe(pids, ProbeOptions(duration_s=duration_s, off_cpu=True))
        self._samples = EbpfProbe(pids, ProbeOptions(duration_s=duration_s, sample_hz=HZ))

    def __enter__(self) -> Self:
        self._switches.__enter__()
        try:
            self._samples.__enter__()
        except BaseException as error:
            self._switches.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def detach(self) -> None:
        """Ask both to end; from a signal's handler or another thread."""
        self._switches.detach()
        self._samples.detach()

    def read(self) -> None:
        """Read until both have ended; names nothing yet, which takes a processor's time."""
        reader = threading.Thread(target=self._samples.read_all)
        reader.start()
        for _ in introduced(self._switches.records(), self._names):
            pass
        self._samples.detach()
        reader.join()

    def latch_time(self) -> LatchTime:
        """The time of latch waits, after read()."""
        return latch_time(self._switches.profile(), self._samples.profile(), self._names)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._samples.__exit__(kind, error, traceback)
        self._switches.__exit__(kind, error, traceback)
