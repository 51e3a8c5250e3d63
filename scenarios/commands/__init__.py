# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands that scenarios add to polltrace, one file each."""
