# SPDX-License-Identifier: GPL-2.0-or-later
"""Options that select and group stacks."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from polltrace.stacks import FormatError
from polltrace.stacks.folded import Folded
from polltrace.stacks.selecting import beneath, holding, lacking, matching


def add_choice_arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_argument_group("which stacks (regular expressions of whole function names)")
    which.add_argument(
        "--with", dest="holding", type=_names, metavar="REGEX", help="those with such a function"
    )
    which.add_argument(
        "--without", dest="lacking", type=_names, metavar="REGEX", help="those without any such"
    )
    which.add_argument(
        "--from",
        dest="beneath",
        type=_names,
        metavar="REGEX",
        help="from such a function inwards; stacks without one are left out",
    )
    which.add_argument(
        "--group",
        choices=["function", "layer"],
        default="function",
        help="layer: show the server's layers instead of its functions",
    )


def chosen(folded: Folded, args: argparse.Namespace) -> Folded:
    """The selected stacks and parts of stacks."""
    if args.holding:
        folded = holding(folded, args.holding)
    if args.lacking:
        folded = lacking(folded, args.lacking)
    if args.beneath:
        folded = beneath(folded, args.beneath)
    return folded


def _names(text: str) -> Callable[[str], bool]:
    try:
        return matching(text)
    except FormatError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
