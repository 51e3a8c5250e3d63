# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from polltrace.backends.ebpf import EbpfProbe
from polltrace.commands.arguments import add_duration
from polltrace.commands.output import add_json_argument, show
from polltrace.errors import UsageError
from polltrace.intervals import Estimate
from polltrace.overhead.host_store import host_key, store
from polltrace.printable import note
from polltrace.scenarios.run.host_calibration import HostCalibration, calibrate_host

_CONSENT = (
    "This starts the embedded lab and keeps one processor busy at idle priority. Go on? [y/N] "
)


class Calibrate:
    """Measure the cost of a break poll on this kind of host.

    Executes a statement of the embedded lab for --duration, with break polls and without, by turns
    and at idle priority, and measures the same session as 'polltrace advise' does, in six blocks of
    both (half a minute more). The ratios are the factors of this processor and kernel in the cost
    model, with intervals that cover the blocks: 'advise', 'top', 'record' and
    'export prometheus' use them from then on, with narrower intervals. They are stored in
    /var/lib/polltrace/host.json for every user when root runs it, else in the user's
    ~/.local/state/polltrace/host.json. Needs the rights of a probe, and a question answered at a
    terminal, or --yes.
    """

    group = "experiment"
    examples = (
        ("", "measure this host for a minute and a half, after a question"),
        ("--yes --json", "without a question, and the result as data"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_duration(
            parser, "-d", "--duration", default="60s", help="how long to execute with and without"
        )
        parser.add_argument("--yes", action="store_true", help="start without a question")
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        if not args.yes and not _consent():
            return 1
        # Without the rights for a probe, fail before the first measurement.
        with EbpfProbe([os.getpid()]) as probe:
            probe.stop()
        calibration = calibrate_host(args.duration, note)
        path = store(calibration.factors)
        show(
            args.json,
            lambda: calibration_data(calibration, str(path)),
            lambda: calibration_text(calibration, str(path)),
        )
        return 0


def _consent() -> bool:
    """The answer at the terminal. Raises UsageError without one."""
    if not sys.stdin.isatty():
        raise UsageError(
            "it loads a processor for over a minute: --yes allows that without a terminal"
        )
    return input(_CONSENT).strip().lower() in ("y", "yes")


def calibration_text(calibration: HostCalibration, path: str) -> str:
    costs, factors = calibration.costs, calibration.factors
    lines = [
        f"{host_key()}, {calibration.rounds:,} rounds of executions:",
        f"  a poll at the default skip     {_ns(costs.usual_ns)}",
        f"  a poll at ten times that skip  {_ns(costs.rare_ns)}",
        f"  a check that does not poll     {_ns(costs.check_ns)}",
        "Factors of this host in the cost model [95 %]:",
        f"  durations in place  {_factor(factors.timed)}",
        f"  samples             {_factor(factors.sampled)}",
        f"  polltrace's polls   {_factor(factors.calibrated)}",
        f"Stored in {path}.",
    ]
    return "\n".join(lines)


def calibration_data(calibration: HostCalibration, path: str) -> dict[str, Any]:
    """Nanoseconds and factors as [value, low, high] with the 95 % interval."""
    costs = calibration.costs
    return {
        "host": host_key(),
        "rounds": calibration.rounds,
        "poll_ns": _ends(costs.usual_ns),
        "rare_poll_ns": _ends(costs.rare_ns),
        "check_ns": _ends(costs.check_ns),
        "checking_pct": _ends(costs.checking_pct),
        "factors": calibration.factors.data(),
        "stored": path,
    }


def _ends(estimate: Estimate) -> list[float]:
    return [estimate.value, estimate.low, estimate.high]


def _ns(estimate: Estimate) -> str:
    return f"{estimate.value:.1f} ns [{estimate.low:.1f}, {estimate.high:.1f}]"


def _factor(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"
