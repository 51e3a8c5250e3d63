# SPDX-License-Identifier: GPL-2.0-or-later
"""A host watched over time: where its probe runs, its frames, and snapshots made of them."""
