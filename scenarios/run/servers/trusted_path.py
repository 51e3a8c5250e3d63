# SPDX-License-Identifier: GPL-2.0-or-later
"""Resolves the path of a file that is about to be changed, and refuses links of other users.

A path that an administrator types may lead through a directory where somebody else makes links. A
link is followed only if root, the owner of the file that it leads to, or the caller made it: these
can change that file anyway.
"""

from __future__ import annotations

import contextlib
import errno
import os
import pwd
import stat
from dataclasses import dataclass, field
from pathlib import Path

from polltrace.errors import FileError

_MAX_LINKS = 40  # as many as the kernel follows
_OPEN_PATH = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True)
class _Walk:
    """The directories entered so far, and each link that was followed, with its owner."""

    parts: list[str] = field(default_factory=list)
    links: list[tuple[Path, int]] = field(default_factory=list)

    @property
    def path(self) -> Path:
        return Path("/", *self.parts)


def trusted_path(path: Path) -> Path:
    """The absolute path of `path` without links; the file itself need not exist.

    Raises OSError where a directory cannot be entered, and FileError for a link that neither root,
    the owner of the file (of its directory, where there is no file) nor the caller made.
    """
    walk = _Walk()
    with contextlib.ExitStack() as stack:
        owner = _owner_of_target(walk, Path.cwd() / path, stack)
    for link, link_owner in walk.links:
        if link_owner not in {0, owner, os.geteuid()}:
            raise FileError(
                f"{path} leads through the link {link}, which {_user(link_owner)} made, to "
                f"{walk.path}, which belongs to {_user(owner)}: name that path if it is meant"
            )
    return walk.path


def _owner_of_target(walk: _Walk, path: Path, stack: contextlib.ExitStack) -> int:
    """The owner of the file that `path` leads to, or of its directory where there is no file.

    Every directory on the way is held open until `stack` is closed, so nobody can exchange one for
    a link between the check of a name and its use.
    """
    directories = [_opened("/", stack)]
    remaining = list(reversed(path.parts[1:]))
    while remaining:
        name = remaining.pop()
        if name == "..":
            if walk.parts:
                walk.parts.pop()
                directories.pop()
            continue
        try:
            fd = _opened(name, stack, directories[-1])
        except FileNotFoundError:
            if remaining:
                raise
            walk.parts.append(name)
            break
        status = os.fstat(fd)
        if stat.S_ISLNK(status.st_mode):
            if len(walk.links) == _MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            walk.links.append((walk.path / name, status.st_uid))
            target = Path(os.readlink("", dir_fd=fd))
            if target.is_absolute():
                walk.parts.clear()
                del directories[1:]
            remaining += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            continue
        walk.parts.append(name)
        directories.append(fd)
    return os.fstat(directories[-1]).st_uid


def _opened(name: str, stack: contextlib.ExitStack, directory: int | None = None) -> int:
    fd = os.open(name, _OPEN_PATH, dir_fd=directory)
    stack.callback(os.close, fd)
    return fd


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"the user with UID {uid}"
