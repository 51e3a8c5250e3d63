# SPDX-License-Identifier: GPL-2.0-or-later
"""See, price and fix break polling: profiles, the overhead model, the command line, reports."""

from importlib.metadata import version

__version__ = version("polltrace")
