# SPDX-License-Identifier: GPL-2.0-or-later
"""Statements that a session of a load executes once, before its work."""

from __future__ import annotations

import re
from collections.abc import Iterator

from polltrace.scenarios.load.workload import Workload
from polltrace.scenarios.run.servers.session_views import SPID

SID = "select sys_context('userenv', 'sid') from dual"
IDENTIFY = (SID, SPID)
"""Which session of the database it is, and the PID of its server."""


def first_statements(workload: Workload, session: int) -> list[str]:
    """ALTER SESSION for the workload's parameters, and for its trace."""
    return [*_parameters(workload), *_trace(workload, session)]


def _parameters(workload: Workload) -> Iterator[str]:
    for name, value in workload.parameters.items():
        yield f"alter session set {name} = {_literal(name, value)}"


def _literal(name: str, value: str) -> str:
    """A word or a number as it is; text, and every value of an NLS parameter, in quotes."""
    quoted = name.lower().startswith(("nls_", "time_zone", "tracefile_identifier"))
    if not quoted and re.fullmatch(r"\w+|-?\d+(\.\d+)?", value):
        return value
    return "'" + value.replace("'", "''") + "'"


def _trace(workload: Workload, session: int) -> Iterator[str]:
    traced = workload.trace_sessions
    if not workload.trace_level or (traced is not None and session >= traced):
        return
    yield f"alter session set tracefile_identifier = '{workload.trace_identifier}'"
    yield (
        f"alter session set events '10046 trace name context forever, level {workload.trace_level}'"
    )
