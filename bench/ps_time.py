# SPDX-License-Identifier: GPL-2.0-or-later
"""The time that `polltrace ps` takes on a host of many servers: `python -m bench.ps_time [N]`.

N processes asleep under a server's title; then ps lists them, counting included, and for a peer
the procps `ps` prints as many lines. Prints seconds, medians of five.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROUNDS = 5
COUNTED_S = 0.1


def seconds(command: Sequence[str]) -> float:
    began = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - began


def main(processes: int) -> None:
    polltrace = str(Path(sys.executable).with_name("polltrace"))
    ours = [polltrace, "ps", "-d", str(COUNTED_S)]
    with tempfile.TemporaryDirectory() as directory:
        executable = shutil.copy("/bin/sleep", Path(directory) / "oracle")
        asleep = [
            subprocess.Popen([f"oracleB{n % 7} (LOCAL=NO)", "600"], executable=executable)
            for n in range(processes)
        ]
        try:
            took = [(seconds(ours), seconds(["ps", "-ef"])) for _ in range(ROUNDS)]
        finally:
            for process in asleep:
                process.kill()
            for process in asleep:
                process.wait()
    our, peer = (statistics.median(column) for column in zip(*took, strict=True))
    print(f"ps of {processes} servers: {our:.2f} s, {COUNTED_S} s of them counting")
    print(f"ps -ef:                {peer:.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
