# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure and reduce break polling: profiles, the overhead model, the command line, reports."""


def __getattr__(name: str) -> str:
    """`__version__`, looked up when asked for: reading package metadata doubles start-up time."""
    if name != "__version__":
        raise AttributeError(name)
    from importlib.metadata import version  # noqa: PLC0415

    return version("polltrace")
