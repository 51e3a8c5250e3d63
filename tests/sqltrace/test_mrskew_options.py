# SPDX-License-Identifier: GPL-2.0-or-later
"""Command lines and rc files that were written for mrskew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from polltrace.commands.mrskew_options import without_mrskew_forms
from polltrace.errors import FileError, UsageError

OPTIONS = {"--where", "--group", "--gl", "--name", "--top", "--alldepths"}


def rewritten(*words: str) -> list[str]:
    return without_mrskew_forms(words, OPTIONS)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MRTOOLS_RCPATH", raising=False)
    return tmp_path


def test_long_options_may_have_one_dash() -> None:
    words = ["-where", "$dur<1", "-gl=SQL ID", "-o", "-name", "--", "-top"]
    assert rewritten(*words) == [
        "--where", "$dur<1", "--gl=SQL ID", "-o", "--name", "--", "-top"
    ]  # fmt: skip


def test_the_histogram_s_rc_file_is_built_in(folder: Path) -> None:
    assert rewritten("--rc=p10.rc", "a.trc") == ["--histogram", "a.trc"]
    (folder / "p10.rc").write_text("--top=3\n")
    assert rewritten("-rc", "p10.rc") == ["--top=3"]


def test_an_rc_file_has_an_option_per_line_and_names_others(folder: Path) -> None:
    (folder / "a.rc").write_text(
        "# comment\n\n--group='$sqlid'\n-gl=SQL ID\n--rc=b.rc\n"
        "--where=$name =~ q{it's} and $af < 1\n--name='a\n b'\n"
    )
    home = folder / "home" / ".mrtools" / "rc"
    home.mkdir(parents=True)
    (home / "b.rc").write_text("--where1=1\n")
    assert rewritten("--rc=a.rc") == [
        "--group=$sqlid", "--gl=SQL ID", "--alldepths", "--where=1",
        "--where=$name =~ q{it's} and $af < 1", "--name=a\n b",
    ]  # fmt: skip


def test_folders_of_the_environment_are_searched(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "x").mkdir()
    (folder / "x" / "a.rc").write_text("--top=1")
    monkeypatch.setenv("MRTOOLS_RCPATH", f"/nowhere:{folder}/x")
    assert rewritten("--rc=a.rc") == ["--top=1"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("--rc=a.rc\n", "more than 8 deep"),
        ("--init='print 1'\n", "is Perl"),
        ("rm -rf x\n", "is no option"),
        ("#" * 70_000, "longer than an rc file"),
    ],
)
def test_rc_files_that_are_refused(folder: Path, text: str, reason: str) -> None:
    (folder / "a.rc").write_text(text)
    with pytest.raises((UsageError, FileError), match=reason):
        rewritten("--rc=a.rc")


def test_an_rc_file_that_is_not_there(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"no x.rc in \., ~/.mrtools/rc"):
        rewritten("--rc=x.rc")
    os.mkfifo(folder / "f.rc")
    with pytest.raises(FileError, match="no regular file"):
        rewritten("--rc=f.rc")
