# SPDX-License-Identifier: GPL-2.0-or-later
"""The Vagrantfile as far as it goes without a machine; `make vagrant-test` brings it up."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT, missing


def run_vagrant(
    folder: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The result of a vagrant command on the Vagrantfile in `folder`."""
    return subprocess.run(
        ["vagrant", *arguments],
        cwd=folder,
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


def vagrant(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The result of a vagrant command on this tree's Vagrantfile."""
    return run_vagrant(ROOT, *arguments, **environment)


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    """The environment that keeps vagrant's files out of the tree and the home directory. The test
    is skipped where vagrant or its libvirt plugin is not installed: nothing else needs them."""
    if shutil.which("vagrant") is None:
        pytest.skip("vagrant is not installed: ./setup.sh --vagrant")
    places = {"VAGRANT_HOME": str(tmp_path / "home"), "VAGRANT_DOTFILE_PATH": str(tmp_path / "dot")}
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "Vagrantfile").write_text('Vagrant.configure("2") { |c| c.vm.box = "none" }\n')
    check = run_vagrant(empty, "validate", **places)
    if check.returncode != 0:
        reason = " ".join((check.stdout + check.stderr).split())[:300]
        pytest.skip(f"vagrant has no libvirt provider: ./setup.sh --vagrant ({reason})")
    return places


def machines(status: str) -> list[str]:
    """The names that `vagrant status --machine-readable` lists."""
    lines = [line.split(",") for line in status.splitlines()]
    return [fields[1] for fields in lines if fields[2:3] == ["state"]]


@pytest.mark.parametrize("emulated", ["0", "1"])
def test_it_is_valid_and_has_the_articles_machines(places: dict[str, str], emulated: str) -> None:
    done = vagrant("validate", **places, POLLTRACE_EMULATED=emulated)
    assert (done.returncode, done.stderr) == (0, "")
    status = vagrant("status", "--machine-readable", **places).stdout
    assert machines(status) == ["router", "db", "client", "client-inband"]


def test_an_oracle_database_is_there_with_its_package(
    places: dict[str, str], tmp_path: Path
) -> None:
    package = tmp_path / "oracle-database-free.rpm"
    package.touch()
    done = vagrant("validate", **places, POLLTRACE_ORACLE_RPM=str(package))
    assert (done.returncode, done.stderr) == (0, "")
    status = vagrant(
        "status", "--machine-readable", **places, POLLTRACE_ORACLE_RPM=str(package)
    ).stdout
    assert machines(status) == ["router", "db", "client", "client-inband", "oracle"]
    # AND a missing package is reported before anything starts
    absent = vagrant("validate", **places, POLLTRACE_ORACLE_RPM=str(tmp_path / "absent.rpm"))
    assert absent.returncode != 0
    assert "absent.rpm" in absent.stderr


# As on a machine of its own: what is written to /etc and /usr/local stays in memory, and the
# network's settings are a new network's.
OF_ITS_OWN = """
mount -t tmpfs none /mnt
for each in etc usr/local; do
    mkdir -p /mnt/$each/new /mnt/$each/work
    mount -t overlay -o lowerdir=/$each,upperdir=/mnt/$each/new,workdir=/mnt/$each/work none /$each
done
"$1" "$2" "$3"
"""


def provision(role: str, then: str = "") -> subprocess.CompletedProcess[str]:
    """The output of setting up a machine of this role, and of this shell command on it."""
    if os.geteuid() != 0:
        missing("provisioning needs root")
    script = ROOT / "scenarios" / "vagrant" / "provision.sh"
    return subprocess.run(
        ["unshare", "--mount", "--net", "sh", "-euc", OF_ITS_OWN + then, "sh", script, role, ROOT],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("role", "off"), [("client", "OFF"), ("client-inband", "ON")])
def test_a_client_is_set_up(role: str, off: str) -> None:
    done = provision(role, "cat /etc/polltrace-lab/client.env; batch --help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"DISABLE_OOB={off}\nusage: batch ")


def test_a_router_is_set_up() -> None:
    done = provision("router", "sysctl -n net.ipv4.ip_forward; wire show")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["1", "urgent data passes"]


def test_provisioning_knows_its_roles() -> None:
    done = provision("nobody")
    assert (done.returncode, done.stderr) == (2, "provision: unknown role 'nobody'\n")
