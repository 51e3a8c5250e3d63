# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of the addresses in recorded stacks, stored with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polltrace.profiles.frames import Identity
from polltrace.recording.stream import identity_of
from polltrace.stacks.errors import ProcessError
from polltrace.stacks.frame import Frame
from polltrace.stacks.text import printable

KERNEL: Identity = (0, 0)

# An address, and a flag for a caller's address: then the byte before it belongs to the call.
StackAddress = tuple[int, bool]


def stack_addresses(addresses: Sequence[int]) -> list[StackAddress]:
    """The addresses of a stack, innermost first."""
    return [(address, i > 0) for i, address in enumerate(addresses)]


def symbols_data(identity: Identity, names: Mapping[StackAddress, Frame]) -> dict[str, Any]:
    """A `symbols` record: rows of [address, whether it is a caller, module, function, offset]."""
    modules = {module: i for i, module in enumerate({f.module: None for f in names.values()})}
    return {
        "type": "symbols",
        "pid": identity[0],
        "start_ticks": identity[1],
        "modules": list(modules),
        "frames": [
            [address, int(is_caller), modules[frame.module], frame.name, frame.offset]
            for (address, is_caller), frame in names.items()
        ],
    }


class RecordedNames:
    """The names in a recording, by process. A later name replaces an earlier one."""

    def __init__(self) -> None:
        self._names: dict[Identity, dict[StackAddress, Frame]] = {}
        self.problems: Mapping[str, str] = {}

    def add(self, data: Mapping[str, Any]) -> None:
        """Add a `symbols` record; raises KeyError, TypeError, ValueError or IndexError."""
        modules = data["modules"]
        self._names.setdefault(identity_of(data), {}).update(
            {
                (int(address), bool(is_caller)): Frame(
                    printable(name), _code(modules[module]), int(offset), int(address)
                )
                for address, is_caller, module, name, offset in data["frames"]
            }
        )

    def of(self, identity: Identity) -> ProcessNames:
        """The names in one process."""
        return ProcessNames(self._names.get(identity, {}), self._names.get(KERNEL, {}))

    def user(self, pid: int, addresses: Sequence[int]) -> tuple[Frame, ...]:
        """Frames of a user stack, innermost first, in the form of `stacks.Symbolizer`.

        Where a PID was used twice, the process with names for the complete stack is taken. Raises
        ProcessError for a process whose functions were never looked up.
        """
        places = stack_addresses(addresses)
        candidates = [names for (known_pid, _), names in self._names.items() if known_pid == pid]
        complete = [names for names in candidates if all(place in names for place in places)]
        if not candidates and addresses:
            raise ProcessError(f"process {pid} was gone before its functions were looked up")
        return _named((complete or candidates)[-1], places) if places else ()

    def kernel(self, addresses: Sequence[int]) -> tuple[Frame, ...]:
        """Frames in the kernel, innermost first."""
        return _named(self._names.get(KERNEL, {}), stack_addresses(addresses))


@dataclass(frozen=True, slots=True)
class ProcessNames:
    """The names of one process, `_user`, and of the `_kernel`, for any PID."""

    _user: Mapping[StackAddress, Frame]
    _kernel: Mapping[StackAddress, Frame]

    @property
    def problems(self) -> Mapping[str, str]:
        return {}

    def user(self, pid: int, addresses: Sequence[int]) -> tuple[Frame, ...]:
        if addresses and not self._user:
            raise ProcessError(f"process {pid} was gone before its functions were looked up")
        return _named(self._user, stack_addresses(addresses))

    def kernel(self, addresses: Sequence[int]) -> tuple[Frame, ...]:
        return _named(self._kernel, stack_addresses(addresses))


def _code(module: str) -> str:
    """The module of a frame; empty for memory that holds no code, which earlier releases named."""
    return "" if module in ("[heap]", "[stack]", "[vvar]") else printable(module)


def _named(
    names: Mapping[StackAddress, Frame], places: Iterable[StackAddress]
) -> tuple[Frame, ...]:
    """The frames of the places; an address in brackets where a name was not recorded."""
    return tuple(names.get(place) or Frame(f"[{place[0]:#x}]", "", 0, place[0]) for place in places)
