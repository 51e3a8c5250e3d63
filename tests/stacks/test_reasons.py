# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a thread is blocked, by its kernel frames."""

from __future__ import annotations

import pytest

from polltrace.stacks import Frame
from polltrace.stacks.reasons import blocked_by, callers_of_scheduler, parse_reasons, reasons


def kernel(*names: str) -> list[Frame]:
    return [Frame(name, "[kernel]", 0, 0, kernel=True) for name in names]


WAIT = ("__schedule", "schedule")
CALL = ("do_syscall_64", "entry_SYSCALL_64_after_hwframe")


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("unix_stream_read_generic", "unix_stream_recvmsg", "sock_recvmsg"), "socket read"),
        (("schedule_timeout", "wait_woken", "sk_wait_data", "tcp_recvmsg_locked"), "socket read"),
        (("schedule_hrtimeout_range_clock", "do_poll.constprop.0", "do_sys_poll"), "poll, "),
        (("schedule_hrtimeout_range_clock", "ep_poll", "do_epoll_wait"), "poll, "),
        (("futex_wait_queue_me", "futex_wait", "do_futex"), "lock"),
        (("futex_do_wait", "__futex_wait", "futex_wait", "do_futex"), "lock"),
        (("__do_semtimedop", "do_semtimedop"), "lock"),
        (("do_nanosleep", "hrtimer_nanosleep", "common_nsleep"), "sleep"),
        (("anon_pipe_read", "vfs_read", "ksys_read"), "pipe"),
        (("pipe_read", "new_sync_read", "vfs_read"), "pipe"),
        (("io_schedule", "folio_wait_bit_common", "filemap_read"), "disk"),
        (("io_schedule", "folio_wait_bit_common", "filemap_fault", "handle_mm_fault"), "page fau"),
        (("schedule_timeout", "io_schedule_timeout", "jbd2_log_wait_commit"), "disk"),
        (("do_wait", "kernel_wait4"), "child process"),
        (("rwsem_down_write_slowpath", "down_write_killable", "__x64_sys_mprotect"), "kernel lock"),
        (("some_driver_wait", "vfs_ioctl"), "other (D)"),
        ((), "other (D)"),
    ],
)
def test_the_reason_of_a_blocked_thread(names: tuple[str, ...], reason: str) -> None:
    assert blocked_by(kernel(*WAIT, *names, *CALL), "D").startswith(reason)


def test_without_names_there_is_no_reason() -> None:
    assert blocked_by(kernel("[kernel+0x12]", "[kernel+0x34]"), "S") == "other (S)"


def test_the_probes_own_frames_are_cut_off() -> None:
    probe = kernel("bpf_trace_run4", "__traceiter_sched_switch", *WAIT, "do_nanosleep")
    assert [f.name for f in callers_of_scheduler(probe)] == ["schedule", "do_nanosleep"]
    assert list(callers_of_scheduler(kernel("do_nanosleep"))) == kernel("do_nanosleep")


def test_a_pattern_is_a_beginning_and_a_name_is_whole() -> None:
    table = parse_reasons(
        'scheduler = "s"\n[[reason]]\ntitle = "one"\nfunctions = ["whole", "begin*"]\n'
    )
    (one,) = table.reasons
    assert one.has(["beginning"])
    assert one.has(["whole"])
    assert not one.has(["wholesome", "not_begin"])


def test_every_title_is_there_once() -> None:
    titles = [each.title for each in reasons().reasons]
    assert len(titles) == len(set(titles)) > 10
