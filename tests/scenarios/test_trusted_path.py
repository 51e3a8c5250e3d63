# SPDX-License-Identifier: GPL-2.0-or-later
"""The path that `run --set-sqlnet` changes: links of other users are not followed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from polltrace.errors import FileError, UsageError
from polltrace.scenarios.run.servers.sqlnet_edit import SqlnetEdit
from polltrace.scenarios.run.servers.trusted_path import trusted_path

ORACLE, MALLORY = 54321, 54324


@pytest.fixture
def folder(root: None) -> Iterator[Path]:
    """A directory of Mallory's, with a directory of Oracle's in it that holds a sqlnet.ora."""
    folder = Path(tempfile.mkdtemp()).resolve()
    (folder / "admin").mkdir()
    (folder / "admin" / "sqlnet.ora").write_text("")
    for path, owner in ((folder, MALLORY), (folder / "admin", ORACLE)):
        os.chown(path, owner, owner)
    os.chown(folder / "admin" / "sqlnet.ora", ORACLE, ORACLE)
    yield folder
    shutil.rmtree(folder)


def link(path: Path, target: Path | str, owner: int) -> Path:
    path.symlink_to(target)
    os.chown(path, owner, owner, follow_symlinks=False)
    return path


@pytest.mark.parametrize("owner", [0, ORACLE])
@pytest.mark.parametrize("target", ["admin/sqlnet.ora", "admin/../admin/sqlnet.ora"])
def test_a_link_of_root_or_of_the_owner_is_followed(folder: Path, owner: int, target: str) -> None:
    assert trusted_path(link(folder / "a.ora", target, owner)) == folder / "admin" / "sqlnet.ora"
    absolute = link(folder / "b.ora", folder / "a.ora", owner)
    assert trusted_path(absolute) == folder / "admin" / "sqlnet.ora"


@pytest.mark.parametrize("name", ["passwd", "nologin"])
def test_a_link_of_another_user_changes_no_file_of_root(
    folder: Path, tmp_path: Path, name: str
) -> None:
    # GIVEN a file of root's, or a name in a directory of root's, behind a link of Mallory's
    (tmp_path / "passwd").write_text("root:x\n")
    path = link(folder / "sqlnet.ora", tmp_path / name, MALLORY)
    with pytest.raises(FileError, match=r"sqlnet\.ora, which the user with UID 54324 made, to /"):
        SqlnetEdit(path)
    # THEN the same holds where a directory on the way is such a link
    link(folder / "conf", tmp_path, MALLORY)
    with pytest.raises(FileError, match="/conf, which the user with UID 54324 made"):
        SqlnetEdit(folder / "conf" / name)
    assert [path.name for path in tmp_path.iterdir()] == ["passwd"]
    assert (tmp_path / "passwd").read_text() == "root:x\n"


def test_every_link_of_a_chain_is_checked(folder: Path) -> None:
    inner = link(folder / "inner", "admin", MALLORY)
    outer = link(folder / "outer", inner, ORACLE)
    with pytest.raises(FileError, match="/inner, which the user with UID 54324 made"):
        trusted_path(outer / "sqlnet.ora")


def test_a_path_that_leads_nowhere(folder: Path) -> None:
    link(folder / "loop", "loop", 0)
    with pytest.raises(FileError, match="Too many levels of symbolic links"):
        SqlnetEdit(folder / "loop")
    with pytest.raises(UsageError, match="there is no directory"):
        SqlnetEdit(folder / "none" / "sqlnet.ora")
    with pytest.raises(UsageError, match="there is no directory"):
        SqlnetEdit(folder / "admin" / "sqlnet.ora" / "sqlnet.ora")
