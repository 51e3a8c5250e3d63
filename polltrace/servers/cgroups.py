# SPDX-License-Identifier: GPL-2.0-or-later
"""The container, pod and systemd unit of a process, by its control group.

Source: cgroups(7), /proc/PID/cgroup, versions 1 and 2. The forms of paths are those of Docker,
Podman, containerd and CRI-O (a 64-digit identifier), Kubernetes (`pod` and the pod's UID), LXC and
systemd. No runtime is asked, so a name that only a runtime knows is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_CONTAINER = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_LXC = re.compile(r"/lxc(?:\.payload[./]|/)([^/]+)")
_POD = re.compile(r"pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})")
_UNIT = (".service", ".scope")
_LONGEST = 1 << 16


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """The control group `path` of a process; `container`, `pod` and `unit` are empty where the path
    names none. `unit` is the innermost, and none of a container's own scope.
    """

    path: str
    container: str = ""
    pod: str = ""
    unit: str = ""

    def is_in(self, path: str) -> bool:
        """True if the group is the one at `path` or below it."""
        path = path.rstrip("/")
        return self.path == path or self.path.startswith(f"{path}/")

    def is_of_unit(self, name: str) -> bool:
        """True for the unit of this name; `.service` may be left out."""
        return self.unit != "" and self.unit in (name, f"{name}.service")


def control_group(pid: int) -> ControlGroup:
    """The control group of a process; an empty path for one that is gone."""
    try:
        with open(f"/proc/{pid}/cgroup", "rb") as file:
            text = file.read(_LONGEST)
    except OSError:
        text = b""
    return parsed(text.decode("utf-8", "replace"))


def parsed(text: str) -> ControlGroup:
    """The control group of the lines of /proc/PID/cgroup. Pure.

    With version 1 a process has a group in each hierarchy: the longest path says most.
    """
    paths = [line.split(":", 2)[2] for line in text.splitlines() if line.count(":") >= 2]
    path = max(paths, key=len, default="")
    container, pod = _CONTAINER.search(path), _POD.search(path)
    lxc = _LXC.search(path)
    units = [
        part for part in path.split("/") if part.endswith(_UNIT) and not _CONTAINER.search(part)
    ]
    return ControlGroup(
        path=path,
        container=container[0] if container else lxc[1] if lxc else "",
        pod=pod[1].replace("_", "-") if pod else "",
        unit=units[-1] if units else "",
    )


def of_container(pids: Iterable[int], prefix: str) -> dict[str, list[int]]:
    """The processes of each container whose identifier begins with `prefix`, by identifier."""
    containers: dict[str, list[int]] = {}
    for pid in pids:
        group = control_group(pid)
        if group.container.startswith(prefix) and group.container:
            containers.setdefault(group.container, []).append(pid)
    return containers
