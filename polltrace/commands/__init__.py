# SPDX-License-Identifier: GPL-2.0-or-later
"""The verbs of the command line, one file each."""
