# SPDX-License-Identifier: GPL-2.0-or-later
"""What Debian has fixed since a library was built in."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import ROOT

CHANGELOG = """\
openssl (3.0.22-1~deb12u2) bookworm-security; urgency=medium

  * CVE-2026-0003 (a flaw), CVE-2026-0002

 -- somebody <x@example.org>  Mon, 02 Nov 2026 10:00:00 +0000

openssl (3.0.20-1~deb12u1) bookworm; urgency=medium

  * Fixes CVE-2026-0002 and CVE-2026-12345.

openssl (3.0.19-1~deb12u2) bookworm-security; urgency=medium

  * CVE-2026-0001
"""


@pytest.fixture
def linked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The program, with a bill that lists one library, and SQLite."""
    if shutil.which("dpkg") is None:
        pytest.skip("versions are compared by dpkg")
    spec = importlib.util.spec_from_file_location("linked", ROOT / "packaging/linked.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    parts = [
        {"name": "libssl-dev", "version": "3.0.19-1~deb12u2", "purl": "pkg:deb/debian/libssl-dev"},
        {"name": "rich", "version": "13.0", "purl": "pkg:pypi/rich"},
    ]
    (tmp_path / "bill").write_text(json.dumps({"components": parts}))
    (tmp_path / "version").write_text("3.40.1-2+deb12u2\n")
    monkeypatch.setattr(found, "BILL", tmp_path / "bill")
    monkeypatch.setattr(found, "SQLITE", tmp_path / "version")
    monkeypatch.setattr(found, "changelog", lambda _package: CHANGELOG)
    return found


def test_an_old_library_is_named_with_what_was_fixed_since(
    linked: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    versions = {"libssl-dev": "3.0.22-1~deb12u2", "libsqlite3-0": "3.40.1-2+deb12u2"}
    monkeypatch.setattr(linked, "newest", versions.__getitem__)
    assert linked.main() == 1
    assert capsys.readouterr().out.splitlines() == [
        "OLD     libssl-dev 3.0.19-1~deb12u2, Debian has 3.0.22-1~deb12u2: "
        "CVE-2026-0002, CVE-2026-0003, CVE-2026-12345",
        "newest  libsqlite3-0 3.40.1-2+deb12u2",
    ]


def test_all_are_the_newest(
    linked: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    versions = {"libssl-dev": "3.0.19-1~deb12u2", "libsqlite3-0": "3.40.1-2+deb12u2"}
    monkeypatch.setattr(linked, "newest", versions.__getitem__)
    assert linked.main() == 0
    assert "OLD" not in capsys.readouterr().out


def test_a_build_that_kept_no_version_is_not_called_new(
    linked: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "version").unlink()
    with pytest.raises(SystemExit, match="the version of SQLite was not kept"):
        list(linked.built_in())
