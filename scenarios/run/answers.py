# SPDX-License-Identifier: GPL-2.0-or-later
"""The answers of a client program (clients/README.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class About:
    """A client's description of itself.

    - `driver`, `version`
    - `out_of_band`: whether the driver can send urgent data
    - `sdu`: whether its session data unit can be set
    """

    driver: str
    version: str
    out_of_band: bool
    sdu: bool

    @property
    def title(self) -> str:
        return f"{self.driver} {self.version}"


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a call.

    - `elapsed_s`: seconds of each execution, as the client saw them
    - `rows`: of the last execution, where they were requested; `row_count`: how many it had
    - `changed`: rows that the last execution changed
    - `error`: the error's text; None for success
    - `break_ms`: from sending a break until the call returned; None where none was sent
    """

    elapsed_s: list[float]
    rows: list[list[Any]]
    row_count: int
    changed: int
    error: str | None
    break_ms: float | None


@dataclass(frozen=True, slots=True)
class Cancel:
    """The end of a cancelled call.

    - `ms`: from sending the break until the call returned
    - `error`: its code
    - `usable`: whether the session then answers another query
    """

    ms: float
    error: str
    usable: bool
