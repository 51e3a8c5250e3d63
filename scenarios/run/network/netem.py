# SPDX-License-Identifier: GPL-2.0-or-later
"""Network paths by `tc netem`, between network namespaces (namespaces.py).

The namespace of a path's clients is joined with the server's by a pair of virtual interfaces, and
netem delays at both ends. netem cannot tell urgent data from other data: losing it, or putting it
in line, takes a relay (relay.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from polltrace.errors import HostError
from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.network.namespaces import (
    OURS,
    address_ends,
    do,
    moved_to_new,
    opened,
    starting_in,
)


def netem_refused() -> str | None:
    """Why netem does not work here; None where it does. It is tried in a namespace of its own."""
    try:
        do("unshare", "--net", "tc", "qdisc", "add", "dev", "lo", "root", *_netem(_ANY))
    except HostError as error:
        return str(error)
    return None


@contextlib.contextmanager
def clients_namespace(number: int, path: NetworkPath) -> Iterator[tuple[str, ...]]:
    """A namespace at the far end of a path to ours; the command that starts a program in it.

    `number` differs for each path. Raises HostError where the kernel refuses.
    """
    with contextlib.ExitStack() as stack:
        with moved_to_new():
            client_namespace = stack.enter_context(opened(OURS))
        start = starting_in(client_namespace)
        link = f"path{number}"
        peer = ("peer", "name", link, "netns", start[1].removeprefix("--net="))
        do("ip", "link", "add", link, "type", "veth", *peer)
        address_ends(number, link, start)
        for inside in ((), start) if path.delays else ():
            do(*inside, "tc", "qdisc", "add", "dev", link, "root", *_netem(path))
        yield start


def _netem(path: NetworkPath) -> tuple[str, ...]:
    """The queue at each end. netem's jitter is plus or minus, ours is only added.

    With jitter netem reorders packets unless it also keeps a rate: one that is no limit, if the
    path has none.
    """
    half, jitter = 1e6 * path.round_trip_s / 2, 1e6 * path.jitter_s
    rate = ("rate", f"{1e6 * path.mbit_s:.0f}bit") if path.mbit_s else ()
    if not jitter:
        return ("netem", "delay", f"{half:.0f}us", *rate)
    delay = (f"{half + jitter / 2:.0f}us", f"{jitter / 2:.0f}us")
    return ("netem", "delay", *delay, *(rate or ("rate", "1tbit")))


_ANY = NetworkPath(1e-3, 1e-3)
