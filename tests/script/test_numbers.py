# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers in columns: by width, and by FORMAT."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from polltrace.scenarios.script.number_text import general, number_format, plain
from polltrace.scenarios.script.words import CommandError


@pytest.mark.parametrize(
    ("number", "width", "text"),
    [
        ("0", 10, "0"),
        ("-0.50", 10, "-.5"),
        ("1234567890", 10, "1234567890"),
        ("12345678901", 10, "1.2346E+10"),
        ("-12345678901", 10, "-1.235E+10"),
        ("0.3333333333333", 10, ".333333333"),
        ("-0.3333333333333", 10, "-.33333333"),
        ("3.141592653589793", 10, "3.14159265"),
        ("9999999999.9", 10, "1.0000E+10"),
        ("123456789.99", 10, "123456790"),
        ("0.000000333333333333", 10, "3.3333E-07"),
        ("1E+125", 10, "1.000E+125"),
        ("99", 2, "99"),
        ("100", 2, "##"),
        ("1.20", 10, "1.2"),
    ],
)
def test_a_number_in_a_width(number: str, width: int, text: str) -> None:
    assert general(Decimal(number), width) == text


@pytest.mark.parametrize(
    ("form", "number", "width", "text"),
    [
        ("999", "5", 4, "5"),
        ("999", "1000", 4, "####"),
        ("999", "-999", 4, "-999"),
        ("999", "0", 4, "0"),
        ("0999", "5", 5, "0005"),
        ("990", "0", 4, "0"),
        ("9.99", "0.5", 5, ".50"),
        ("0.99", "0.5", 5, "0.50"),
        ("9.99", "0.995", 5, "1.00"),
        ("9.9", "9.95", 4, "####"),
        ("9,999,990.99", "1234.5", 13, "1,234.50"),
        ("9,999,990.99", "0", 13, "0.00"),
        ("0,000", "12", 6, "0,012"),
        ("$999", "-12", 5, "-$12"),
        ("9G990D9", "1234.56", 8, "1,234.6"),
    ],
)
def test_a_number_by_a_format(form: str, number: str, width: int, text: str) -> None:
    columns, shown = number_format(form)
    assert columns == width
    assert shown(Decimal(number)) == text


@pytest.mark.parametrize("form", ["", "A", "9.9.9", "9EEEE", "$", "99MI", "9" * 70, "9-9", "."])
def test_no_format(form: str) -> None:
    with pytest.raises(CommandError, match="SP2-0246"):
        number_format(form)


numbers = some.decimals(-(10**12), 10**12, places=6)


@given(numbers, some.integers(7, 40))
def test_a_width_is_kept_with_all_digits_that_it_has(number: Decimal, width: int) -> None:
    text = general(number, width)
    assert len(text) <= width
    if len(plain(number)) <= width:
        assert Decimal(text) == number
    elif "E" in text:
        assert abs(Decimal(text) - number) <= abs(number) * Decimal(10) ** (7 - width) / 2
    elif text.strip("#"):
        whole = len(str(int(number))) + (number < 0)
        assert abs(Decimal(text) - number) <= Decimal(10) ** (whole + 1 - width) / 2


@given(numbers)
def test_a_format_with_commas_is_pythons(number: Decimal) -> None:
    _, shown = number_format("9,999,999,999,990.99")
    rounded = shown(number).replace("-0.00", "0.00")
    assert abs(Decimal(rounded.replace(",", "")) - number) <= Decimal("0.005")
    assert rounded == f"{Decimal(rounded.replace(',', '')):,.2f}"
