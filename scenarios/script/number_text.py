# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers as SQL*Plus shows them: in a column of some width, or by a FORMAT."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal

from polltrace.scenarios.script.words import CommandError

_CONTEXT = Context(prec=200, rounding=ROUND_HALF_UP)
_FORMAT = re.compile(r"(?P<dollar>\$?)(?P<whole>[09,]*)(?P<point>\.?)(?P<fraction>[09]*)")


def plain(number: Decimal) -> str:
    """All its digits, without an exponent; no zero in front of the point, none at the end."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if digits.startswith("0.") and digits != "0":
        digits = digits[1:]
    return "0" if digits in ("", "0") else sign + digits


def general(number: Decimal, width: int) -> str:
    """Within `width` characters: rounded to them, or with an exponent; `#` where that is longer."""
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
    """The width of FORMAT `form`, with the sign, and a function from a number to its text.

    Of its elements there are 9, 0, the comma, the point (also as G and D) and a leading $. Raises
    CommandError for any other.
    """
    found = _FORMAT.fullmatch(form.upper().replace("G", ",").replace("D", "."))
    whole = found["whole"] if found else ""
    fraction = found["fraction"] if found else ""
    places = sum(c != "," for c in whole)
    if found is None or not places + len(fraction) or places + len(fraction) > 60:
        raise CommandError(f'SP2-0246: Illegal FORMAT string "{form}"')
    width = len(form) + 1
    least = sum(c != "," for c in whole[whole.find("0") :]) if "0" in whole else 0

    def text(number: Decimal) -> str:
        rounded = number.quantize(Decimal(1).scaleb(-len(fraction)), context=_CONTEXT)
        before, _, after = f"{abs(rounded):f}".partition(".")
        digits = before.lstrip("0").rjust(least, "0")
        if not digits and not fraction:
            digits = "0"
        if len(digits) > places:
            return "#" * width
        sign = "-" if rounded < 0 else ""
        return f"{sign}{found['dollar']}{_grouped(digits, whole)}{found['point']}{after}"

    return width, text


def _grouped(digits: str, whole: str) -> str:
    """The digits from the right, with the commas of the format between them."""
    left, shown = list(digits), []
    for element in reversed(whole):
        if not left:
            break
        shown.append("," if element == "," else left.pop())
    return "".join(reversed(shown))
