# SPDX-License-Identifier: GPL-2.0-or-later
"""Several client programs that execute the same statement at the same time."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from types import TracebackType
from typing import Any, Self

from polltrace.errors import DriverError
from polltrace.scenarios.run.answers import Ended
from polltrace.scenarios.run.client import DriverClient, TimedBinds


class ConcurrentClient(DriverClient):
    """A client with `companions` that repeat its requests, each in a session of its own.

    All figures are its own. A call ends when all have ended, so the next one meets none of them;
    a break is sent to the companions only after its own call has ended.
    """

    def __init__(
        self,
        name: str,
        companions: int,
        *,
        processors: Collection[int] | None = None,
        start: Sequence[str] = (),
    ) -> None:
        super().__init__(name, processors=processors, start=start)
        self._companions = [
            DriverClient(name, processors=processors, start=start) for _ in range(companions)
        ]
        self._entered = contextlib.ExitStack()
        self._broken = False

    def __enter__(self) -> Self:
        super().__enter__()
        for companion in self._companions:
            self._entered.enter_context(companion)
        return self

    def connect(self, *arguments: Any, **options: Any) -> str:
        for companion in self._companions:
            companion.connect(*arguments, **options)
        return super().connect(*arguments, **options)

    def begin(
        self, sql: str, binds: TimedBinds | None = None, *, times: int = 1, keep: bool = False
    ) -> None:
        self._broken = False
        for companion in self._companions:
            companion.begin(sql, binds, times=times)
        super().begin(sql, binds, times=times, keep=keep)

    def send_break(self) -> None:
        self._broken = True
        super().send_break()

    def finish(self, within_s: float | None = None) -> Ended:
        ended = super().finish(within_s)
        if self._broken:
            for companion in self._companions:
                companion.send_break()
        for companion in self._companions:
            companion_ended = companion.finish(within_s)
            if companion_ended.error is not None and not self._broken:
                raise DriverError(f"{self.name}: {companion_ended.error}")
        return ended

    def commit(self) -> None:
        for companion in self._companions:
            companion.commit()
        super().commit()

    def close(self) -> None:
        for companion in self._companions:
            with contextlib.suppress(DriverError):
                companion.close()
        super().close()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._entered.close()
        super().__exit__(kind, error, traceback)
