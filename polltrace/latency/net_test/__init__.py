# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace net-test`: throughput and latency of messages over a TCP path, without Oracle.

The client's line of JSON says what to exchange (plan.py), the server half answers `ready`. Each
stream is a connection, and a process on the client's side. In a test with acknowledgement the
client sends `up` bytes and waits for `down` bytes, over and over. Without, one end or both send all
the while; the sender's kernel counts what the other end has acknowledged, so nothing that only
waits in a buffer is counted.
"""
