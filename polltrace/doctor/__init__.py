# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks this host's prerequisites, with the purpose of each and a fix for a missing one."""
