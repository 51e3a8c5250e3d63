# SPDX-License-Identifier: GPL-2.0-or-later
"""The measurement of one session: its own executions with polls and without, and the figures of
advise.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from bench.break_cost.host import watching
from bench.break_cost.truth import Turns, measured
from bench.break_cost.workload import BenchPlan, BenchSession, alone, server_processor, session
from polltrace.errors import PolltraceError
from polltrace.intervals import Estimate, product
from polltrace.overhead.advice import Extras
from polltrace.overhead.calibration import calibrate
from polltrace.overhead.cost_model import cost_model, usual_mean_ns
from polltrace.overhead.measurements import SessionMeasurement, measure_session
from polltrace.overhead.poll_cost import constant
from polltrace.profiles.sampled import shares
from polltrace.scenarios.clients import program
from polltrace.scenarios.run.host_calibration import FITTED
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.servers.servers import servers

# A session that waited longer for its processor, or lost more of it to the hypervisor, is measured
# again.
MOST_WAITING, MOST_STEAL = 0.2, 0.3
# If two equal executions differ by more standard errors than chance allows, too.
_MOST_NULL = 3.0


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """The measurement of a session.

    `saved_pct` is the saving of being out-of-band in CPU time, `null_pct` the difference of two
    equal executions (both with 95 %), over `turns`. `advised_pct` is the product's figure for it,
    and `first_pct` the figure without timed polls, with which `top` begins. `polls_per_cpu_s` is
    the rate; `timed_ns` the polls' mean duration in place, `calibrated_ns` that of polltrace's own,
    `sampled_pct` and `checks_pct` the shares of `samples` in the check and in checks that do not
    poll; all before any factor. `waiting`, `steal`
    and `elsewhere` are as in Disturbance.
    """

    driver: str
    statement: str
    kind: str
    skip: int
    at: str
    kernel: str
    host: str
    turns: int
    saved_pct: tuple[float, float, float]
    null_pct: tuple[float, float, float]
    advised_pct: tuple[float, float, float]
    first_pct: tuple[float, float, float]
    model: str
    polls_per_cpu_s: float
    timed_ns: float | None
    calibrated_ns: float
    sampled_pct: float
    checks_pct: float
    samples: int
    waiting: float
    steal: float
    elsewhere: float

    @property
    def key(self) -> tuple[str, str, int]:
        return self.driver, self.statement, self.skip

    @property
    def saved(self) -> Estimate:
        return Estimate(*self.saved_pct)

    @property
    def disturbance(self) -> str:
        """The reason why the record does not count; empty for one that does."""
        null = Estimate(*self.null_pct)
        if self.waiting > MOST_WAITING:
            return f"it waited {100 * self.waiting:.0f} % as long as it ran"
        if self.steal > MOST_STEAL:
            return f"the hypervisor took {100 * self.steal:.0f} % of its processor"
        if abs(null.value) > _MOST_NULL / 1.96 * null.half_width:
            return f"equal executions differed by {null.value:.2f} %"
        return ""

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        field_names = {field.name for field in fields(cls)}
        return cls(**{key: value for key, value in data.items() if key in field_names})


def read_records(path: Path) -> list[SessionRecord]:
    """The measured sessions, including the disturbed ones."""
    if not path.exists():
        return []
    return [SessionRecord.of(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def measure(plan: BenchPlan, output: Path, seconds: float, budget_s: float) -> int:
    """Append the sessions of `plan` that `output` lacks; return the number that is still lacking.

    Each takes `seconds` of turns; no session begins that would end after `budget_s`.
    """
    until = time.monotonic() + budget_s
    with alone():
        _measure(plan, output, seconds, until)
    return len(missing(plan, read_records(output)))


def _measure(plan: BenchPlan, output: Path, seconds: float, until: float) -> None:
    for key in missing(plan, read_records(output)):
        if time.monotonic() + seconds + 25 > until:
            break
        driver, name, skip = key
        if reason := program(driver).missing():
            _say(f"left out: {reason}")
            continue
        try:
            with (
                LabServer() as lab,
                session(lab, driver, plan.statements[name], skip) as live_session,
            ):
                record = _record(key, live_session, seconds)
        except PolltraceError as error:
            _say(f"{driver}, {name}, skip {skip}: {error}")
            continue
        with output.open("a") as file:
            file.write(json.dumps(asdict(record)) + "\n")
        _say(
            f"{driver}, {name}, skip {skip}: {_interval(record.saved_pct)} saved, advised "
            f"{_interval(record.advised_pct)} {record.disturbance and '- ' + record.disturbance}"
        )


def missing(plan: BenchPlan, records: Iterable[SessionRecord]) -> Sequence[tuple[str, str, int]]:
    """The sessions of the plan without an undisturbed record, least tried first."""
    tried = [record.key for record in records if record.disturbance]
    complete = {record.key for record in records if not record.disturbance}
    return sorted((key for key in plan.sessions if key not in complete), key=tried.count)


def _record(key: tuple[str, str, int], live_session: BenchSession, seconds: float) -> SessionRecord:
    processor = server_processor()
    with watching(processor, live_session.pid) as first_watch:
        first = measured(live_session.execute, live_session.skip, seconds / 2)
    with live_session.busy():
        (server,) = servers([live_session.pid])
        measurement = measure_session(server)
    with watching(processor, live_session.pid) as second_watch:
        second = measured(live_session.execute, live_session.skip, seconds / 2)
    turns = Turns([*first.cpu_s, *second.cpu_s])
    spells = [watch.disturbance for watch in (first_watch, second_watch) if watch.disturbance]
    return SessionRecord(
        *key[:2],
        live_session.statement.kind,
        key[2],
        time.strftime("%Y-%m-%d %H:%M:%S"),
        platform.release(),
        f"{_processor()}, {os.cpu_count()} processors",
        len(turns.cpu_s),
        _three(turns.saved_pct),
        _three(turns.null_pct),
        **_product(measurement),
        waiting=max(disturbance.waiting for disturbance in spells),
        steal=max(disturbance.steal for disturbance in spells),
        elsewhere=max(disturbance.elsewhere for disturbance in spells),
    )


def _product(measurement: SessionMeasurement) -> dict[str, Any]:
    model = cost_model()
    if measurement.poll_cost is None:
        raise PolltraceError("the session made too few polls")
    sample_shares = shares(measurement.stacks, measurement.server.engine)
    advice = measurement.advice
    calibrated = calibrate([measurement.load.interval_s], host=FITTED)
    extras, host = measurement.extras, (measurement.extras.host or model.between_hosts)
    untimed = replace(
        measurement,
        poll_cost=constant(product(calibrated.knots[0][1], host.calibrated)),
        stacks=(),
        extras=Extras(burst=extras.burst, host=extras.host),
    ).advice
    return {
        "advised_pct": _three(advice.out_of_band_saved),
        "first_pct": _three(untimed.out_of_band_saved),
        "model": model.provenance.get("fitted", ""),
        "polls_per_cpu_s": measurement.load.polls_per_cpu_s,
        "timed_ns": usual_mean_ns(measurement.extras.durations),
        "calibrated_ns": 1e9 * calibrated.knots[0][1].value / model.calibrated.value,
        "sampled_pct": 100
        * (sample_shares.polling + sample_shares.checking)
        / max(1, sample_shares.total),
        "checks_pct": 100 * sample_shares.checking / max(1, sample_shares.total),
        "samples": sample_shares.total,
    }


def _three(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.value, estimate.low, estimate.high


def _interval(values: tuple[float, float, float]) -> str:
    value, low, high = values
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)
