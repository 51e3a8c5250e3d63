# SPDX-License-Identifier: GPL-2.0-or-later
"""Somebody's sqlnet.ora: changed for a while, and as it was afterwards, however a run ends."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from polltrace.errors import FileError, UsageError
from polltrace.scenarios.run.servers import sqlnet_edit
from polltrace.scenarios.run.servers.sqlnet_edit import (
    SqlnetEdit,
    notes,
    restore_left_behind,
    with_skip,
)

ORIGINAL = """# ours
NAMES.DIRECTORY_PATH = (TNSNAMES,
  EZCONNECT)
Break_Poll_Skip =
  10
SQLNET.EXPIRE_TIME = 10"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "sqlnet.ora"
    path.write_text(ORIGINAL)
    path.chmod(0o640)
    return path


def left(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir() if each.name != "state")


def test_only_the_parameter_changes() -> None:
    changed = with_skip(ORIGINAL, 1000).splitlines()
    assert changed == [
        "# ours",
        "NAMES.DIRECTORY_PATH = (TNSNAMES,",
        "  EZCONNECT)",
        "SQLNET.EXPIRE_TIME = 10",
        "BREAK_POLL_SKIP = 1000",
    ]
    assert with_skip("", 3) == "BREAK_POLL_SKIP = 3\n"


def test_it_is_put_back(path: Path) -> None:
    with SqlnetEdit(path) as edit:
        assert path.read_text() == ORIGINAL
        for skip in (1, 1000):
            edit.set(skip)
            assert path.read_text() == with_skip(ORIGINAL, skip)
            assert path.stat().st_mode & 0o777 == 0o640
    assert path.read_text() == ORIGINAL
    assert path.stat().st_mode & 0o777 == 0o640
    assert left(path) == ["sqlnet.ora"]
    assert list(notes()) == []


def test_it_is_put_back_to_the_byte(path: Path) -> None:
    original = b"# \xfcber\r\nSQLNET.EXPIRE_TIME = 10\r\n"
    path.write_bytes(original)
    with SqlnetEdit(path) as edit:
        edit.set(3)
        assert path.read_bytes() == original + b"BREAK_POLL_SKIP = 3\n"
    assert path.read_bytes() == original


def test_a_directory_is_no_file(path: Path) -> None:
    with pytest.raises(FileError, match="is no regular file"):
        SqlnetEdit(path.parent)


def test_a_file_that_was_not_there_is_gone_again(path: Path) -> None:
    path.unlink()
    with SqlnetEdit(path) as edit:
        edit.set(3)
        assert path.read_text() == "BREAK_POLL_SKIP = 3\n"
    assert left(path) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from polltrace.scenarios.run.servers import sqlnet_edit
step, count = int(sys.argv[2]), 0
rename = os.rename
def counted(*names, **folders):
    global count
    count += 1
    if count == step:
        os.kill(os.getpid(), signal.SIGKILL)
    return rename(*names, **folders)
os.rename = counted
edit = sqlnet_edit.SqlnetEdit(Path(sys.argv[1]))
edit.set(1)
edit.set(1000)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("step", range(1, 8))
@pytest.mark.parametrize("existed", [True, False])
def test_killed_between_any_two_steps(path: Path, step: int, existed: bool) -> None:
    if not existed:
        path.unlink()
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path), str(step)], check=False)
    assert ended.returncode == -signal.SIGKILL
    # WHEN the next run starts, or a user asks for it
    restore_left_behind()
    # THEN everything is as it was
    assert (path.read_text() if path.exists() else None) == (ORIGINAL if existed else None)
    assert left(path) == (["sqlnet.ora"] if existed else [])
    assert list(notes()) == []


def test_a_run_that_lives_is_left_alone(path: Path) -> None:
    with SqlnetEdit(path) as edit:
        edit.set(3)
        assert restore_left_behind() == []
        with pytest.raises(
            UsageError, match=rf"changed by another run just now \(PID {os.getpid()}"
        ):
            SqlnetEdit(path)


def test_somebody_elses_change_is_not_undone(path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path), "99"], check=False)
    assert ended.returncode == -signal.SIGKILL
    path.write_text("THEIRS = 1\n")
    with pytest.raises(UsageError, match="changed by somebody since"):
        restore_left_behind()
    assert path.read_text() == "THEIRS = 1\n"
    assert Path(f"{path}{sqlnet_edit.BACKUP_SUFFIX}").read_text() == ORIGINAL


ORACLE, OINSTALL, DBA = 54321, 54322, 54323


@pytest.fixture
def owned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: None) -> Iterator[Path]:
    """A sqlnet.ora in a directory of its owner's, which is not root."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = Path(tempfile.mkdtemp())  # below tmp_path its owner could not enter
    path = folder / "sqlnet.ora"
    path.write_text(ORIGINAL)
    path.chmod(0o640)
    for each in (folder, path):
        os.chown(each, ORACLE, OINSTALL)
    yield path
    shutil.rmtree(folder)


def owner_and_mode(path: Path) -> tuple[int, int, int]:
    found = path.lstat()
    return found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)


def test_owner_and_mode_stay(owned: Path) -> None:
    before, changed_ns = owner_and_mode(owned), owned.stat().st_mtime_ns
    assert before == (ORACLE, OINSTALL, 0o640)
    with SqlnetEdit(owned) as edit:
        edit.set(7)
        assert owner_and_mode(owned) == before
        assert owner_and_mode(Path(f"{owned}{sqlnet_edit.BACKUP_SUFFIX}")) == before
    assert owner_and_mode(owned) == before
    assert (owned.read_text(), owned.stat().st_mtime_ns) == (ORIGINAL, changed_ns)
    assert os.geteuid() == os.getegid() == 0


def test_the_group_stays_where_the_directory_gives_new_files_its_own(owned: Path) -> None:
    os.chown(owned.parent, ORACLE, DBA)
    owned.parent.chmod(0o2770)
    with SqlnetEdit(owned) as edit:
        edit.set(7)
        assert owner_and_mode(owned) == (ORACLE, OINSTALL, 0o640)
    assert owner_and_mode(owned) == (ORACLE, OINSTALL, 0o640)


@pytest.mark.parametrize("name", [".polltrace-new", sqlnet_edit.BACKUP_SUFFIX])
@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_what_lies_in_the_way_gains_nothing(
    owned: Path, tmp_path: Path, name: str, kind: str
) -> None:
    # GIVEN files that the directory's owner has put under the names that are written
    secret = tmp_path / "shadow"
    secret.write_text("root's\n")
    secret.chmod(0o600)
    trap = Path(f"{owned}{name}")
    if kind == "link":
        trap.symlink_to(secret)
    else:
        os.mkfifo(trap)
    with SqlnetEdit(owned) as edit:
        edit.set(7)
    # THEN a file of root's stays as it was, and sqlnet.ora is what it was
    assert (secret.read_text(), owner_and_mode(secret)) == ("root's\n", (0, 0, 0o600))
    assert (owned.read_text(), owner_and_mode(owned)) == (ORIGINAL, (ORACLE, OINSTALL, 0o640))


def test_a_link_into_roots_files_is_not_written(owned: Path, tmp_path: Path) -> None:
    # GIVEN an owner who exchanges the directory for a link once the file has been read
    secret = tmp_path / "sqlnet.ora"
    secret.write_text("root's\n")
    edit = SqlnetEdit(owned)
    folder = owned.parent
    folder.rename(f"{folder}.away")
    folder.symlink_to(tmp_path)
    try:
        os.chown(folder, ORACLE, OINSTALL, follow_symlinks=False)
        with pytest.raises(FileError, match="Not a directory"):
            edit.set(7)
    finally:
        folder.unlink()
        Path(f"{folder}.away").rename(folder)
    assert secret.read_text() == "root's\n"


def test_a_file_of_roots_in_a_directory_of_others(owned: Path) -> None:
    os.chown(owned, 0, 0)
    with pytest.raises(FileError, match="others may change"):
        SqlnetEdit(owned)
