# SPDX-License-Identifier: GPL-2.0-or-later
"""What the exercise is asked, and how it answers."""

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import oracledb

HOST, PORT, SERVICE, SDU, LENGTHS = sys.argv[1], int(sys.argv[2]), *sys.argv[3:6]
SECTIONS = sys.argv[6:]


def connect(**more: Any) -> Any:
    descriptor = (
        f"(DESCRIPTION=(SDU={SDU})(ADDRESS=(PROTOCOL=tcp)(HOST={HOST})(PORT={PORT}))"
        f"(CONNECT_DATA=(SERVICE_NAME={SERVICE})))"
    )
    return oracledb.connect(**({"user": "scott", "password": "tiger", "dsn": descriptor} | more))


def check(name: str, got: object, want: object) -> None:
    wrong = "" if got == want else f"{got!r}, not {want!r}"
    print(json.dumps({"check": name, "wrong": wrong[:500]}), flush=True)


def left_out(what: str) -> None:
    """Says what the version cannot do, and is therefore not asked."""
    check(f"left out: {what}", None, None)


def failure(run: Callable[[], object]) -> str:
    try:
        run()
    except oracledb.Error as error:
        return str(error).split(":")[0]
    return "done"


def lengths() -> Iterator[int]:
    for part in LENGTHS.split(","):
        first, last = map(int, part.split("-"))
        yield from range(first, last + 1)


def version() -> tuple[int, ...]:
    return tuple(map(int, oracledb.__version__.split(".")[:2]))
