# SPDX-License-Identifier: GPL-2.0-or-later
"""polltrace inside of a container: each limit is recognized, and answered with the option to add.

Real namespaces, mounts, capabilities and filters stand in for docker, podman and Kubernetes, which
make containers of nothing else.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from polltrace.containers import hides_processes

Run = Callable[..., subprocess.CompletedProcess[str]]

# Installs a system-call filter that refuses bpf(2) with EPERM, then executes its arguments.
# The program: load nr; if it is bpf (321 on x86-64) return ERRNO|EPERM, else ALLOW.
FILTERED = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
code = struct.pack("HBBI", 0x20, 0, 0, 0) + struct.pack("HBBI", 0x15, 0, 1, 321)
code += struct.pack("HBBI", 0x06, 0, 0, 0x50001) + struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000)
program = ctypes.create_string_buffer(code)
filter = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(program)))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, filter) == 0, ctypes.get_errno()
os.execvp(sys.argv[1], sys.argv[1:])
"""


@dataclass(frozen=True, slots=True)
class Situation:
    """A container: `prefix` is the command that makes it and executes polltrace with `arguments`;
    `code` is the exit code, and `answers` are parts of the one line on stderr."""

    name: str
    prefix: tuple[str, ...]
    arguments: tuple[str, ...]
    code: int
    answers: tuple[str, ...]


def shell(setup: str) -> tuple[str, ...]:
    """The prefix that makes a mount namespace, runs `setup` in it, then the command."""
    return (
        "unshare",
        "--mount",
        "--propagation",
        "private",
        "sh",
        "-ec",
        f'{setup}; exec "$@"',
        "-",
    )


STAT = ("stat", "-p", "1", "-d", "0.1")
OWN_PIDS = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
SITUATIONS = (
    Situation("PID namespace, ps", OWN_PIDS, ("ps",), 4, ("--pid=host", "hostPID: true")),
    Situation("PID namespace, --all", OWN_PIDS, ("stat", "--all"), 4, ("--pid=host",)),
    Situation(
        "hidepid, no capability",
        (
            *shell("mount -t proc -o hidepid=2 proc /proc"),
            *("setpriv", "--bounding-set=-sys_ptrace", "--"),
        ),
        ("ps",),
        4,
        ("hidepid", "--cap-add=SYS_PTRACE", "SYS_PTRACE"),
    ),
    Situation(
        "root without BPF capabilities",
        ("setpriv", "--bounding-set=-all,+sys_ptrace,+dac_override"),
        STAT,
        3,
        ("is root already", "--cap-add=BPF --cap-add=PERFMON", "add: [BPF, PERFMON"),
    ),
    Situation(
        "rootless container",
        ("unshare", "--map-root-user"),
        STAT,
        3,
        ("user namespace", "sudo podman run", "hostUsers: true"),
    ),
    Situation(
        "seccomp filter",
        (sys.executable, "-Ic", FILTERED),
        STAT,
        3,
        ("seccomp=unconfined", "seccompProfile"),
    ),
    Situation(
        "no BTF",
        (*OWN_PIDS, *shell("mount -t tmpfs none /sys/kernel/btf")),
        STAT,
        4,
        ("/sys/kernel/btf:/sys/kernel/btf:ro", "hostPath"),
    ),
    Situation(
        "no /proc",
        shell("mount -t tmpfs none /proc"),
        ("ps",),
        4,
        ("no /proc", "mount -t proc"),
    ),
)


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: str(situation.name))
def test_an_error_in_a_container_names_the_option_to_add(run: Run, situation: Situation) -> None:
    ended = run(*situation.arguments, prefix=situation.prefix)
    assert (ended.returncode, ended.stdout) == (situation.code, "")
    (line,) = ended.stderr.splitlines()
    assert [answer for answer in situation.answers if answer not in line] == []


@pytest.mark.usefixtures("probe")
def test_a_container_without_tracefs_lacks_nothing(run: Run) -> None:
    ended = run(*STAT, prefix=shell("mount -t tmpfs none /sys/kernel/tracing"))
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize(
    ("options", "hides"),
    [
        ("rw", False),
        ("rw,hidepid=0", False),
        ("rw,hidepid=off", False),
        ("rw,gid=5,hidepid=2", True),
        ("rw,hidepid=invisible", True),
    ],
)
def test_the_last_mount_of_proc_decides(options: str, hides: bool) -> None:
    mounts = (
        "22 27 0:20 / /sys rw - sysfs sysfs rw,hidepid=2\n"
        "23 27 0:21 / /proc rw - proc proc rw,hidepid=1\n"
        f"24 27 0:21 / /proc rw,relatime shared:5 - proc proc {options}\n"
    )
    assert hides_processes(mounts) is hides
