# SPDX-License-Identifier: GPL-2.0-or-later
"""A comparison as text, Markdown, JUnit XML and data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from polltrace.intervals import FEWEST_VALUES
from polltrace.scenarios.analyse.comparison import Compared, Comparison, ComparisonOutcome


def comparison_text(comparison: Comparison) -> str:
    rows = [(r.cell, r.figure, ratio_text(r), str(r.outcome)) for r in comparison.rows]
    head = ("CELL", "FIGURE", "NEW / BASE", "VERDICT")
    wide = [max(len(row[n]) for row in (head, *rows)) for n in range(3)]
    lines = [
        "  ".join([*(f"{word:{w}}" for word, w in zip(row[:3], wide, strict=True)), row[3]])
        for row in (head, *rows)
    ]
    return "\n".join([*lines, "", *_closing(comparison)])


def comparison_markdown(comparison: Comparison) -> str:
    lines = ["| cell | figure | new / base | verdict |", "|---|---|---|---|"]
    for row in comparison.rows:
        outcome = (
            f"**{row.outcome}**"
            if row.outcome is ComparisonOutcome.REGRESSION
            else str(row.outcome)
        )
        lines.append(f"| {row.cell} | {row.figure} | {ratio_text(row)} | {outcome} |")
    # Lines that follow one another would run into one paragraph.
    return "\n".join(lines) + "\n\n" + "\n\n".join(_closing(comparison)) + "\n"


def comparison_junit(comparison: Comparison) -> str:
    """A JUnit document with a test case for each figure of each cell; a regression is a failure."""
    failures = [row for row in comparison.rows if row.outcome is ComparisonOutcome.REGRESSION]
    skipped = [
        row
        for row in comparison.rows
        if row.outcome in (ComparisonOutcome.MISSING, ComparisonOutcome.TOO_FEW)
    ]
    suite = ElementTree.Element(
        "testsuite",
        name="polltrace compare",
        tests=str(len(comparison.rows)),
        failures=str(len(failures)),
        skipped=str(len(skipped)),
        errors="0",
    )
    for row in comparison.rows:
        case = ElementTree.SubElement(suite, "testcase", classname=row.cell, name=row.figure or "-")
        words = f"{ratio_text(row)} times the base" if row.ratio else ratio_text(row)
        if row.outcome is ComparisonOutcome.REGRESSION:
            ElementTree.SubElement(case, "failure", message=words).text = _rule(comparison)
        elif row.outcome in (ComparisonOutcome.MISSING, ComparisonOutcome.TOO_FEW):
            ElementTree.SubElement(case, "skipped", message=str(row.outcome))
        else:
            ElementTree.SubElement(case, "system-out").text = f"{words}: {row.outcome}"
    if comparison.cautions:
        ElementTree.SubElement(suite, "system-err").text = "\n".join(comparison.cautions)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def comparison_data(comparison: Comparison) -> dict[str, Any]:
    return {
        "margin": comparison.margin,
        "confidence": comparison.confidence,
        "regressed": comparison.regressed,
        "cautions": list(comparison.cautions),
        "rows": [
            {
                "cell": row.cell,
                "figure": row.figure,
                "ratio": row.ratio.value if row.ratio else None,
                "interval": [row.ratio.low, row.ratio.high] if row.ratio else None,
                "exact": row.exact,
                "verdict": row.outcome.name.lower(),
            }
            for row in comparison.rows
        ],
    }


def ratio_text(row: Compared) -> str:
    if row.ratio is None:
        return "-" if row.outcome is ComparisonOutcome.MISSING else "from none to some"
    if row.exact or row.ratio.low == row.ratio.high:
        return f"{row.ratio.value:.3f}"
    return f"{row.ratio.value:.3f} [{row.ratio.low:.3f}, {row.ratio.high:.3f}]"


def _closing(comparison: Comparison) -> Iterator[str]:
    yield from (f"Caution: {caution}." for caution in comparison.cautions)
    count = sum(row.outcome is ComparisonOutcome.REGRESSION for row in comparison.rows)
    if count:
        yield f"{count} of {len(comparison.rows)} figures regressed. {_rule(comparison)}"
    else:
        yield f"No regression. {_rule(comparison)}"
    if any(row.outcome is ComparisonOutcome.TOO_FEW for row in comparison.rows):
        yield (
            f"Times need {FEWEST_VALUES} blocks of each run (--repeats), or as many parts of a "
            "load, for a verdict; counts do not."
        )


def _rule(comparison: Comparison) -> str:
    units = "times are in units of a yardstick that ran between them"
    if not comparison.yardstick:
        units = "times are as measured, each a median over parts of the load"
    return (
        f"A regression grows by more than {100 * comparison.margin:g} % with its whole interval; "
        f"all intervals hold at once at 95 % (each at {100 * comparison.confidence:.2f} %) for "
        "what these two runs measured; equal runs differ by more, which the margin is for. "
        f"{units.capitalize()}."
    )
