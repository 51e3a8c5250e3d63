# SPDX-License-Identifier: GPL-2.0-or-later
"""How a session learns of a cancel: its break mode, what decided it, what the path lets through."""
