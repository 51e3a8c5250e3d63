# SPDX-License-Identifier: GPL-2.0-or-later
"""Users that servers run as. Any user may start a process with a server's name and title, so a
server that does not run as the other servers of its instance may be none."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from polltrace.profiles.frames import Identity
from polltrace.servers.servers import Server


def user_name(uid: int | None) -> str:
    """The login of a user, the number of one that this host does not know; empty for None."""
    if uid is None:
        return ""
    import pwd  # noqa: PLC0415 - a recording is read where there is no such module

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def stray_owners(servers: Iterable[Server]) -> dict[Identity, str]:
    """A remark on each server that runs as another user than most servers of its instance.

    Where no user has more servers of an instance than every other one, all of them get a remark:
    which of them are real cannot be told.
    """
    by_instance: dict[tuple[str, str], list[Server]] = defaultdict(list)
    for server in servers:
        if server.uid is not None:
            by_instance[server.engine.name, server.instance].append(server)
    remarks = {}
    for (_, instance), members in by_instance.items():
        owners = Counter(server.uid for server in members)
        (owner, most), *others = owners.most_common()
        is_tie = any(count == most for _, count in others)
        for server in members if others else ():
            if is_tie:
                users = ", ".join(sorted(user_name(uid) for uid in owners))
                remarks[server.identity] = f"servers of {instance} run as {users}"
            elif server.uid != owner:
                remarks[server.identity] = (
                    f"runs as {user_name(server.uid)}, other servers of {instance} as "
                    f"{user_name(owner)}"
                )
    return remarks
