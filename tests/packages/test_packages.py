# SPDX-License-Identifier: GPL-2.0-or-later
"""Each package, installed where nothing else is, runs the demo and counts a stranger's polls."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from tests.conftest import ROOT, missing
from tests.packages.conftest import made

pytestmark = [pytest.mark.packages, pytest.mark.usefixtures("root")]

# A stranger: 10,007 break polls on a socket of its own, on command.
STRANGER = """
import select, socket, sys
ours, _theirs = socket.socketpair()
poll = select.poll()
poll.register(ours, select.POLLIN)
print(flush=True)
sys.stdin.readline()
for _ in range(10_007):
    poll.poll(0)
"""
# Debian's names of what is linked in, as people call it.
_PROSE = {
    "libbpf-dev": "libbpf",
    "libc6-dev": "glibc",
    "libelf-dev": "libelf",
    "libssl-dev": "OpenSSL",
    "sqlite": "SQLite",
    "zlib1g-dev": "zlib",
}
# The variables that lead to the network and its certificates, and none of this checkout.
KEPT = ("PIP_", "SSL_", "REQUESTS_", "CURL_", "HTTP", "http", "no_proxy", "NO_PROXY")


def bare_environment(home: Path) -> dict[str, str]:
    """The environment of a login shell."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
    return {**kept, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home), "LANG": "C.UTF-8"}


def test_the_wheel_installs_one_name() -> None:
    with zipfile.ZipFile(made("*.whl")) as wheel:
        names = {name.split("/")[0] for name in wheel.namelist()}
    others = (".dist-info", ".libs", ".data")
    assert {name for name in names if not name.endswith(others)} == {"polltrace"}


SHARED = (
    "man/man1/polltrace.1",
    "man/man8/polltrace-probe.8",
    "bash-completion/completions/polltrace",
    "zsh/site-functions/_polltrace",
    "fish/vendor_completions.d/polltrace.fish",
)


def test_the_wheel_has_manual_pages_and_completions() -> None:
    with zipfile.ZipFile(made("*.whl")) as wheel:
        files = [name for name in wheel.namelist() if not name.endswith("/")]
        shared = {name.partition("/data/share/")[2]: name for name in files if ".data/" in name}
        assert set(shared) == set(SHARED)
        assert b".SH OPTIONS" in wheel.read(shared["man/man8/polltrace-probe.8"])
        for name in SHARED[2:]:
            assert b"oob-check" in wheel.read(shared[name]), name


def test_the_executables_are_stripped() -> None:
    """The lab keeps the names of its functions, which its stacks are read for."""
    with zipfile.ZipFile(made("*.whl")) as wheel:
        for name, sections in (
            ("polltrace-probe", set()),
            ("polltrace-calibrate", set()),
            ("oralab", {".symtab"}),
        ):
            elf = ELFFile(io.BytesIO(wheel.read(f"polltrace/bin/{name}")))
            found = {each.name for each in elf.iter_sections()}
            assert found & {".symtab", ".debug_info"} == sections, name


def test_lintian_reports_nothing() -> None:
    if shutil.which("lintian") is None:
        missing("there is no lintian: run './setup.sh --packages'")
    words = ["lintian", "--allow-root", "--fail-on", "error,warning", str(made("polltrace_*.deb"))]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "")


def counts_a_stranger(polltrace: Sequence[str], environment: dict[str, str]) -> None:
    stranger = subprocess.Popen(
        [sys.executable, "-c", STRANGER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert stranger.stdin
    assert stranger.stdout
    stranger.stdout.readline()
    watcher = subprocess.Popen(
        [*polltrace, "stat", "-p", str(stranger.pid), "--json"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert watcher.stderr
    assert "attached" in watcher.stderr.readline()
    stranger.communicate(b"\n", timeout=60)
    output, _ = watcher.communicate(timeout=60)
    assert watcher.returncode == 0
    [process] = json.loads(output)["processes"]
    assert process["break_polls"] == 10_007


def runs_the_demo(polltrace: Sequence[str], environment: dict[str, str]) -> None:
    ended = subprocess.run(
        [*polltrace, "demo", "--runs", "6", "--json"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    result = json.loads(ended.stdout)
    assert result["counts_agree"]
    assert sum(cell["break_polls"] for cell in result["cells"]) > 0


def by_pip(wheel: str, home: Path) -> Path:
    subprocess.run(["/usr/bin/python3", "-m", "venv", home / "venv"], check=True)
    subprocess.run([home / "venv/bin/pip", "install", "-q", wheel], check=True)
    return home / "venv/bin/polltrace"


def by_pipx(wheel: str, home: Path) -> Path:
    return _by_tool("pipx", ["install", "-q", wheel], home)


def by_uv(wheel: str, home: Path) -> Path:
    return _by_tool("uv", ["tool", "install", "-q", "--python", "/usr/bin/python3", wheel], home)


def _by_tool(name: str, words: Sequence[str], home: Path) -> Path:
    """pipx or uv, each from the package index, with all that it makes in `home`."""
    subprocess.run(["/usr/bin/python3", "-m", "venv", home / "tool"], check=True)
    subprocess.run([home / "tool/bin/pip", "install", "-q", name], check=True)
    places = {
        **{variable: str(home / "bin") for variable in ("PIPX_BIN_DIR", "UV_TOOL_BIN_DIR")},
        "PIPX_HOME": str(home / "pipx"),
        "UV_TOOL_DIR": str(home / "uv"),
        "UV_CACHE_DIR": str(home / "cache"),
    }
    environment = bare_environment(home) | places
    subprocess.run([home / "tool/bin" / name, *words], env=environment, check=True)
    return home / "bin/polltrace"


@pytest.mark.parametrize("install", [by_pip, by_pipx, by_uv])
def test_the_wheel(install: Callable[[str, Path], Path], tmp_path: Path) -> None:
    wheel = made("polltrace-*.whl")
    polltrace = [str(install(f"polltrace[drivers] @ {wheel.as_uri()}", tmp_path))]
    counts_a_stranger(polltrace, bare_environment(tmp_path))
    runs_the_demo(polltrace, bare_environment(tmp_path))


def test_the_single_file(tmp_path: Path) -> None:
    polltrace = [str(shutil.copy(made("polltrace.pex"), tmp_path / "polltrace"))]
    counts_a_stranger(polltrace, bare_environment(tmp_path))
    runs_the_demo(polltrace, bare_environment(tmp_path))


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Debian 12 with nothing but our package, and what it asks for, installed."""
    if shutil.which("mmdebstrap") is None:
        missing("there is no mmdebstrap: run './setup.sh --packages'")
    root = tmp_path_factory.mktemp("debian") / "root"
    package = made("polltrace_*.deb")
    install = f'chroot "$1" apt-get install -qq --no-install-recommends /tmp/{package.name}'
    hooks = [f"copy-in {package} /tmp", install]
    subprocess.run(
        [
            *("mmdebstrap", "--quiet", "--variant=minbase", "--include=ca-certificates"),
            *(f"--customize-hook={hook}" for hook in hooks),
            *("bookworm", str(root)),
        ],
        check=True,
    )
    return root


def test_the_debian_package(debian: Path, tmp_path: Path) -> None:
    """In a chroot of its own mount namespace, so that nothing of it stays mounted."""
    mounts = " && ".join(
        f"mount --rbind /{each} {debian}/{each}" for each in ("proc", "sys", "dev")
    )
    inside = ["unshare", "--mount", "sh", "-c", f'{mounts} && exec chroot {debian} "$@"', "sh"]
    environment = bare_environment(Path("/root"))
    counts_a_stranger([*inside, "polltrace"], environment)
    for command in ("lab start", "ps", "lab stop"):
        subprocess.run([*inside, "polltrace", *command.split()], env=environment, check=True)
    # docs/learn/install.md: the driver, next to Debian's own.
    pip = [sys.executable, "-m", "pip", "install", "-q", "--target", str(debian / "opt/oracledb")]
    subprocess.run([*pip, "oracledb"], check=True)
    runs_the_demo([*inside, "polltrace"], environment | {"PYTHONPATH": "/opt/oracledb"})


def test_the_bill_of_materials() -> None:
    """docs/learn/install.md names every part with its licence, and none that is not there."""
    bill = json.loads(made("polltrace.cdx.json").read_text())
    parts = {
        (_PROSE.get(part["name"], part["name"]), part["licenses"][0]["expression"])
        for part in bill["components"]
    }
    debian = [each["purl"] for each in bill["components"] if each["purl"].startswith("pkg:deb")]
    assert len(debian) == 5
    assert all("upstream=" in purl and "distro=" in purl for purl in debian)
    page = (ROOT / "docs/learn/install.md").read_text().partition("## Licences")[2]
    rows = re.findall(
        r"^\| ([A-Za-z-]+)[^|]*\| `[^|]*` \| ([^|(]*?)(?: \([^|]*\))? \|$", page, re.M
    )
    assert set(rows) == parts
