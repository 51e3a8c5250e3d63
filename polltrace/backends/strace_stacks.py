# SPDX-License-Identifier: GPL-2.0-or-later
"""The stacks that `strace -k` prints below its calls, from 4.9 on: lines to frames."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence

from polltrace.engines import engines_checking
from polltrace.profiles.frames import Stack
from polltrace.profiles.sampled import AT_POLL, NamedStack, judged_stack
from polltrace.stacks import Frame
from polltrace.stacks.naming import plain

# A path may end in " (deleted)", a demangled name may contain brackets; -kk adds file and line.
_FRAME = re.compile(
    r" > (?P<module>.*?(?: \(deleted\))?)"
    r"\((?:(?P<name>.+)\+0x(?P<offset>[0-9a-f]+))?\)"
    r" \[0x(?P<address>[0-9a-f]+)\](?: .*)?"
)
# The unwinder's name of an address that lies in nothing it knows.
_NOWHERE = re.compile(r" > \S.* \[0x(?P<address>[0-9a-f]+)\]")
_TOO_DEEP = " > too many stack frames"
START = " > "


def frames_of(lines: Sequence[str]) -> tuple[tuple[Frame, ...], bool]:
    """Frames, innermost first as strace prints them, and whether it gave up for their number.

    Addresses are the object's own (strace takes off where it is mapped). Where libunwind finds no
    symbol of a local function it takes the nearest exported one before it; nothing marks these.
    """
    frames = []
    for line in lines:
        if match := _FRAME.fullmatch(line):
            frames.append(_frame(match))
        elif match := _NOWHERE.fullmatch(line):
            address = int(match["address"], 16)
            frames.append(Frame(f"[{address:#x}]", "", address, address))
    return tuple(frames), _TOO_DEEP in lines


def _frame(match: re.Match[str]) -> Frame:
    module, address = match["module"], int(match["address"], 16)
    if match["name"] is None:
        label = posixpath.basename(module).strip("[]") or "anonymous"
        return Frame(f"[{label}+{address:#x}]", module, address, address)
    name = plain(match["name"].encode(errors="replace")).removeprefix("__GI_")
    return Frame(name, module, int(match["offset"], 16), address)


def stacks_at_polls(counts: Mapping[tuple[str, ...], int]) -> tuple[NamedStack, ...]:
    """Stacks taken at break polls, as lines with how often they were seen; commonest first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    parsed = [(*frames_of(lines), count) for lines, count in ordered]
    # The text does not name the program: the function of an engine's check has to.
    names = {frame.name for frames, _, _ in parsed for frame in frames}
    engine = next(iter(engines_checking(names)), None)
    return tuple(
        judged_stack(frames, Stack(AT_POLL, count, too_deep, (), polls=count), engine=engine)
        for frames, too_deep, count in parsed
    )
