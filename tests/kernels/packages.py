# SPDX-License-Identifier: GPL-2.0-or-later
"""Stock kernels out of Debian's packages: found by name, unpacked to build/, never installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT

HERE = Path(__file__).parent
BUILD = ROOT / "build" / "kernels"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


class UnreachableError(Exception):
    """A kernel that cannot be had here; the message gives the reason."""


@dataclass(frozen=True)
class Wanted:
    """One kernel of the matrix: `image` matches package names; `suite` is empty for the
    machine's own sources, which makes it mandatory; `headers` are those that bcc compiles with;
    `fentry_cost` asks for that to be measured."""

    name: str
    image: str
    suite: str = ""
    headers: bool = False
    fentry_cost: bool = False

    @property
    def mandatory(self) -> bool:
        return not self.suite


@dataclass(frozen=True)
class Unpacked:
    """A kernel's packages, unpacked: `root` has lib/modules/RELEASE, and usr/src with headers."""

    root: Path
    release: str
    image: Path


def matrix() -> list[Wanted]:
    data = tomllib.loads((HERE / "kernels.toml").read_text())
    return [Wanted(**entry) for entry in data["kernel"]]


def fetch(wanted: Wanted) -> Unpacked:
    """The newest kernel of that name; downloads only what is not there yet.

    Raises UnreachableError.
    """
    options = _foreign(wanted.suite) if wanted.suite else []
    newest = _newest(wanted, options)
    root = BUILD / newest.removeprefix("linux-image-")
    if wanted.headers:
        root = root.with_name(root.name + "-headers")
    if not root.exists():
        packages = _parts(newest, options)
        if wanted.headers:
            packages |= _parts(newest.replace("-image-", "-headers-"), options)
        _unpack(packages, options, root)
    return _unpacked(root)


def _apt(options: list[str], tool: str, *arguments: str, cwd: Path | None = None) -> str:
    command = [tool, *options, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300, cwd=cwd
    )
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if line.startswith("E:")]
        raise UnreachableError(errors[0] if errors else f"{tool} {arguments[0]} failed")
    return done.stdout


def _foreign(suite: str) -> list[str]:
    """Options that make apt read one other suite, from the archive that this machine uses, and
    leave its own lists alone."""
    base = "bookworm-security" if suite.endswith("-security") else "bookworm"
    form = "$(RELEASE) $(REPO_URI)"
    lines = _apt([], "apt-get", "indextargets", "--format", form).splitlines()
    uris = dict(line.split(maxsplit=1) for line in lines)
    if base not in uris:
        raise UnreachableError(f"no package source of {base} to take {suite} from")
    state = BUILD / "apt" / suite
    (state / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    sources = state / "sources.list"
    sources.write_text(f"deb [signed-by={KEYS}] {uris[base]} {suite} main\n")
    return [
        *("-o", f"Dir::Etc::sourcelist={sources}", "-o", "Dir::Etc::sourceparts=-"),
        *("-o", f"Dir::State::lists={state / 'lists'}"),
        *("-o", f"Dir::Cache::pkgcache={state / 'pkgcache'}", "-o", "Dir::Cache::srcpkgcache="),
        *("-o", "APT::Get::List-Cleanup=0", "-o", "Acquire::Languages=none"),
    ]


def _newest(wanted: Wanted, options: list[str]) -> str:
    def matching() -> list[str]:
        names = _apt(options, "apt-cache", "pkgnames", "linux-image-").split()
        return [name for name in names if re.fullmatch(wanted.image, name)]

    found = matching()
    if not found or wanted.suite:
        _apt(options, "apt-get", "update", "-qq", "--error-on=any")
        found = matching()
    if not found:
        raise UnreachableError(f"no package matches {wanted.image}")
    return max(found, key=_as_numbers)


def _as_numbers(name: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", name)]


def _parts(package: str, options: list[str]) -> set[str]:
    """The package and those of its dependencies that hold the rest of the kernel."""
    text = _apt(options, "apt-cache", "depends", "--important", package)
    depends = re.findall(r"Depends: (linux-(?:base-\d|binary-|modules-|headers-)\S+)", text)
    return {package, *depends}


def _unpack(packages: set[str], options: list[str], root: Path) -> None:
    partial = root.with_name(root.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    (partial / "usr/lib").mkdir(parents=True)
    (partial / "lib").symlink_to("usr/lib")  # as on a merged system, for old packages and new
    downloads = partial / "downloads"
    downloads.mkdir()

    def download() -> str:
        return _apt(options, "apt-get", "download", "-qq", *sorted(packages), cwd=downloads)

    _with_fresh_lists(download, options)
    for deb in downloads.glob("*.deb"):
        with subprocess.Popen(["dpkg", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as tar:
            # Into the linked lib/, which dpkg -x would replace.
            keep = ["tar", "-x", "--keep-directory-symlink", "-C", str(partial)]
            subprocess.run(keep, stdin=tar.stdout, check=True)
    shutil.rmtree(downloads)
    (release,) = (partial / "lib/modules").iterdir()
    command = ["/sbin/depmod", "-b", str(partial), release.name]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)  # it misses lists of order
    partial.rename(root)


def _with_fresh_lists(download: Callable[[], str], options: list[str]) -> None:
    """The archive drops what is superseded: an old list names packages that are gone."""
    try:
        download()
    except UnreachableError:
        _apt(options, "apt-get", "update", "-qq")
        download()


def _unpacked(root: Path) -> Unpacked:
    (modules,) = (root / "lib/modules").iterdir()
    for image in (root / f"boot/vmlinuz-{modules.name}", modules / "vmlinuz"):
        if image.exists():
            return Unpacked(root, modules.name, image)
    raise UnreachableError(f"{root} holds no kernel image")
