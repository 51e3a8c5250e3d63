# SPDX-License-Identifier: GPL-2.0-or-later
"""Progress callbacks of a measurement."""

from __future__ import annotations

from typing import Protocol


class Observer(Protocol):
    """The receiver of a measurement's progress: `step` names the part that starts, `remark`
    describes a disturbance.
    """

    def step(self, text: str) -> None: ...

    def remark(self, text: str) -> None: ...


class SilentObserver:
    """An Observer that ignores everything."""

    def step(self, text: str) -> None: ...

    def remark(self, text: str) -> None: ...
