# SPDX-License-Identifier: GPL-2.0-or-later
"""No process loads both python-ptrace (GPL-2.0-only) and prometheus-client (Apache-2.0), whose
licences the FSF considers incompatible in one program."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import urllib.request

import pytest

from polltrace.grammar import command_names
from tests.conftest import POLLTRACE
from tests.waiting import PATIENCE_S

# Python then lists on stderr every module that it loads.
LISTING = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}


def packages(listing: str) -> set[str]:
    """The top-level packages that such a process has loaded, of the two."""
    names = re.findall(r"^import time:.*\|\s*(\w+)", listing, re.MULTILINE)
    return {"ptrace", "prometheus_client"} & set(names)


@pytest.mark.usefixtures("probe", "quick_calibration")
def test_the_exporter_does_not_load_the_tracer() -> None:
    exporter = subprocess.Popen(
        [POLLTRACE, "export", "prometheus", "--listen", "127.0.0.1:0", "-d", "200ms"],
        stderr=subprocess.PIPE,
        text=True,
        env=LISTING,
    )
    assert exporter.stderr is not None
    listing = ""
    for line in exporter.stderr:
        listing += line
        if match := re.match(r"polltrace: metrics at (\S+)", line):
            break
    assert match is not None
    with urllib.request.urlopen(match[1], timeout=PATIENCE_S) as response:
        assert b"polltrace_" in response.read()
    exporter.send_signal(signal.SIGINT)
    listing += exporter.communicate(timeout=PATIENCE_S)[1]
    assert packages(listing) == {"prometheus_client"}


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    "words", ["stop-at -p PID -d 50ms", "stat -p PID -d 50ms --backend ptrace"]
)
def test_the_tracer_does_not_load_the_exporter(words: str) -> None:
    target = subprocess.Popen(["sleep", "600"])
    try:
        ended = subprocess.run(
            [POLLTRACE, *words.replace("PID", str(target.pid)).split()],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            env=LISTING,
            check=False,
        )
    finally:
        target.kill()
        target.wait()
    assert packages(ended.stderr) == {"ptrace"}


@pytest.mark.parametrize("name", sorted(set(command_names()) - {"help"}))
def test_no_help_loads_both(name: str) -> None:
    ended = subprocess.run(
        [POLLTRACE, name, "--help"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env=LISTING,
        check=True,
    )
    assert packages(ended.stderr) < {"ptrace", "prometheus_client"}
