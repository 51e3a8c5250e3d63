# SPDX-License-Identifier: GPL-2.0-or-later
"""Trace files as a data source of Apache Spark 4."""
