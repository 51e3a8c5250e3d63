# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace load`: sessions that execute weighted statements on a schedule, and latencies."""
