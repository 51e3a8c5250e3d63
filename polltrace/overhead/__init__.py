# SPDX-License-Identifier: GPL-2.0-or-later
"""The overhead model: the cost of polls at the present skip and at others, and the advice that
follows.
"""
