# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds polltrace's executables: named by the user, installed, or built in the tree."""

from __future__ import annotations

import os
from typing import NamedTuple

from polltrace.errors import HostError

# bcc's module comes with the distribution's own Python, not with ours.
SYSTEM_PYTHON = "/usr/bin/python3"


class Executable(NamedTuple):
    """A program of polltrace's.

    variable: the environment variable that names another file to use;
    tree: where a checkout builds it, relative to the top.
    """

    variable: str
    tree: str


EXECUTABLES = {
    "polltrace-probe": Executable("POLLTRACE_PROBE", "probes/build/polltrace-probe"),
    "polltrace-calibrate": Executable("POLLTRACE_CALIBRATE", "probes/build/polltrace-calibrate"),
    "oralab": Executable("POLLTRACE_LAB", "lab/build/oralab"),
    # A library: Python loads it.
    "libpolltrace-sqltrace.so": Executable(
        "POLLTRACE_SQLTRACE", "polltrace/sqltrace/scanner/build/libpolltrace-sqltrace.so"
    ),
}


def find_executable(name: str) -> str:
    """The path of the executable `name`: its variable's, the package's, the tree's, or PATH's.

    Raises HostError, which names the command that builds it.
    """
    executable = EXECUTABLES[name]
    if named := os.environ.get(executable.variable):
        if _is_program(named):
            return named
        raise HostError(f"{executable.variable}={named} is not an executable file")
    package = os.path.dirname(__file__)
    for place in (f"{package}/bin/{name}", f"{os.path.dirname(package)}/{executable.tree}"):
        if _is_program(place):
            return place
    import shutil  # noqa: PLC0415 - takes longer than all of this module

    if on_path := shutil.which(name):
        return on_path
    raise HostError(
        f"{name} is not built: run 'make build', or set {executable.variable} to where it is"
    )


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
