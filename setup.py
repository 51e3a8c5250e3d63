# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of the build that pyproject.toml cannot state: folders and the content of a wheel."""

import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

# The lab keeps the names of its functions: its stacks are read for them.
EXECUTABLES = {
    "probes/build/polltrace-probe": "--strip-all",
    "probes/build/polltrace-calibrate": "--strip-all",
    "polltrace/sqltrace/scanner/build/libpolltrace-sqltrace.so": "--strip-unneeded",
    "lab/build/oralab": "--strip-debug",
}
# Manual pages and completions, where packaging/build.sh has made them; pip puts them below its
# prefix, where man and the shells look.
SHARE = Path("build/share")

PARTS = ("stacks", "scenarios")


def link_parts() -> None:
    """Make polltrace.stacks and polltrace.scenarios of the folders at the top.

    By symbolic links, which the import system, mypy and setuptools all follow. They are made here
    and not committed: not every archive or transfer of a checkout keeps symbolic links.
    """
    for part in PARTS:
        link = Path(__file__).parent / "polltrace" / part
        if not link.is_symlink():
            link.symlink_to(Path("..") / part)


class BuildWithExecutables(build_py):
    """Puts them into polltrace/bin, stripped; a checkout has them in place."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        places = Path(self.build_lib) / "polltrace" / "bin"
        places.mkdir(parents=True, exist_ok=True)
        for built, how in EXECUTABLES.items():
            target = places / Path(built).name
            subprocess.run(["strip", how, "-o", target, built], check=True)


class WheelOfThisMachine(bdist_wheel):
    """For this processor and C library, and for any Python 3: none of our C runs inside Python."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class OfOnePlatform(Distribution):
    """Installed beside libraries of this platform, where auditwheel looks for executables."""

    def has_ext_modules(self) -> bool:
        return True


def shared_files() -> list[tuple[str, list[str]]]:
    """The files of SHARE by their folder below the prefix."""
    files = [path for path in sorted(SHARE.rglob("*")) if path.is_file()]
    return [(f"share/{path.parent.relative_to(SHARE)}", [str(path)]) for path in files]


link_parts()
setup(
    data_files=shared_files(),
    distclass=OfOnePlatform,
    cmdclass={"build_py": BuildWithExecutables, "bdist_wheel": WheelOfThisMachine},
)
