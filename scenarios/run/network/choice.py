# SPDX-License-Identifier: GPL-2.0-or-later
"""The network paths of a run: by `tc netem` where the kernel has it, by TUN devices or relays
elsewhere.

netem makes delay and jitter, between network namespaces; where there is no netem, a process
between two TUN devices does. A relay handles urgent data, and makes the delay as well where there
is neither.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from polltrace.errors import HostError
from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.network.namespaces import SERVER, server_namespace
from polltrace.scenarios.run.network.netem import clients_namespace, netem_refused
from polltrace.scenarios.run.network.relay import LOOPBACK, relay
from polltrace.scenarios.run.network.tun import clients_behind_tun, tun_refused

DIRECT = "direct"
HOW = ("auto", "netem", "tun", "relay")
_BY = {"netem": clients_namespace, "tun": clients_behind_tun}
_WORDS = {
    "netem": "tc netem between network namespaces",
    "tun": "a process of polltrace's own between two TUN devices, in network namespaces",
}
_RELAY = "a relay process of polltrace's own"


@dataclass(frozen=True, slots=True)
class Route:
    """The way by which a path's clients reach the server.

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
    - `maker`: of those with a namespace, a key of _BY
    - `links`: the paths of database links, by name; each is made by the run's server
    """

    how: str
    paths: Mapping[str, NetworkPath]
    namespaces: frozenset[str] = frozenset()
    refused: str = ""
    maker: str = "netem"
    links: Mapping[str, NetworkPath] = field(default_factory=dict)

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
                relayed_path = path
                if name in self.namespaces:
                    start = stack.enter_context(_BY[self.maker](number, path))
                    relayed_path = path.without_delay
                by = None
                if self._relayed(name):
                    by = (
                        self.address,
                        stack.enter_context(relay(server, relayed_path, self.address)),
                    )
                routes[name] = Route(start, by)
            yield routes

    def words(self) -> dict[str, str]:
        """The effect and the maker of each path, by name."""
        clients = {name: f"{path}, by {self._by(name)}" for name, path in self.paths.items()}
        links = {
            f"{name} (link)": f"{path}, by {_RELAY}"
            for name, path in self.links.items()
            if name != DIRECT
        }
        return clients | links

    def _relayed(self, name: str) -> bool:
        return name not in self.namespaces or self.paths[name].urgent != "keep"

    def _by(self, name: str) -> str:
        path = self.paths[name]
        makers = []
        if name in self.namespaces:
            plain = self.maker == "netem" and not path.delays
            makers.append("network namespaces" if plain else _WORDS[self.maker])
        if self._relayed(name):
            makers.append(_RELAY)
        why = f" (not tc netem: {self.refused})" if self.refused and path.delays else ""
        return " and ".join(makers) + why


def chosen_network(
    how: str, paths: Mapping[str, NetworkPath], used: Collection[str], *, ours: bool
) -> Network:
    """The network of a run that uses these paths.

    `ours` is whether the server is started for the run: a running one cannot be moved into a
    namespace. "auto" takes netem where it works, else TUN devices, for the paths that delay and
    for those that keep urgent data, so that the two differ in the delay alone. "netem" and "tun"
    make a namespace for every path or raise HostError.
    """
    needed = {name: path for name, path in paths.items() if name in used and name != DIRECT}
    if how == "relay" or not ours:
        why = "--network relay" if how == "relay" else "the server is not in a network of ours"
        if how in _BY:
            raise HostError(f"no network path by {_WORDS[how]}: {why}")
        return Network(how, needed, refused=why)
    delays = any(path.delays for path in needed.values())
    if how == "auto" and not delays:
        return Network(how, needed)
    maker, why = ("netem", "") if how == "netem" and not delays else _maker(how)
    if maker is None:
        if how in _BY:
            raise HostError(f"no network path by {_WORDS[how]}: {why}")
        return Network(how, needed, refused=why)
    alike = {
        name
        for name, path in needed.items()
        if how != "auto" or path.delays or path.urgent == "keep"
    }
    return Network(how, needed, frozenset(alike), why, maker)


def _maker(how: str) -> tuple[str | None, str]:
    """The first key of _BY that works here, of those that `how` allows; and why others do not."""
    reasons: list[str] = []
    for name, refused in (("netem", netem_refused), ("tun", tun_refused)):
        if how in ("auto", name):
            why = refused()
            if why is None:
                return name, "; ".join(reasons)
            reasons.append(why)
    return None, "; ".join(reasons)
