# SPDX-License-Identifier: GPL-2.0-or-later
"""Stop a process at its next break poll, copy its stack, and let it run on whatever happens to us.

By ptrace of our own: python-ptrace attaches so that a tracer that dies leaves the process stopped.
"""
