# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios: workloads, clients and servers, run and compared."""
