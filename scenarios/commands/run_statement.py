# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace run --sql`: a user's own statement as a scenario, without a scenario file."""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path
from typing import Any

from polltrace.commands.arguments import skip
from polltrace.errors import FileError, UsageError
from polltrace.scenarios.clients import PROGRAMS
from polltrace.scenarios.plan.cell import DEFAULT_SKIP
from polltrace.scenarios.plan.scenario import Scenario
from polltrace.scenarios.plan.scenario_file import scenario_of_statement

_LONGEST = 1 << 20


def add_statement_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("a statement instead of a scenario")
    group.add_argument(
        "--sql",
        metavar="QUERY|FILE.sql",
        help="compare break modes and skips on this query; nothing but queries is executed",
    )
    group.add_argument(
        "--binds",
        type=Path,
        metavar="FILE",
        help="TOML: the query's binds, NAME = number or string",
    )
    group.add_argument(
        "--skip",
        type=_skips,
        metavar="N,N…",
        help=f"skips of the in-band sessions (default: {DEFAULT_SKIP}, or the server's own)",
    )
    group.add_argument(
        "--client",
        choices=list(PROGRAMS),
        action="append",
        help="the driver; may be given more than once (default: python-oracledb)",
    )


def statement_scenario(args: argparse.Namespace) -> Scenario | None:
    """The scenario of --sql; None without that. Raises UsageError, FileError."""
    if args.sql is None:
        return None
    if args.skip and args.server == "oracle" and args.set_sqlnet is None:
        raise UsageError(
            "--skip needs --set-sqlnet: BREAK_POLL_SKIP is set in the server's sqlnet.ora"
        )
    sql = args.sql
    if sql.endswith(".sql"):
        sql = _text(Path(sql))
    return scenario_of_statement(
        sql.strip().removesuffix(";"),
        _binds(args.binds) if args.binds else {},
        args.skip or [DEFAULT_SKIP],
        args.client or ["python-oracledb"],
    )


def _binds(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FileError(f"{path}: {error}") from None


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_LONGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise FileError(f"cannot read {path}: {reason}") from None
    if len(text) > _LONGEST:
        raise FileError(f"{path} is longer than {_LONGEST >> 20} MiB")
    return text


def _skips(text: str) -> list[int]:
    return list(dict.fromkeys(skip(item) for item in text.split(",")))
