# SPDX-License-Identifier: GPL-2.0-or-later
"""Measurements of processes: frames, folded into profiles, and their stacks by name."""
