# SPDX-License-Identifier: GPL-2.0-or-later
"""Latency layer by layer, from the TCP handshake to a row: sockets of our own and a real driver."""
