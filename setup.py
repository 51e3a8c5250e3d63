# SPDX-License-Identifier: GPL-2.0-or-later
"""What pyproject.toml cannot say: where the parts of polltrace are, and what a wheel carries."""

import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

EXECUTABLES = (
    "probes/build/polltrace-probe",
    "probes/build/polltrace-calibrate",
    "polltrace/sqltrace/scanner/build/libpolltrace-sqltrace.so",
    "scenarios/lab/build/oralab",
)

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
    """Puts them into polltrace/bin, without debug information; a checkout has them in place."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        places = Path(self.build_lib) / "polltrace" / "bin"
        places.mkdir(parents=True, exist_ok=True)
        for built in map(Path, EXECUTABLES):
            subprocess.run(["strip", "-g", "-o", places / built.name, built], check=True)


class WheelOfThisMachine(bdist_wheel):
    """For this processor and C library, and for any Python 3: none of our C runs inside Python."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class OfOnePlatform(Distribution):
    """Installed beside libraries of this platform, where auditwheel looks for executables."""

    def has_ext_modules(self) -> bool:
        return True


link_parts()
setup(
    distclass=OfOnePlatform,
    cmdclass={"build_py": BuildWithExecutables, "bdist_wheel": WheelOfThisMachine},
)
