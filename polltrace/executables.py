# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the executables that we start are: named by the user, installed, or built in the tree."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from polltrace.errors import HostError


def find_executable(name: str, variable: str, tree: str) -> Path:
    """The executable `name`: from the environment `variable`, our tree's build at `tree`, or PATH.

    `tree` is relative to the root of a checkout. Raises HostError with how to build it.
    """
    if named := os.environ.get(variable):
        if os.access(named, os.X_OK):
            return Path(named)
        raise HostError(f"{variable}={named} is not an executable file")
    built = Path(__file__).parents[1] / tree
    if os.access(built, os.X_OK):
        return built
    if on_path := shutil.which(name):
        return Path(on_path)
    raise HostError(f"{name} is not built: run 'make build', or set {variable} to where it is")
