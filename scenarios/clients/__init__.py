# SPDX-License-Identifier: GPL-2.0-or-later
"""Real drivers as clients, a folder each, written as each driver's documentation would."""
