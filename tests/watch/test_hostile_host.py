# SPDX-License-Identifier: GPL-2.0-or-later
"""`top --ssh` of a host that floods: memory and disk stay bounded, and the error has one line."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

# Runs the command with a limit of its memory: the limit of what the host may make polltrace use.
LIMITED = ("prlimit", f"--as={700 << 20}")
FLOODS = {
    "a line without end": ("exec tr '\\\\0' x < /dev/zero", "writes a line without end"),
    "lines without end": ("exec yes", "frame"),
    "messages without end": ("exec yes >&2", "writes messages without end"),
    "nothing but zeros": ("exec cat /dev/zero", "writes a line without end"),
}


@pytest.mark.parametrize(("script", "message"), FLOODS.values(), ids=FLOODS)
def test_a_host_that_floods_is_given_up(
    run: Run, tmp_path: Path, script: str, message: str
) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(f"#!/bin/sh\n{script}\n".replace("\\\\", "\\"))
    ssh.chmod(0o755)
    path = f"PATH={tmp_path}:{os.environ['PATH']}"
    ended = run("top", "--ssh", "evil", "-b", "-n", "2", prefix=("env", path, *LIMITED))
    assert ended.returncode == 4, ended
    (line,) = ended.stderr.splitlines()
    assert line.startswith("polltrace: ")
    assert message in line
    assert len(line) < 600
