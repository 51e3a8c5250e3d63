# SPDX-License-Identifier: GPL-2.0-or-later
"""What a fleet's dashboard shows: the figures of `polltrace top`, as counters for Prometheus.

watch/host.py > ledger.py (totals that never fall) > metrics.py (families) > serving.py (HTTP).
"""
