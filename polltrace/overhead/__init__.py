# SPDX-License-Identifier: GPL-2.0-or-later
"""The overhead model: what polls cost, what another skip would, and the advice that follows."""
