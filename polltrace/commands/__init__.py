# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of polltrace, one file each."""
