# SPDX-License-Identifier: GPL-2.0-or-later
"""`batch`: the article's statement, repeated, against a lab on another machine; then a cancel.

Prints how long the user of this client waits."""

from __future__ import annotations

import argparse
import statistics
import sys
import time

from polltrace.errors import PolltraceError
from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.run.client import DriverClient

DSN = "192.168.57.10:1521/LAB"
ROWS = 20_000
CANCEL_AFTER_S = 1.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="batch", description=__doc__)
    parser.add_argument("seconds", type=float, nargs="?", default=10, help="how long [10]")
    parser.add_argument("--dsn", default=DSN, help="host:port/service [%(default)s]")
    parser.add_argument("--user", default="SCOTT")
    parser.add_argument("--password", default="tiger")
    parser.add_argument("--disable-oob", choices=["ON", "OFF"], default="OFF")
    arguments = parser.parse_args()
    off = arguments.disable_oob == "ON"
    try:
        with DriverClient() as client:
            driver = client.connect(
                arguments.dsn, arguments.user, arguments.password, disable_oob=off
            )
            print(f"{driver}, DISABLE_OOB={arguments.disable_oob}", flush=True)
            until = time.monotonic() + arguments.seconds
            took: list[float] = []
            while not took or time.monotonic() < until:
                took.append(client.query(LOTSLIOS, {"n": ROWS})[0])
            middle = statistics.median(took)
            print(f"{len(took)} executions of {ROWS:,} rows, median {middle:.3f} s", flush=True)
            cancel = client.cancel(LOTSLIOS, {"n": 10**9}, CANCEL_AFTER_S)
            print(f"cancelled: {cancel.error} after {cancel.ms:.1f} ms")
    except PolltraceError as error:
        print(f"batch: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
