# SPDX-License-Identifier: GPL-2.0-or-later
"""Sources of polls without eBPF: the text of strace and truss, live or from a file."""
