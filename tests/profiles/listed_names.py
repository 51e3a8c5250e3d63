# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of addresses that are indexes into a list of functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polltrace.stacks import Frame, ProcessError


class ListedNames:
    """Name addresses by `functions` of one object; process 8 has ended.

    - `kernel_functions`: names of the kernel's addresses; the last one names all that follow
    - `problems`: the objects without names, with the reason
    - `requests`: the requests for names of a process
    """

    def __init__(
        self,
        functions: Sequence[str],
        object_path: str = "/oracle",
        kernel_functions: Sequence[str] = ("do_sys_poll",),
        problems: Mapping[str, str] = {},
    ) -> None:
        self.functions = functions
        self.object_path = object_path
        self.kernel_functions = kernel_functions
        self.problems = problems
        self.requests: list[tuple[int, list[int]]] = []

    def user(self, pid: int, addresses: Sequence[int]) -> Sequence[Frame]:
        self.requests.append((pid, list(addresses)))
        if pid == 8:
            raise ProcessError("gone")
        return [Frame(self.functions[a], self.object_path, 0, a) for a in addresses]

    def kernel(self, addresses: Sequence[int]) -> Sequence[Frame]:
        assert addresses, "a request without addresses"
        last = len(self.kernel_functions) - 1
        return [
            Frame(self.kernel_functions[min(a, last)], "[kernel]", 0, a, kernel=True)
            for a in addresses
        ]
