# SPDX-License-Identifier: GPL-2.0-or-later
"""The seam between what watches processes (eBPF, bcc, strace) and who wants to know."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

from polltrace.profiles.profile import Profile


class Backend(Protocol):
    """Watches processes from __enter__ until stop(), Ctrl-C within until_interrupted(), its
    duration is over, or they have ended. Counts of calls and polls are exact; what else is in the
    profile is for each backend to say."""

    def __enter__(self) -> Self: ...

    def detach(self) -> None:
        """Ask it to end; what it saw is still to be read."""

    def until_interrupted(self) -> AbstractContextManager[None]: ...

    def profile(self) -> Profile:
        """Watch to the end and say what was seen."""

    def stop(self) -> Profile:
        """End now and say what was seen."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
