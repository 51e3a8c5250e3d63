# SPDX-License-Identifier: GPL-2.0-or-later
"""The network paths of a run: by `tc netem` where the kernel has it, by relays elsewhere.

netem makes delay and jitter, between network namespaces. A relay handles urgent data, and makes
the delay as well where there is no netem.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from polltrace.errors import HostError
from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.network.netem import (
    SERVER,
    clients_namespace,
    netem_refused,
    server_namespace,
)
from polltrace.scenarios.run.network.relay import LOOPBACK, relay

DIRECT = "direct"
HOW = ("auto", "netem", "relay")


@dataclass(frozen=True, slots=True)
class Route:
    """How a path's clients reach the server.

    - `start`: the command that starts them in the path's namespace
    - `relay`: the host and port to connect to instead of the server's; None without a relay
    """

    start: tuple[str, ...] = ()
    relay: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Network:
    """The network paths of a run.

    - `how`: the user's choice, of HOW
    - `paths`: those that the run needs, by name
    - `namespaces`: the names of those that have a namespace
    - `refused`: why netem does not delay the others
    """

    how: str
    paths: Mapping[str, NetworkPath]
    namespaces: frozenset[str] = frozenset()
    refused: str = ""

    @property
    def address(self) -> str:
        """The address that the server must listen on."""
        return SERVER if self.namespaces else LOOPBACK

    def entered(self) -> contextlib.AbstractContextManager[None]:
        """A context to enter before the server starts, and before the first client."""
        return server_namespace() if self.namespaces else contextlib.nullcontext()

    @contextlib.contextmanager
    def routes(self, server: tuple[str, int]) -> Iterator[dict[str, Route]]:
        """The routes to a server at this host and port, while this lasts. Raises HostError."""
        with contextlib.ExitStack() as stack:
            routes = {}
            for number, (name, path) in enumerate(self.paths.items()):
                start: tuple[str, ...] = ()
                left = path
                if name in self.namespaces:
                    start = stack.enter_context(clients_namespace(number, path))
                    left = path.without_delay
                by = None
                if self._relayed(name):
                    by = self.address, stack.enter_context(relay(server, left, self.address))
                routes[name] = Route(start, by)
            yield routes

    def words(self) -> dict[str, str]:
        """By path: what it does and how it is made."""
        return {name: f"{path}, by {self._by(name)}" for name, path in self.paths.items()}

    def _relayed(self, name: str) -> bool:
        return name not in self.namespaces or self.paths[name].urgent != "keep"

    def _by(self, name: str) -> str:
        path = self.paths[name]
        makers = []
        if name in self.namespaces:
            netem = "tc netem between " if path.delays else ""
            makers.append(f"{netem}network namespaces")
        if self._relayed(name):
            makers.append("a relay process of polltrace's own")
        why = f" (not tc netem: {self.refused})" if self.refused and path.delays else ""
        return " and ".join(makers) + why


def chosen_network(
    how: str, paths: Mapping[str, NetworkPath], used: Collection[str], *, ours: bool
) -> Network:
    """The network of a run that uses these paths.

    `ours` is whether the server is started for the run: a running one cannot be moved into a
    namespace. "auto" takes netem where it works, for the paths that delay. "netem" makes a
    namespace for every path or raises HostError.
    """
    needed = {name: path for name, path in paths.items() if name in used and name != DIRECT}
    delayed = {name for name, path in needed.items() if path.delays}
    refused = ""
    if how == "relay":
        refused = "--network relay"
    elif not ours:
        refused = "the server is not in a network of ours"
    elif delayed:
        refused = netem_refused() or ""
    if how == "netem":
        if refused:
            raise HostError(f"no network path by tc netem: {refused}")
        return Network(how, needed, frozenset(needed))
    return Network(how, needed, frozenset() if refused else frozenset(delayed), refused)
