# SPDX-License-Identifier: GPL-2.0-or-later
"""Oracle's extended SQL trace: files, their columns, and the questions asked of them."""
