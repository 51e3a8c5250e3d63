# SPDX-License-Identifier: GPL-2.0-or-later
"""What each SQL statement cost: SQL trace of a session, and polltrace's figures of its process."""
