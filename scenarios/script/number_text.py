# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers as SQL*Plus prints them: within a width, or by a FORMAT."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal

from polltrace.scenarios.script.words import CommandError

_CONTEXT = Context(prec=200, rounding=ROUND_HALF_UP)
_FORMAT = re.compile(r"(?P<dollar>\$?)(?P<whole>[09,]*)(?P<point>\.?)(?P<fraction>[09]*)")


def plain(number: Decimal) -> str:
    """Every digit without an exponent, no zero before the point, no trailing zero."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if digits.startswith("0.") and digits != "0":
        digits = digits[1:]
    return "0" if digits in ("", "0") else sign + digits


def general(number: Decimal, width: int) -> str:
    """A number within `width` characters: rounded, with an exponent, or `#` where neither fits."""
    text = plain(number)
    if len(text) <= width:
        return text
    # A number below 0.00001 keeps its digits by an exponent.
    if number.adjusted() >= -5:
        for places in range(width - 1, -1, -1):
            rounded = plain(number.quantize(Decimal(1).scaleb(-places), context=_CONTEXT))
            if len(rounded) <= width:
                return rounded
    exponent = f"E{'-' if number.adjusted() < 0 else '+'}{abs(number.adjusted()):02}"
    places = width - len(exponent) - (3 if number < 0 else 2)
    if places < 0:
        return "#" * width
    mantissa = number.scaleb(-number.adjusted(), context=_CONTEXT)
    rounded_mantissa = mantissa.quantize(Decimal(1).scaleb(-places), context=_CONTEXT)
    if abs(rounded_mantissa) >= 10:
        return general(rounded_mantissa.scaleb(number.adjusted(), context=_CONTEXT), width)
    return f"{rounded_mantissa:f}{exponent}"


def number_format(form: str) -> tuple[int, Callable[[Decimal], str]]:
    """Width of FORMAT `form` including the sign, and a function from a number to its text.

    Supported elements are 9, 0, the comma, the point (also as G and D) and a leading $. Raises
    CommandError for any other element.
    """
    match = _FORMAT.fullmatch(form.upper().replace("G", ",").replace("D", "."))
    integer = match["whole"] if match else ""
    fraction = match["fraction"] if match else ""
    places = sum(c != "," for c in integer)
    if match is None or not places + len(fraction) or places + len(fraction) > 60:
        raise CommandError(f'SP2-0246: Illegal FORMAT string "{form}"')
    width = len(form) + 1
    padded = sum(c != "," for c in integer[integer.find("0") :]) if "0" in integer else 0

    def text(number: Decimal) -> str:
        rounded = number.quantize(Decimal(1).scaleb(-len(fraction)), context=_CONTEXT)
        integer_digits, _, decimals = f"{abs(rounded):f}".partition(".")
        digits = integer_digits.lstrip("0").rjust(padded, "0")
        if not digits and not fraction:
            digits = "0"
        if len(digits) > places:
            return "#" * width
        sign = "-" if rounded < 0 else ""
        return f"{sign}{match['dollar']}{_grouped(digits, integer)}{match['point']}{decimals}"

    return width, text


def _grouped(digits: str, integer_format: str) -> str:
    """The digits with the commas of the format between them."""
    remaining, grouped = list(digits), []
    for element in reversed(integer_format):
        if not remaining:
            break
        grouped.append("," if element == "," else remaining.pop())
    return "".join(reversed(grouped))
