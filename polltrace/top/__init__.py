# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace top`: all dedicated servers of a host, live.

probe.py > host.py > snapshot.py > screen.py and its fellows > terminal.py; keys.py turns keys
into the next UIState. Pure functions draw the screen and map keys to changes.
"""
