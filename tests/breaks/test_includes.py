# SPDX-License-Identifier: GPL-2.0-or-later
"""IFILE in sqlnet.ora: the values of included files, by their order, and includes without end."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from polltrace.breaks.sqlnet import BreakSettings, break_settings
from polltrace.engines import engine_of

FIXTURES = Path(__file__).parent / "fixtures" / "ifile"
MAIN, SITE = Path("/u01/network/admin/sqlnet.ora"), Path("/etc/oracle/site_sqlnet.ora")


def settings(root: Path, main: str | None = None, **files: str) -> BreakSettings:
    """The settings of a server below `root` with these texts, in files by name in /etc/oracle."""
    admin, etc = root / "u01/network/admin", root / "etc/oracle"
    for folder in (admin, etc):
        folder.mkdir(parents=True, exist_ok=True)
    if main is not None:
        (admin / "sqlnet.ora").write_text(main)
    for name, text in files.items():
        (etc / name).write_text(text)
    found = engine_of("oracle", "oracleORCL (LOCAL=NO)")
    assert found is not None
    return break_settings(found[0], {"ORACLE_HOME": "/u01"}, root)


def test_the_included_file_of_a_site_is_read_and_named(tmp_path: Path) -> None:
    settings(tmp_path)
    shutil.copy(FIXTURES / "sqlnet.ora", tmp_path / "u01/network/admin")
    shutil.copy(FIXTURES / "site_sqlnet.ora", tmp_path / "etc/oracle")
    found = settings(tmp_path)
    assert (found.break_poll_skip, found.disable_oob, found.problem) == (1000, True, "")
    assert (found.path, found.skip_path, found.oob_path) == (MAIN, SITE, SITE)
    assert (found.source, found.disabled_in) == (str(SITE), SITE)


def test_the_last_assignment_counts_where_the_include_stands(tmp_path: Path) -> None:
    include = "IFILE=/etc/oracle/a\n"
    before = settings(tmp_path, f"BREAK_POLL_SKIP=5\n{include}", a="BREAK_POLL_SKIP=7\n")
    assert (before.break_poll_skip, before.skip_path) == (7, Path("/etc/oracle/a"))
    after = settings(tmp_path, f"{include}BREAK_POLL_SKIP=5\n")
    assert (after.break_poll_skip, after.skip_path) == (5, MAIN)


def test_a_change_of_an_included_file_is_a_change(tmp_path: Path) -> None:
    found = settings(tmp_path, "IFILE=/etc/oracle/a\n", a="DISABLE_OOB=ON\n")
    os.utime(tmp_path / "u01/network/admin/sqlnet.ora", (1000, 1000))
    os.utime(tmp_path / "etc/oracle/a", (2000, 2000))
    found = settings(tmp_path)
    assert found.changed_at == 2000
    assert found.changed_since(1500)


def test_three_levels_and_a_home_by_question_mark(tmp_path: Path) -> None:
    found = settings(
        tmp_path,
        "IFILE=/etc/oracle/a\n",
        a="IFILE=/etc/oracle/b\n",
        b="IFILE=?/network/admin/c\n",
    )
    assert found.problem == "its IFILE=?/network/admin/c does not exist"
    (tmp_path / "u01/network/admin/c").write_text("BREAK_POLL_SKIP=11\n")
    assert settings(tmp_path).break_poll_skip == 11


@pytest.mark.parametrize(
    ("main", "files", "problem"),
    [
        ("IFILE=/etc/oracle/none", {}, "its IFILE=/etc/oracle/none does not exist"),
        ("IFILE=/etc/oracle", {}, "its IFILE=/etc/oracle is not readable: it is no regular file"),
        ("IFILE=a.ora", {}, "its IFILE=a.ora is no absolute path"),
        ("IFILE=/etc/oracle/a", {"a": "IFILE=/etc/oracle/a"}, "leads back to itself"),
        (
            "IFILE=/etc/oracle/a",
            {"a": "IFILE=/etc/oracle/b", "b": "IFILE=/etc/oracle/c", "c": "IFILE=/etc/oracle/d"},
            "its IFILE=/etc/oracle/d is more than 3 levels deep",
        ),
        ("IFILE=/etc/oracle/a\n" * 21, {"a": ""}, "it includes more than 20 files"),
    ],
)
def test_an_include_that_cannot_be_read_makes_the_values_unknown(
    tmp_path: Path, main: str, files: dict[str, str], problem: str
) -> None:
    found = settings(tmp_path, f"BREAK_POLL_SKIP=5\n{main}\n", **files)
    assert found.problem.endswith(problem)
    assert (found.known_skip, found.path) == (None, MAIN)
