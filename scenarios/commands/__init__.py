# SPDX-License-Identifier: GPL-2.0-or-later
"""The verbs that scenarios add to the command line, one file each."""
