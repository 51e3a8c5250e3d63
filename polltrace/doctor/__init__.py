# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks this host's prerequisites, what each is for, and suggests a fix for what is missing."""
