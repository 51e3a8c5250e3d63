# SPDX-License-Identifier: GPL-2.0-or-later
"""The live screen, of a recording: played, paused, faster, slower, and at any moment of it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from polltrace.profiles.frames import Identity
from polltrace.profiles.sampled import ON_CPU, named_stacks
from polltrace.top.live import Live
from polltrace.top.player import Player
from polltrace.top.session_view import SessionView, session_view
from polltrace.top.state import UIState
from polltrace.watch.probe_host import WatchOptions

if TYPE_CHECKING:
    from _typeshed import HasFileno

# Often enough to be smooth at any speed.
_TICK_S = 0.1


class Replay(Live):
    """`polltrace top FILE` at a terminal."""

    def __init__(self, state: UIState, path: Path) -> None:
        self._player = Player(path)
        super().__init__(
            replace(state, replays=True), WatchOptions(1.0, self._player.probe_host, gaps=False)
        )
        self._now_s = time.monotonic()
        self._seeks = 0.0

    def _begin(self) -> Iterable[HasFileno]:
        return ()

    def _nap(self) -> float:
        return _TICK_S

    def _due(self) -> bool:
        return False

    def _news(self, _ready: list[object], /) -> bool:
        """Play on by the time that has passed."""
        before_s, self._now_s = self._now_s, time.monotonic()
        at_s = self._player.at_s
        if not self._state.paused:
            at_s += (self._now_s - before_s) * 2.0**self._state.speed
        at_s += self._state.sought_s - self._seeks
        self._seeks = self._state.sought_s
        return self._player.to(at_s)

    def _draw(self) -> None:
        self._snapshot = self._player.snapshot()
        self._terminal.draw(self._lines(*self._terminal.size()))

    def _follow(self) -> bool:
        return False

    def _record(self) -> None:
        self._status = "This is a recording."

    def _session_view(self, _width: int, /) -> SessionView:
        return recorded_view(self._player, self._state.opened)


def recorded_view(player: Player, opened: Identity | None) -> SessionView:
    """The session that is open, as recorded until now."""
    server = player.inspector.servers.get(opened) if opened else None
    measured = player.session(opened) if opened else None
    if server is None or measured is None:
        return SessionView(note="Not in the recording at this moment.")
    profile, gaps = measured
    stacks = named_stacks(profile, player.probe_host.names(), ON_CPU)
    seen_then = session_view(server, profile, stacks, player.costs, gaps)
    return replace(seen_then, doing=("A recording does not have that.",))
