# SPDX-License-Identifier: GPL-2.0-or-later
"""The implementation of `polltrace net-test`: throughput and latency of messages over a TCP path,
without Oracle.

The client's line of JSON has the plan (plan.py), the server half answers `ready`. Each stream is a
connection, and a process on the client's side. In a test with acknowledgement the client sends `up`
bytes and waits for `down` bytes, repeatedly. Without, one end or both send all the time; the
sender's kernel counts the acknowledged bytes, so data that only waits in a buffer is not counted.
"""
