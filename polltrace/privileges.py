# SPDX-License-Identifier: GPL-2.0-or-later
"""Give up root where sudo gave it: Python observes with a few capabilities, as the invoking user.

Root reads and writes any file; that is how a report could be led to write where its user must not.
Python keeps the capabilities to read other users' /proc, maps and symbols; those of the probe are
raised in its process alone. So files are read with root's rights and written with the user's.
setpriv(1) would need a second start-up, before the arguments are known; python-prctl is a C
extension to build; capset(2) and prctl(2) are six lines of ctypes.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import functools
import os
import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from polltrace.errors import HostError

# Numbers of linux/capability.h.
_SETGID, _SETUID, _SETPCAP, _LAST = 6, 7, 8, 63
# Reading /proc/PID, other users' executables, kernel symbols and /proc/PID/map_files.
OBSERVING = {"CAP_DAC_READ_SEARCH": 2, "CAP_SYS_PTRACE": 19, "CAP_SYSLOG": 34}
OBSERVING |= {"CAP_CHECKPOINT_RESTORE": 40}
# Capabilities that polltrace-probe gets as well, and gives up by itself:
# docs/reference/least-privilege.md.
PROBING = {"CAP_SYS_ADMIN": 21, "CAP_SYS_RESOURCE": 24, "CAP_PERFMON": 38, "CAP_BPF": 39}

# Commands that stay root, by their group, and why.
STAYS_ROOT = {
    "experiment": "makes network namespaces, edits sqlnet.ora",
    "host": "examines what root may do",
    "-- COMMAND": "runs as root, as sudo was asked",
    "--backend bcc": "compiles as root",
    "--cross-check": "starts tools that need root",
}

_PR_SET_KEEPCAPS, _PR_CAPBSET_READ, _PR_CAPBSET_DROP, _PR_CAP_AMBIENT = 8, 23, 24, 47
_AMBIENT_RAISE, _AMBIENT_CLEAR_ALL = 2, 4
_VERSION_3 = 0x20080522


class User(NamedTuple):
    """The user who called sudo.

    uid, gid: user and primary group; name: the login; home: the home directory.
    """

    uid: int
    gid: int
    name: str
    home: str


def invoking_user(environment: Mapping[str, str] = os.environ) -> User | None:
    """The user who called sudo, by sudo's variables; None where nobody did, or root did."""
    number = environment.get("SUDO_UID", "")
    if not number.isdecimal() or not 0 < int(number) < 2**32 - 1:
        return None
    import pwd  # noqa: PLC0415 - a recording is read where there is no such module

    try:
        entry = pwd.getpwuid(int(number))
    except KeyError:
        return None
    return User(entry.pw_uid, entry.pw_gid, entry.pw_name, entry.pw_dir)


def why_root(group: str, args: argparse.Namespace) -> str:
    """Why the command of this group stays root with these arguments; empty where it need not."""
    if group in STAYS_ROOT:
        return STAYS_ROOT[group]
    if getattr(args, "command", None):
        return STAYS_ROOT["-- COMMAND"]
    if getattr(args, "backend", "") in ("bcc", "auto"):
        return STAYS_ROOT["--backend bcc"]
    if getattr(args, "cross_check", False):
        return STAYS_ROOT["--cross-check"]
    return ""


def observes(args: argparse.Namespace) -> bool:
    """True if the command observes this host, not a file or another host."""
    elsewhere = ("file", "after", "parquet", "ssh", "from_strace", "from_truss")
    return not any(getattr(args, name, None) for name in elsewhere)


def give_up_root(*, observing: bool) -> User | None:
    """Become the user who called sudo; where we are `observing`, with OBSERVING in effect and
    PROBING in reserve, else with CAP_DAC_READ_SEARCH alone, to read root's recordings.

    For the calling thread, and for those that it starts from now on; other threads lose every
    capability. None where this process is not root's by sudo, or lacks the capabilities to change.
    Raises HostError where the kernel refuses halfway.
    """
    user = invoking_user()
    capabilities = _held() if user and os.geteuid() == 0 else 0
    if user is None or not all(
        capabilities >> number & 1 for number in (_SETGID, _SETUID, _SETPCAP)
    ):
        return None
    effective = capabilities & (
        _bits(OBSERVING) if observing else 1 << OBSERVING["CAP_DAC_READ_SEARCH"]
    )
    reserve = effective | (capabilities & _bits(PROBING) if observing else 0)
    try:
        for number in range(_LAST + 1):
            if not reserve >> number & 1 and _libc().prctl(_PR_CAPBSET_READ, number, 0, 0, 0) == 1:
                _prctl(_PR_CAPBSET_DROP, number)
        _prctl(_PR_SET_KEEPCAPS, 1)
        os.initgroups(user.name, user.gid)
        os.setresgid(user.gid, user.gid, user.gid)
        os.setresuid(user.uid, user.uid, user.uid)
        _capset(effective=effective, permitted=reserve, inheritable=reserve if observing else 0)
    except OSError as error:
        raise HostError(f"cannot give up root's privileges: {error.strerror}") from None
    os.environ["HOME"] = user.home
    return user


def put_in_reserve() -> None:
    """Keep OBSERVING in effect and the other capabilities in reserve, as give_up_root() does.

    It acts where another polltrace has handed its capabilities on to this one (handed_on), for the
    calling thread and for those that it starts later. Raises HostError where the kernel refuses.
    """
    capabilities = _held(inheritable=True)
    if os.geteuid() == 0 or not capabilities:
        return
    try:
        _prctl(_PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL)
        _capset(
            effective=capabilities & _bits(OBSERVING),
            permitted=capabilities,
            inheritable=capabilities,
        )
    except OSError as error:
        raise HostError(f"cannot give up capabilities: {error.strerror}") from None


@contextlib.contextmanager
def handed_on() -> Iterator[None]:
    """Within, a process that this thread starts has every capability that we still have."""
    capabilities = _held(inheritable=True)
    for number in range(_LAST + 1):
        if capabilities >> number & 1:
            _prctl(_PR_CAP_AMBIENT, _AMBIENT_RAISE, number)
    try:
        yield
    finally:
        if capabilities:
            _prctl(_PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL)


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _bits(capabilities: Mapping[str, int]) -> int:
    return sum(1 << number for number in capabilities.values())


def _held(*, inheritable: bool = False) -> int:
    """This thread's permitted capabilities as bits; those of them that it may hand on."""
    data = ctypes.create_string_buffer(24)
    _check(_libc().capget(struct.pack("=Ii", _VERSION_3, 0), data))
    _, low, low_handed, _, high, high_handed = struct.unpack("=6I", data.raw)
    permitted = int(low | high << 32)
    return permitted & (low_handed | high_handed << 32) if inheritable else permitted


def _capset(*, effective: int, permitted: int, inheritable: int) -> None:
    sets = (effective, permitted, inheritable)
    words = [bits >> shift & 0xFFFFFFFF for shift in (0, 32) for bits in sets]
    _check(_libc().capset(struct.pack("=Ii", _VERSION_3, 0), struct.pack("=6I", *words)))


def _prctl(*arguments: int) -> None:
    padded = (*arguments, 0, 0, 0)[:5]
    _check(_libc().prctl(padded[0], *map(ctypes.c_ulong, padded[1:])))


def _check(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
