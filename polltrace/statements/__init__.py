# SPDX-License-Identifier: GPL-2.0-or-later
"""Cost of SQL statements: a session's SQL trace joined with the figures of its process."""
