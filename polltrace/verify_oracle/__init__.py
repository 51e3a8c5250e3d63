# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks polltrace's assumptions about Oracle's servers on a live database of the user's."""
