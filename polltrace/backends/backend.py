# SPDX-License-Identifier: GPL-2.0-or-later
"""The interface of the sources of counts: eBPF, bcc, a tracer."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

from polltrace.profiles.profile import Profile


class Backend(Protocol):
    """Watches processes from __enter__ until stop(), Ctrl-C within until_interrupted(), its
    duration is over, or they have ended. Counts of calls and polls are exact; each backend
    documents the other contents of its profile."""

    def __enter__(self) -> Self: ...

    def detach(self) -> None:
        """Ask it to end; its records until then are still to be read."""

    def until_interrupted(self) -> AbstractContextManager[None]: ...

    def profile(self) -> Profile:
        """Watch to the end; the result."""

    def stop(self) -> Profile:
        """End now; the result."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
