# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures for a fleet's dashboard: those of `polltrace top`, as counters for Prometheus.

watch/host_monitor.py > counter_totals.py (they never fall) > metrics.py > serving.py (HTTP).
"""
