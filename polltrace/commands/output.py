# SPDX-License-Identifier: GPL-2.0-or-later
"""A command's answer, as text or with --json as data."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the same as data")


def show(as_json: bool, data: Callable[[], Any], text: Callable[[], str]) -> None:
    """Print one of the two, and compute that one alone."""
    print(json.dumps(data(), indent=2) if as_json else text())
