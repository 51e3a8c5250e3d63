# SPDX-License-Identifier: GPL-2.0-or-later
"""Finding and reading the sqlnet.ora of a process."""

from dataclasses import replace
from pathlib import Path

import pytest

from polltrace.breaks.parameter_file import assignments
from polltrace.breaks.sqlnet import break_settings, variables
from polltrace.engines import Engine, engine_of


def oracle() -> Engine:
    found = engine_of("oracle", "oracleORCL (LOCAL=NO)")
    assert found is not None
    return found[0]


@pytest.mark.parametrize(
    ("text", "skip"),
    [
        ("break_poll_skip=10\n", "10"),  # as the article writes it
        ("BREAK_POLL_SKIP = 1000\r\n", "1000"),
        ("# BREAK_POLL_SKIP=5\nBreak_Poll_Skip= 7 # seven\n", "7"),
        ("BREAK_POLL_SKIP=4\nBREAK_POLL_SKIP=6\n", "6"),
        ('BREAK_POLL_SKIP="8"', "8"),
        ("BREAK_POLL_SKIP=\n  9\n", "9"),
        ("NAMES.DIRECTORY_PATH= (TNSNAMES,\n EZCONNECT)\nBREAK_POLL_SKIP=2", "2"),
        ("", None),
        ("\0\0\nBREAK_POLL_SKIP", None),
    ],
)
def test_assignments_of_a_text(text: str, skip: str | None) -> None:
    assert dict(assignments(text)).get("BREAK_POLL_SKIP") == skip


def test_tns_admin_comes_before_oracle_home(tmp_path: Path) -> None:
    # GIVEN a container's root with both directories
    home = tmp_path / "u01" / "network" / "admin"
    admin = tmp_path / "etc" / "tns"
    home.mkdir(parents=True)
    admin.mkdir(parents=True)
    (home / "sqlnet.ora").write_text("BREAK_POLL_SKIP=10\n")
    environ = {"ORACLE_HOME": "/u01", "TNS_ADMIN": "/etc/tns"}
    # WHEN only one has a file, it counts; WHEN both have, TNS_ADMIN's does
    assert break_settings(oracle(), environ, tmp_path).break_poll_skip == 10
    (admin / "sqlnet.ora").write_text("BREAK_POLL_SKIP=20\nDISABLE_OOB=on\n")
    settings = break_settings(oracle(), environ, tmp_path)
    assert (settings.break_poll_skip, settings.disable_oob) == (20, True)
    assert settings.path == Path("/etc/tns/sqlnet.ora")  # as the process sees it


def test_an_engine_names_its_own_home(tmp_path: Path) -> None:
    made = replace(
        oracle(),
        configuration_directories=("$MADE_HOME/etc",),
        home="MADE_HOME",
        home_table="moved",
    )
    assert variables(made) == ["MADE_HOME"]
    for folder, skip in (("opt/made/etc", 10), ("srv/homes/one/etc", 20)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "sqlnet.ora").write_text(f"BREAK_POLL_SKIP={skip}\n")
    # The environment does not have it: it is the folder above the program's
    assert break_settings(made, {}, tmp_path, "/opt/made/bin/maded").break_poll_skip == 10
    assert break_settings(made, {}, tmp_path).path is None
    (tmp_path / "opt/made/moved").write_text("/opt/made:/srv:one:Y:\n")
    assert break_settings(made, {}, tmp_path, "/opt/made/bin/maded").break_poll_skip == 20
    # The files of a read-only home itself count where those elsewhere are missing.
    (tmp_path / "srv/homes/one/etc/sqlnet.ora").unlink()
    assert break_settings(made, {}, tmp_path, "/opt/made/bin/maded").break_poll_skip == 10


def test_a_missing_or_invalid_file_gives_the_defaults(tmp_path: Path) -> None:
    settings = break_settings(oracle(), {}, tmp_path)
    assert (settings.path, settings.break_poll_skip, settings.disable_oob) == (None, 3, False)
    (tmp_path / "sqlnet.ora").write_text("BREAK_POLL_SKIP=many\n")
    assert break_settings(oracle(), {"TNS_ADMIN": "/"}, tmp_path).skip_is_default


@pytest.mark.parametrize(
    ("executable", "title", "instance"),
    [
        ("oracle", "oracleSOL10G (LOCAL=NO)", "SOL10G"),  # the article's pstack
        ("oracle", "oracleORCL (DESCRIPTION=(LOCAL=YES)(ADDRESS=(PROTOCOL=beq)))", "ORCL"),
        ("oralab", "oracleLAB (LOCAL=NO)", "LAB"),
        ("oracle", "ora_pmon_ORCL", None),
        ("oracle", "asm_smon_+ASM", None),
        ("bash", "oracleORCL (LOCAL=NO)", None),
        ("", "", None),
    ],
)
def test_dedicated_servers_by_title(executable: str, title: str, instance: str | None) -> None:
    found = engine_of(executable, title)
    assert (found[1]["instance"] if found else None) == instance
