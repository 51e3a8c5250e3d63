# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace dump`: the state of one session, on one screen."""
