# SPDX-License-Identifier: GPL-2.0-or-later
"""Each package, installed where nothing else is, runs the demo and counts a stranger's polls."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import missing
from tests.packages.conftest import made

pytestmark = [pytest.mark.packages, pytest.mark.usefixtures("root")]

# A stranger: 10,007 break polls on a socket of its own, once it is told to.
STRANGER = """
import select, socket, sys
ours, _theirs = socket.socketpair()
poll = select.poll()
poll.register(ours, select.POLLIN)
print(flush=True)
sys.stdin.readline()
for _ in range(10_007):
    poll.poll(0)
"""
# The variables that lead to the network and its certificates, and none of this checkout.
KEPT = ("PIP_", "SSL_", "REQUESTS_", "CURL_", "HTTP", "http", "no_proxy", "NO_PROXY")


def bare_environment(home: Path) -> dict[str, str]:
    """What a login shell would have."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
    return {**kept, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home), "LANG": "C.UTF-8"}


def counts_a_stranger(polltrace: Sequence[str], environment: dict[str, str]) -> None:
    stranger = subprocess.Popen(
        [sys.executable, "-c", STRANGER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert stranger.stdin
    assert stranger.stdout
    stranger.stdout.readline()
    watcher = subprocess.Popen(
        [*polltrace, "stat", "-p", str(stranger.pid), "-d", "6", "--json"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    # The probe's file in /proc tells that it is there; it attaches in a tenth of a second.
    subprocess.run(["sleep", "3"], check=True)
    stranger.stdin.write(b"\n")
    stranger.stdin.flush()
    said, _ = watcher.communicate(timeout=60)
    stranger.communicate(timeout=60)
    assert watcher.returncode == 0
    [process] = json.loads(said)["processes"]
    assert process["break_polls"] == 10_007


def runs_the_demo(polltrace: Sequence[str], environment: dict[str, str]) -> None:
    ended = subprocess.run(
        [*polltrace, "demo", "--runs", "6", "--json"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    rows = json.loads(ended.stdout)["rows"]
    assert all(row["break_polls"] == row["break_polls_lab"] for row in rows)
    assert sum(row["break_polls"] for row in rows) > 0


@pytest.fixture(scope="module")
def wheel_venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    venv = tmp_path_factory.mktemp("wheel") / "venv"
    subprocess.run(["/usr/bin/python3", "-m", "venv", venv], check=True)
    wheel = made("polltrace-*.whl")
    subprocess.run(
        [venv / "bin/pip", "install", "-q", f"polltrace[drivers] @ {wheel.as_uri()}"], check=True
    )
    return venv


def test_the_wheel(wheel_venv: Path, tmp_path: Path) -> None:
    polltrace = [str(wheel_venv / "bin/polltrace")]
    counts_a_stranger(polltrace, bare_environment(tmp_path))
    runs_the_demo(polltrace, bare_environment(tmp_path))


def test_the_single_file(tmp_path: Path) -> None:
    polltrace = [str(shutil.copy(made("polltrace.pex"), tmp_path / "polltrace"))]
    counts_a_stranger(polltrace, bare_environment(tmp_path))
    runs_the_demo(polltrace, bare_environment(tmp_path))


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Debian 12 with nothing but our package, and what it asks for, installed."""
    if shutil.which("mmdebstrap") is None:
        missing("there is no mmdebstrap: run './setup.sh --packages'")
    root = tmp_path_factory.mktemp("debian") / "root"
    package = made("polltrace_*.deb")
    install = f'chroot "$1" apt-get install -qq --no-install-recommends /tmp/{package.name}'
    hooks = [f"copy-in {package} /tmp", install]
    subprocess.run(
        [
            *("mmdebstrap", "--quiet", "--variant=minbase", "--include=ca-certificates"),
            *(f"--customize-hook={hook}" for hook in hooks),
            *("bookworm", str(root)),
        ],
        check=True,
    )
    return root


def test_the_debian_package(debian: Path, tmp_path: Path) -> None:
    """In a chroot of its own mount namespace, so that nothing of it stays mounted."""
    mounts = " && ".join(
        f"mount --rbind /{each} {debian}/{each}" for each in ("proc", "sys", "dev")
    )
    inside = ["unshare", "--mount", "sh", "-c", f'{mounts} && exec chroot {debian} "$@"', "sh"]
    environment = bare_environment(Path("/root"))
    counts_a_stranger([*inside, "polltrace"], environment)
    for command in (
        ["polltrace", "lab", "start"],
        ["polltrace", "ps"],
        ["polltrace", "lab", "stop"],
    ):
        subprocess.run([*inside, *command], env=environment, check=True)
