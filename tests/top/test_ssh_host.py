# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace top --ssh`, by a real sshd on loopback with a key, a port and a folder of its own."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import POLLTRACE, ROOT
from tests.ssh import reached_by_ssh
from tests.waiting import PATIENCE_S, until

BUILT = ROOT / "probes" / "build"


@dataclass(frozen=True)
class ProbedHost:
    """A host to log in to; `probe` is a polltrace-probe there that nobody else runs."""

    folder: Path
    probe: Path
    environment: dict[str, str]

    def top(self, *options: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [POLLTRACE, "top", "--ssh", "dbhost", "--probe", str(self.probe), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
        )

    def probes(self) -> list[int]:
        """The PIDs of its probe."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                try:
                    if (entry / "exe").readlink() == self.probe:
                        found.append(int(entry.name))
                except OSError:
                    pass
        return found


@pytest.fixture(scope="module")
def dbhost(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProbedHost]:
    folder = tmp_path_factory.mktemp("dbhost")
    with reached_by_ssh(folder) as environment:
        probe = Path(shutil.copy(BUILT / "polltrace-probe", folder / "polltrace-probe"))
        yield ProbedHost(folder, probe, environment)


@pytest.mark.usefixtures("lab")
def test_sessions_are_shown_and_what_cannot_be_known_is_not(
    dbhost: ProbedHost, busy_server: int
) -> None:
    top = dbhost.top("-b", "--json", "-d", "0.5", "-n", "100")
    assert top.stdout is not None
    # On a busy host the windows that a rate is taken from come late, and so does a refusal.
    for line in top.stdout:
        last = json.loads(line)
        server = {each["pid"]: each for each in last["servers"]}[busy_server]
        if server["break_polls_per_s"] and last["calibration_failed"]:
            break
    top.send_signal(signal.SIGINT)
    _, errors = top.communicate(timeout=PATIENCE_S)
    assert (top.returncode, errors) == (0, "")
    assert server["break_mode"] == "in-band"
    assert server["client"].startswith("127.0.0.1:")
    assert server["reason"] == "not known from here: only its host's /proc has it"
    assert server["configured_skip"] is None
    # Another host's cost is not this one's.
    assert server["cost_ns"] is None
    assert "no polltrace-calibrate next to polltrace-probe on dbhost" in last["calibration_failed"]
    idle = [each for each in last["servers"] if each["break_polls_per_s"] == 0]
    assert all(each["break_mode"] in ("unknown", "local") for each in idle)
    until(lambda: not dbhost.probes(), "the end of the probe")


@pytest.mark.usefixtures("lab")
def test_the_cost_per_poll_is_measured_on_the_remote_host(
    dbhost: ProbedHost, busy_server: int, quick_calibrate: Path
) -> None:
    calibrate = shutil.copy(quick_calibrate, dbhost.folder / "polltrace-calibrate")
    top = dbhost.top("-b", "--json", "-d", "0.5")
    assert top.stdout is not None
    try:
        # On a busy host measuring a cost takes longer than the first snapshots are held back for.
        for line in top.stdout:
            seen = json.loads(line)
            server = next(each for each in seen["servers"] if each["pid"] == busy_server)
            if server["lost_pct"]:
                break
    finally:
        top.send_signal(signal.SIGINT)
        _, errors = top.communicate(timeout=PATIENCE_S)
        Path(calibrate).unlink()
    assert (top.returncode, errors) == (0, "")
    assert server["cost_ns"] > 0
    assert server["lost_pct"] > 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.usefixtures("lab")
def test_the_probe_there_ends_with_us(
    dbhost: ProbedHost, busy_server: int, number: signal.Signals
) -> None:
    top = dbhost.top("-b", "-d", "0.5")
    assert top.stdout is not None
    first = top.stdout.readline()
    assert first.startswith("polltrace top"), first or top.communicate()
    try:
        assert dbhost.probes()  # one, or two while it measures the times between polls
    finally:
        top.send_signal(number)
        top.communicate(timeout=PATIENCE_S)
    until(lambda: not dbhost.probes(), "the end of the probe")
    until(lambda: not list((dbhost.folder / "tmp").iterdir()), "the end of ssh")


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--probe", "/nowhere/polltrace-probe"], "copy polltrace-probe there"),
        (["--ssh", "nobody@dbhost"], "it must work without a question"),
    ],
)
def test_a_missing_part_is_reported_in_one_line(
    dbhost: ProbedHost, options: list[str], message: str
) -> None:
    top = dbhost.top("-b", *options)
    _, errors = top.communicate(timeout=PATIENCE_S)
    assert top.returncode == 4
    assert message in errors
    assert errors.count("\n") == 1


@pytest.mark.usefixtures("probe")
def test_a_probe_of_another_release_is_refused(dbhost: ProbedHost) -> None:
    other = dbhost.folder / "other"
    header = {"type": "header", "format": 99, "probe": "9.0"}
    other.write_text(f"#!/bin/sh\necho '{json.dumps(header)}'\n")
    other.chmod(0o755)
    top = dbhost.top("-b", "--probe", str(other))
    _, errors = top.communicate(timeout=PATIENCE_S)
    assert top.returncode == 4
    assert errors == (
        "polltrace: frames of format 99, but this release reads format 1: "
        "use polltrace and polltrace-probe of the same release\n"
    )
