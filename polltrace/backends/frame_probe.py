# SPDX-License-Identifier: GPL-2.0-or-later
"""A probe whose frames become one Profile: attached when it is entered, read to its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Self

from polltrace.backends.probe_child import ProbeChild
from polltrace.interrupts import detaching
from polltrace.profiles.decoder import parse
from polltrace.profiles.frames import Header, ProbeRecord
from polltrace.profiles.profile import Profile, profile_of


class FrameProbe(ProbeChild):
    """A probe that counts from __enter__ until stop(); `argv` runs it."""

    def __init__(self, argv: Sequence[str], name: str = "polltrace-probe") -> None:
        super().__init__(argv, name)
        self._records: list[ProbeRecord | None] = []

    def __enter__(self) -> Self:
        self.start()
        try:
            first = next(self.records(), None)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        if not isinstance(first, Header):
            error = self.exit_error()
            self.__exit__(None, None, None)
            raise error
        self.header = first
        return self

    def records(self) -> Iterator[ProbeRecord | None]:
        """Every record as it comes, until the probe ends."""
        for line in self.output:
            record = parse(line)
            self._records.append(record)
            yield record

    def read_all(self) -> None:
        """Read on until the probe ends; profile() has the result."""
        for _ in self.records():
            pass

    def until_interrupted(self) -> AbstractContextManager[None]:
        """Within, Ctrl-C and SIGTERM detach: the usual end, not an accident."""
        return detaching(self.detach)

    def profile(self) -> Profile:
        """Read to the end; the result. Raises the probe's own failure, if it failed."""
        self.read_all()
        if self.wait() != 0:
            raise self.exit_error()
        return profile_of(self._records)

    def stop(self) -> Profile:
        """Detach now; the result until now."""
        self.detach()
        return self.profile()
