# SPDX-License-Identifier: GPL-2.0-or-later
"""Real cancels of statements by the drivers' own means, in each break mode that a driver has."""

from __future__ import annotations

import time
from collections.abc import Iterator

from polltrace.breaks.cancels import CancelRequest, ModeCancels
from polltrace.errors import DriverError, UsageError
from polltrace.scenarios.clients import PROGRAMS, Program
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.client_process import ClientEndedError

# Each ends by itself, so that a lost cancel leaves nothing running, and needs no table.
STATEMENT_S = 4
ORACLE = (
    "declare began number := dbms_utility.get_time; n number; begin "
    f"while dbms_utility.get_time - began < {100 * STATEMENT_S} loop "
    "select count(*) into n from user_tables; end loop; end;"
)
POSTGRESQL = (
    "do $$ declare began timestamptz := clock_timestamp(); begin "
    f"while clock_timestamp() < began + interval '{STATEMENT_S} s' loop "
    "perform count(*) from generate_series(1, 1000); end loop; end $$"
)
# The call is under way before it is cancelled.
_BEFORE_CANCEL_S = 0.2


def driver_of(request: CancelRequest) -> str:
    """The driver that the request names, or the usual one. Raises UsageError for another."""
    names = [
        name for name, program in PROGRAMS.items() if program.postgresql == request.is_postgresql
    ]
    name = request.driver or ("psycopg" if request.is_postgresql else "python-oracledb")
    if name not in names:
        raise UsageError(f"--driver {name}: one of {', '.join(names)} is expected there")
    return name


def cancel_check(request: CancelRequest) -> Iterator[ModeCancels]:
    """The outcome of the cancels in each mode. Raises UsageError for an unknown driver, and
    DriverError where there is no connection."""
    program = PROGRAMS[driver_of(request)]
    for mode, disable_oob in _modes(program):
        yield _cancels(request, program, mode, disable_oob=disable_oob)


def _modes(program: Program) -> list[tuple[str, bool]]:
    if program.postgresql:
        return [("another connection", True)]
    out_of_band = [("out-of-band", False)] if program.out_of_band else []
    return [*out_of_band, ("in-band", True)]


def _cancels(
    request: CancelRequest, program: Program, mode: str, *, disable_oob: bool
) -> ModeCancels:
    delays_ms: list[float] = []
    lost, problem = 0, ""
    statement = request.statement or (POSTGRESQL if program.postgresql else ORACLE)
    for _ in range(request.tries):
        # A lost cancel may leave its session with an answer that nobody waits for.
        with DriverClient(program.name) as client:
            client.connect(request.dsn, request.user, request.password, disable_oob=disable_oob)
            # The first call of a process may take a driver longer than all that follow.
            client.execute("select 1" if program.postgresql else "select 1 from dual")
            began_s = time.monotonic()
            client.begin(statement)
            time.sleep(_BEFORE_CANCEL_S)
            client.send_break()
            try:
                ended = client.finish(STATEMENT_S + request.patience_s)
            except ClientEndedError as error:
                problem = str(error)
                break
            except DriverError:
                lost += 1
                continue
        if ended.break_ms is None:
            problem = ended.error or "the driver made no cancel: no call of it was under way"
            break
        # Some drivers report a cancel after the call has ended by itself.
        to_its_end = not request.statement and time.monotonic() - began_s >= STATEMENT_S
        if to_its_end or ended.error is None:
            lost += 1
        else:
            delays_ms.append(ended.break_ms)
    return ModeCancels(mode, tuple(delays_ms), lost, problem)
