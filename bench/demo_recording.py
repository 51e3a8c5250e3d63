# SPDX-License-Identifier: GPL-2.0-or-later
"""Make the recording that comes with polltrace: `python -m bench.demo_recording OUT`.

Records the lab, for real: one busy session in-band, one out-of-band, one in-band at rest. The
executables are copied to a plain place first, because their paths get into the file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from polltrace.executables import find_executable
from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer

SECONDS = 20


def main(out: Path) -> None:
    """Write the recording to `out`, in place of one that is there."""
    with tempfile.TemporaryDirectory(prefix="polltrace-demo-") as place:
        for name, variable in (("oralab", "POLLTRACE_LAB"), ("polltrace-probe", "POLLTRACE_PROBE")):
            copy = shutil.copy2(find_executable(name), Path(place) / name)
            os.environ[variable] = str(copy)
        recorded = Path(place) / "demo.polltrace"
        _record(recorded)
        shutil.copyfile(recorded, out)


def _record(path: Path) -> None:
    clients = [DriverClient() for _ in range(3)]
    with LabServer() as server, clients[0] as busy, clients[1] as urgent, clients[2] as idle:
        for client, disable_oob in ((busy, True), (urgent, False), (idle, True)):
            server.connect(client, break_poll_skip=3, disable_oob=disable_oob)
        pids = [str(row[0]) for row in idle.query("select spid from v$process")[1]]
        for client in (busy, urgent):
            client.begin(LOTSLIOS, {"n": 10**9})
        command = [str(Path(sys.executable).with_name("polltrace")), "record", "-o", path.name]
        command += ["-d", str(SECONDS), "--hz", "99", "-p", ",".join(pids)]
        subprocess.run(command, check=True, cwd=path.parent)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
