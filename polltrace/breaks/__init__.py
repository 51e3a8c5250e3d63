# SPDX-License-Identifier: GPL-2.0-or-later
"""Break mode of a session, the reason for it, and tests of the path between both ends."""
