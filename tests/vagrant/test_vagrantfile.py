# SPDX-License-Identifier: GPL-2.0-or-later
"""The Vagrantfile as far as it goes without a machine; `make vagrant-test` brings it up."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT, missing


def vagrant(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """With nothing of it left behind in the tree or at home."""
    if shutil.which("vagrant") is None:
        missing("there is no vagrant: ./setup.sh --tests")
    return subprocess.run(
        ["vagrant", *arguments],
        cwd=ROOT,
        env={
            **os.environ,
            "VAGRANT_DEFAULT_PROVIDER": "libvirt",
            "VAGRANT_CHECKPOINT_DISABLE": "1",
            "VAGRANT_NO_COLOR": "1",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    return {"VAGRANT_HOME": str(tmp_path / "home"), "VAGRANT_DOTFILE_PATH": str(tmp_path / "dot")}


def machines(said: str) -> list[str]:
    """The names that `vagrant status --machine-readable` tells of."""
    lines = [line.split(",") for line in said.splitlines()]
    return [fields[1] for fields in lines if fields[2:3] == ["state"]]


@pytest.mark.parametrize("emulated", ["0", "1"])
def test_it_is_valid_and_has_the_articles_machines(places: dict[str, str], emulated: str) -> None:
    done = vagrant("validate", **places, POLLTRACE_EMULATED=emulated)
    assert (done.returncode, done.stderr) == (0, "")
    said = vagrant("status", "--machine-readable", **places).stdout
    assert machines(said) == ["router", "db", "client", "client-inband"]


def test_an_oracle_database_is_there_for_who_has_it(places: dict[str, str], tmp_path: Path) -> None:
    package = tmp_path / "oracle-database-free.rpm"
    package.touch()
    done = vagrant("validate", **places, POLLTRACE_ORACLE_RPM=str(package))
    assert (done.returncode, done.stderr) == (0, "")
    said = vagrant(
        "status", "--machine-readable", **places, POLLTRACE_ORACLE_RPM=str(package)
    ).stdout
    assert machines(said) == ["router", "db", "client", "client-inband", "oracle"]
    # AND a package that is not there is said so before anything is begun
    absent = vagrant("validate", **places, POLLTRACE_ORACLE_RPM=str(tmp_path / "absent.rpm"))
    assert absent.returncode != 0
    assert "absent.rpm" in absent.stderr


def test_provisioning_knows_its_roles() -> None:
    script = (ROOT / "scenarios/vagrant/provision.sh").read_text()
    done = subprocess.run(
        ["sh", "-c", script.replace("cd /vagrant", f"cd {ROOT}"), "provision.sh", "nobody"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "provision: unknown role 'nobody'\n")
