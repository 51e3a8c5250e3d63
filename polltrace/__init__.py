# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure and reduce break polling: profiles, the overhead model, the command line, reports."""

import os
import sys


def __getattr__(name: str) -> str:
    """`__version__`, looked up when asked for."""
    if name != "__version__":
        raise AttributeError(name)
    return next(filter(None, map(_version_in, sys.path)), None) or _version_by_metadata()


def _version_in(folder: str) -> str | None:
    """The version of the polltrace that is installed in this folder, from the name of its metadata:
    polltrace-VERSION.dist-info (PEP 427)."""
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return None
    for entry in names:
        if entry.startswith("polltrace-") and entry.endswith(".dist-info"):
            return entry[len("polltrace-") : -len(".dist-info")]
    return None


def _version_by_metadata() -> str:
    """The version by importlib.metadata, which finds metadata of every kind.

    Importing it takes half of the time that `polltrace --version` may take.
    """
    from importlib.metadata import version  # noqa: PLC0415 - slow to load

    return version("polltrace")
