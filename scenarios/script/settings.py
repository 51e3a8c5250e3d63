# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings of SET, with the defaults of SQL*Plus."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Settings:
    """Settings of a script; widths are in characters, sizes in rows or lines.

    `feedback` is the smallest number of rows that is reported, 0 for none; `feedback_only` keeps
    the rows themselves out of the output. `define` and `concat` are characters, empty where off.
    `autotrace` is "off", "on" or "traceonly".
    """

    arraysize: int = 15
    autocommit: bool = False
    autotrace: str = "off"
    colsep: str = " "
    concat: str = "."
    define: str = "&"
    echo: bool = False
    escape: str = ""
    exitcommit: bool = True
    feedback: int = 6
    feedback_only: bool = False
    heading: bool = True
    headsep: str = "|"
    linesize: int = 80
    long: int = 80
    newpage: int = 1
    null: str = ""
    numformat: str = ""
    numwidth: int = 10
    pagesize: int = 14
    recsep: str = "wrapped"
    rowprefetch: int = 1
    serveroutput: bool = False
    sqlblanklines: bool = False
    sqlprompt: str = "SQL> "
    termout: bool = True
    timing: bool = False
    trimout: bool = True
    trimspool: bool = False
    underline: str = "-"
    verify: bool = True
    wrap: bool = True
