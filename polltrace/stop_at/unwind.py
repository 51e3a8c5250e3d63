# SPDX-License-Identifier: GPL-2.0-or-later
"""A stack from a copy of its memory: by the call frame rules, else by the frame pointer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from polltrace.stop_at.callframes import RETURN, RSP, Rules
from polltrace.stop_at.capture import StackCopy

MOST_FRAMES = 512
_RBP = 6


@dataclass(frozen=True, slots=True)
class UnwoundStack:
    """`addresses`, innermost first: where it stood, then return addresses.

    `by_pointer` of them were found by the frame pointer alone. `whole`: the walk came to where the
    program states that its stack ends, or to no caller; else something was not to be read.
    """

    addresses: tuple[int, ...]
    by_pointer: int
    whole: bool


def walk(
    copy: StackCopy, rules: Callable[[int], Rules | None], is_code: Callable[[int], bool]
) -> UnwoundStack:
    """`rules` gives those at an address, None where there are none; `is_code` tells whether an
    address can be returned to.
    """
    registers = {**copy.kept, RSP: copy.stack, RETURN: copy.instruction}
    addresses = [copy.instruction]
    by_pointer = 0
    while len(addresses) < MOST_FRAMES:
        # A call that never returns is followed by a stranger: the byte before decides.
        pc = registers[RETURN] - (len(addresses) > 1)
        rule = rules(pc)
        if rule is not None and rule.ended:
            return UnwoundStack(tuple(addresses), by_pointer, True)
        caller = _by_rules(copy, registers, rule) if rule else None
        if caller is None:
            caller = _by_pointer(copy, registers)
            by_pointer += caller is not None and is_code(caller[RETURN])
        if caller is None or caller[RSP] <= registers[RSP]:
            return UnwoundStack(tuple(addresses), by_pointer, False)
        if not is_code(caller[RETURN]):
            return UnwoundStack(tuple(addresses), by_pointer, caller[RETURN] == 0)
        addresses.append(caller[RETURN])
        registers = caller
    return UnwoundStack(tuple(addresses), by_pointer, False)


def _by_rules(copy: StackCopy, registers: dict[int, int], rules: Rules) -> dict[int, int] | None:
    if rules.base not in registers:
        return None
    frame = registers[rules.base] + rules.offset
    caller = {**registers, RSP: frame}
    for register, offset in rules.saved.items():
        value = _word(copy, frame + offset)
        if value is None:
            return None
        caller[register] = value
    return caller


def _by_pointer(copy: StackCopy, registers: dict[int, int]) -> dict[int, int] | None:
    frame = registers[_RBP]
    older, back = _word(copy, frame), _word(copy, frame + 8)
    if older is None or back is None:
        return None
    return {**registers, _RBP: older, RSP: frame + 16, RETURN: back}


def _word(copy: StackCopy, address: int) -> int | None:
    at = address - copy.stack
    if at < 0 or at + 8 > len(copy.memory):
        return None
    return int.from_bytes(copy.memory[at : at + 8], "little")
