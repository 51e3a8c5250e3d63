# SPDX-License-Identifier: GPL-2.0-or-later
"""Latency of a network path, layer by layer: sockets, the kernel's view of them, distributions."""
