# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts of independent tools next to polltrace's, on one process at the same time."""
