# SPDX-License-Identifier: GPL-2.0-or-later
"""The dedicated servers of a host: found, asked from outside, and known to the database."""
