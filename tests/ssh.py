# SPDX-License-Identifier: GPL-2.0-or-later
"""This host as one that is reached by ssh: a real sshd on loopback, with a key of its own."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import missing
from tests.waiting import until

SSHD = Path("/usr/sbin/sshd")
PRIVSEP = Path("/run/sshd")


@contextmanager
def reached_by_ssh(folder: Path) -> Iterator[dict[str, str]]:
    """An environment in which `ssh dbhost` is a login to this host, as root; `folder` has the keys,
    and `tmp`, for temporary files of who logs in."""
    if os.geteuid() != 0:
        missing("the probe on the other host needs root")
    if not SSHD.exists():
        missing("sshd is not installed: ./setup.sh --tests")
    for key in ("host", "user"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key)]
        subprocess.run(command, check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1:{port}\nHostKey {folder / 'host'}\nPidFile none\n"
        f"AuthorizedKeysFile {folder / 'user.pub'}\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nPermitRootLogin prohibit-password\n"
    )
    (folder / "known").write_text(f"dbhost {(folder / 'host.pub').read_text()}")
    (folder / "config").write_text(
        f"Host *\nHostname 127.0.0.1\nPort {port}\nUser root\nHostKeyAlias dbhost\n"
        f"IdentityFile {folder / 'user'}\nIdentitiesOnly yes\n"
        f"UserKnownHostsFile {folder / 'known'}\nGlobalKnownHostsFile /dev/null\n"
    )
    ssh = folder / "ssh"
    ssh.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder / "config"} "$@"\n')
    ssh.chmod(ssh.stat().st_mode | stat.S_IXUSR)
    # It stays: an sshd of another run of the tests may need it at the same time.
    PRIVSEP.mkdir(mode=0o755, exist_ok=True)
    command = [str(SSHD), "-D", "-e", "-f", str(folder / "sshd_config")]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as daemon:
        until(lambda: _listens(port), "sshd")
        (folder / "tmp").mkdir()
        path = f"{folder}:{os.environ['PATH']}"
        yield {**os.environ, "PATH": path, "TMPDIR": str(folder / "tmp")}
        daemon.terminate()


def _listens(port: int) -> bool:
    with socket.socket() as to:
        return to.connect_ex(("127.0.0.1", port)) == 0
