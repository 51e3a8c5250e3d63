# SPDX-License-Identifier: GPL-2.0-or-later
"""The system calls of x86-64, and of 32-bit programs on it, by number.

From python-ptrace 0.9.9, whose tables end with Linux 5.8; the later numbers, the same on both, are
those of arch/x86/entry/syscalls in Linux 6.17. Numbers never change.
"""

from __future__ import annotations

from ptrace.syscall.linux import i386, x86_64

_FROM_441 = (
    "epoll_pwait2 mount_setattr quotactl_fd landlock_create_ruleset landlock_add_rule "
    "landlock_restrict_self memfd_secret process_mrelease futex_waitv set_mempolicy_home_node "
    "cachestat fchmodat2 map_shadow_stack futex_wake futex_wait futex_requeue statmount listmount "
    "lsm_get_self_attr lsm_set_self_attr lsm_list_modules mseal setxattrat getxattrat listxattrat "
    "removexattrat open_tree_attr file_getattr file_setattr"
)
# For 32-bit programs alone: calls whose times have 64 bits.
_TIME64 = {413: "pselect6_time64", 414: "ppoll_time64", 422: "futex_time64"}
_LATER = dict(enumerate(_FROM_441.split(), 441))
_X32 = 512  # from here on the calls of x32 programs, under the names of others

NAMES: dict[int, str] = {
    **{number: name for number, name in x86_64.SYSCALL_NAMES.items() if number < _X32},
    283: "timerfd_create",  # python-ptrace: "timerfd", as it was called before Linux 2.6.25
    **_LATER,
}
NUMBERS = {name: number for number, name in NAMES.items()}
NAMES_32: dict[int, str] = {**i386.SYSCALL_NAMES, **_TIME64, **_LATER}
POLLS = frozenset({"poll", "ppoll", "ppoll_time64"})


def name_of(number: int, is_64: bool = True) -> str:
    """The name of a call; `syscall N` for a number that none has."""
    return (NAMES if is_64 else NAMES_32).get(number, f"syscall {number}")
