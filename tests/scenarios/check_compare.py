# SPDX-License-Identifier: GPL-2.0-or-later
"""Twenty comparisons of a run with its like, and twenty with a regression: `make check-compare`.

None of the first may be flagged and all of the second must be. It takes about a quarter of an
hour, so it is no part of `make test`, which does one of each.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

POLLTRACE = str(Path(sys.executable).with_name("polltrace"))


def run(saved: Path, *argv: str) -> Path:
    subprocess.run([POLLTRACE, "run", *argv, "-o", saved], check=True, stdout=subprocess.DEVNULL)
    return saved


def flagged(base: Path, new: Path) -> bool:
    ended = subprocess.run(
        [POLLTRACE, "compare", base, new], capture_output=True, text=True, check=False
    )
    if ended.returncode not in (0, 1):
        sys.exit(ended.stderr)
    for line in ended.stdout.splitlines():
        if line.endswith("  regression"):
            print(f"  {line}")
    return ended.returncode == 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--repeats", default="10")
    args = parser.parse_args()
    false_alarms = found = 0
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        base = run(
            place / "0",
            *("break-poll", "--repeats", args.repeats),
            *("--only", "client=python-oracledb,skip=3"),
        )
        for n in range(1, args.times + 1):
            again = run(place / f"{n}", "--like", str(base), "--repeats", args.repeats)
            worse = run(
                place / f"{n}-worse",
                *("--like", str(base), "--repeats", args.repeats, "--force-skip", "1"),
            )
            false_alarms += flagged(base, again)
            found += flagged(again, worse)
            print(f"{n}: {false_alarms} false alarms, {found} of {n} regressions found", flush=True)
            base = again
    return 0 if (false_alarms, found) == (0, args.times) else 1


if __name__ == "__main__":
    sys.exit(main())
