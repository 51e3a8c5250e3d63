# SPDX-License-Identifier: GPL-2.0-or-later
"""The forms a profile can be written in, by name: the choices of `--format`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from polltrace.stacks.flamegraph import flame_graph
from polltrace.stacks.flamesvg import flame_svg
from polltrace.stacks.folded import KERNEL_SUFFIX, write_folded, write_folded_pair
from polltrace.stacks.frame import KERNEL, Frame
from polltrace.stacks.picture import NANOSECONDS, Picture
from polltrace.stacks.pprof import pprof
from polltrace.stacks.speedscope import speedscope

# A recording from elsewhere may hold half a surrogate pair, which has no bytes.
_UTF8 = ("utf-8", "backslashreplace")


def _folded(picture: Picture) -> bytes:
    if picture.before is None:
        return write_folded(picture.side.folded).encode(*_UTF8)
    return write_folded_pair(picture.before.folded, picture.side.folded).encode(*_UTF8)


def _html(picture: Picture) -> bytes:
    return flame_graph(picture).encode(*_UTF8)


def _svg(picture: Picture) -> bytes:
    return flame_svg(picture).encode(*_UTF8)


def _speedscope(picture: Picture) -> bytes:
    return speedscope(picture).encode(*_UTF8)


def _pprof(picture: Picture) -> bytes:
    """Of `side` only: pprof compares two files itself. Names without addresses; the kernel's
    functions lie in a mapping of their own."""
    stacks = (
        ([_unfolded(name) for name in reversed(names)], count)
        for names, count in sorted(picture.side.folded.items())
    )
    period_ns = round(1e9 / picture.hz) if picture.hz else 0
    if picture.unit == NANOSECONDS:
        return pprof(stacks, "delay", NANOSECONDS, comments=picture.notes)
    return pprof(stacks, picture.unit, "count", period_ns=period_ns, comments=picture.notes)


def _unfolded(name: str) -> Frame:
    plain = name.removesuffix(KERNEL_SUFFIX)
    return Frame(plain, KERNEL if plain != name else "", 0, 0)


FORMATS: Mapping[str, Callable[[Picture], bytes]] = {
    "folded": _folded,
    "html": _html,
    "pprof": _pprof,
    "speedscope": _speedscope,
    "svg": _svg,
}
"""Each writes a picture as the bytes of a file."""
