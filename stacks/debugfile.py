# SPDX-License-Identifier: GPL-2.0-or-later
"""The separate debug file of a stripped object: by build-id, else by debuglink.

Only local files, debuginfod's cache among them: to ask its servers would mean network traffic from
a database host, in root's name.
"""

from __future__ import annotations

import os
import posixpath
import zlib
from collections.abc import Iterator

from polltrace.stacks.elf import Elf, read_elf
from polltrace.stacks.errors import ElfError
from polltrace.stacks.identity import DebugLink, build_id, debug_link
from polltrace.stacks.source import FileId, FileSource

DEBUG_DIRECTORY = "/usr/lib/debug"
# A file found by name alone is read in full to check it; by build-id it is not.
LARGEST_CHECKED = 1 << 28
MOST_CHECKED = 1 << 30


def find_debug_file(elf: Elf, path: str, roots: tuple[str, ...]) -> Elf | None:
    """The debug file that belongs to `elf`, its source left open; None where there is none.

    path: the object's path as its process sees it; roots: directories to look under, in order
    (``/proc/PID/root`` of the process, then "" for the host). A file found by build-id must carry
    that build-id; one found by debuglink the same, or the CRC where there is no build-id.
    """
    mine, link = build_id(elf), debug_link(elf)
    for candidate in _by_build_id(mine, roots):
        if (debug_file := _accepted(candidate, mine, None)) is not None:
            return debug_file
    for candidate in _in_cache(mine):
        if (debug_file := _accepted(candidate, mine, None, _own_users())) is not None:
            return debug_file
    if link is not None:
        for candidate in _by_link(link, path, roots):
            if (debug_file := _accepted(candidate, mine, link)) is not None:
                return debug_file
    return None


def _by_build_id(mine: bytes, roots: tuple[str, ...]) -> Iterator[str]:
    text = mine.hex()
    if len(text) > 2:
        for root in roots:
            yield f"{root}{DEBUG_DIRECTORY}/.build-id/{text[:2]}/{text[2:]}.debug"


def _in_cache(mine: bytes) -> Iterator[str]:
    """Where debuginfod's client keeps a file that it has downloaded before (debuginfod(3))."""
    if len(mine) < 2:
        return
    home = os.environ.get("HOME", "")
    caches = [
        os.environ.get("DEBUGINFOD_CACHE_PATH", ""),
        f"{os.environ.get('XDG_CACHE_HOME') or f'{home}/.cache'}/debuginfod_client",
        f"{home}/.debuginfod_client_cache",
    ]
    for cache in dict.fromkeys(caches):
        if cache.startswith("/"):
            yield f"{cache}/{mine.hex()}/debuginfo"


def _own_users() -> frozenset[int]:
    """The users whose files in a cache count: root, ours, and the one who called sudo."""
    sudo = os.environ.get("SUDO_UID", "")
    return frozenset({0, os.geteuid(), *([int(sudo)] if sudo.isdecimal() else [])})


def _by_link(link: DebugLink, path: str, roots: tuple[str, ...]) -> Iterator[str]:
    folder = posixpath.dirname(path)
    if not folder.startswith("/") or ".." in folder.split("/"):
        return
    for root in roots:
        for place in (folder, f"{folder}/.debug", f"{DEBUG_DIRECTORY}{folder}"):
            yield f"{root}{place.rstrip('/')}/{link.name}"


def _accepted(
    path: str, mine: bytes, link: DebugLink | None, owners: frozenset[int] = frozenset()
) -> Elf | None:
    """The object at `path` if it is the debug file; with `owners`, only if it is one's of these
    and nobody else may write it."""
    try:
        source = FileSource(path)
    except (OSError, ValueError, ElfError):
        return None
    if owners and (source.owner not in owners or source.written_by_others):
        source.close()
        return None
    try:
        elf = read_elf(source)
        if build_id(elf) == mine if mine else link is not None and _checks.of(source) == link.crc:
            return elf
    except ElfError:
        pass
    source.close()
    return None


class _Checks:
    """Checksums of this process, each file read once, MOST_CHECKED bytes in all."""

    def __init__(self) -> None:
        self._known: dict[FileId, int] = {}
        self._bytes = 0

    def of(self, source: FileSource) -> int:
        """The CRC-32 of a whole file. ElfError when that would take too long."""
        if source.id not in self._known:
            self._bytes += source.size
            if source.size > LARGEST_CHECKED or self._bytes > MOST_CHECKED:
                raise ElfError("debug file too large to check")
            self._known[source.id] = _crc(source)
        return self._known[source.id]


_checks = _Checks()


def _crc(source: FileSource) -> int:
    crc, step = 0, 1 << 22
    for position in range(0, source.size, step):
        crc = zlib.crc32(source.read(position, min(step, source.size - position)), crc)
    return crc
