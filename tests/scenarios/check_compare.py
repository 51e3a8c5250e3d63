# SPDX-License-Identifier: GPL-2.0-or-later
"""Twenty comparisons of equal runs, and twenty with a regression: `make check-compare`.

None of the first may be flagged and all of the second must be, by their polls, which are counted.
How many are found by their times as well is printed, and depends on the machine
(bench/compare_power.py measures that). It takes minutes; `make test` does one of each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

POLLTRACE = str(Path(sys.executable).with_name("polltrace"))


SCENARIO = Path(__file__).with_name("one-cell.toml")


def run(saved: Path, *argv: str) -> Path:
    subprocess.run([POLLTRACE, "run", *argv, "-o", saved], check=True, stdout=subprocess.DEVNULL)
    return saved


def regressed(base: Path, new: Path) -> list[str]:
    """The figures that `polltrace compare` calls regressed."""
    ended = subprocess.run(
        [POLLTRACE, "compare", base, new, "--json"], capture_output=True, text=True, check=False
    )
    if ended.returncode not in (0, 1):
        sys.exit(ended.stderr)
    rows = json.loads(ended.stdout)["rows"]
    found = [row for row in rows if row["verdict"] == "regression"]
    if bool(found) != ended.returncode:
        sys.exit(f"exit code {ended.returncode}, but {len(found)} regressions")
    return [f"{row['figure']} {row['ratio']:.2f}" for row in found]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--keep", type=Path, help="leave the runs' files here")
    args = parser.parse_args()
    false_alarms = found = slower = 0
    with tempfile.TemporaryDirectory() as directory:
        folder = args.keep or Path(directory)
        base = run(folder / "0", str(SCENARIO))
        for n in range(1, args.times + 1):
            began = time.monotonic()
            again = run(folder / f"{n}", "--like", str(base))
            worse = run(folder / f"{n}-worse", "--like", str(base), "--force-skip", "1")
            imagined, true = regressed(base, again), regressed(again, worse)
            false_alarms += bool(imagined)
            found += bool(true)
            slower += any("polls" not in each for each in true)
            print(
                f"{n:2}: {false_alarms} false alarms{imagined or ''}, {found} of {n} found, "
                f"{slower} by time as well {true}; load {os.getloadavg()[0]:.1f}, "
                f"{time.monotonic() - began:.0f} s",
                flush=True,
            )
            base = again
    return 0 if (false_alarms, found) == (0, args.times) else 1


if __name__ == "__main__":
    sys.exit(main())
