# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's own figures about a TCP connection (tcp(7), TCP_INFO)."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass

# struct tcp_info of linux/tcp.h, as far as data_segs_out (Linux 4.6).
_LAYOUT = struct.Struct("=8B24I4Q6I")
_SND_MSS, _LOST, _RTT, _RTTVAR, _TOTAL_RETRANS = 8 + 2, 8 + 6, 8 + 15, 8 + 16, 8 + 23
_BYTES_ACKED, _BYTES_RECEIVED = 32 + 2, 32 + 3
_MIN_RTT, _DATA_SEGS_IN, _DATA_SEGS_OUT = 36 + 3, 36 + 4, 36 + 5
_UNKNOWN_US = 2**32 - 1


@dataclass(frozen=True, slots=True)
class TcpInfo:
    """A connection's state in its kernel.

    - `rtt_s`, `rtt_variance_s`: smoothed round trip time, and its mean deviation, in seconds; both
    contain the delay of acknowledgements that the other end holds back for its answer
    - `min_rtt_s`: the shortest round trip of the last minutes; None where nothing was measured
    - `retransmits`: segments sent again since the connection was made
    - `lost`: segments that the kernel considers lost at present
    - `segments_in`, `segments_out`: segments with data so far
    - `bytes_received`, `bytes_acked`: bytes of data so far
    - `mss`: the longest segment that it sends, in bytes
    """

    rtt_s: float
    rtt_variance_s: float
    min_rtt_s: float | None
    retransmits: int
    lost: int
    segments_in: int
    segments_out: int
    bytes_received: int
    bytes_acked: int
    mss: int


def tcp_info(connection: socket.socket) -> TcpInfo:
    """Read TCP_INFO. Raises OSError for a socket that is no TCP connection, or a kernel before
    4.6.
    """
    raw = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _LAYOUT.size)
    if len(raw) < _LAYOUT.size:
        raise OSError("this kernel's TCP_INFO is older than Linux 4.6")
    fields = _LAYOUT.unpack(raw)
    return TcpInfo(
        rtt_s=fields[_RTT] / 1e6,
        rtt_variance_s=fields[_RTTVAR] / 1e6,
        min_rtt_s=None if fields[_MIN_RTT] == _UNKNOWN_US else fields[_MIN_RTT] / 1e6,
        retransmits=fields[_TOTAL_RETRANS],
        lost=fields[_LOST],
        segments_in=fields[_DATA_SEGS_IN],
        segments_out=fields[_DATA_SEGS_OUT],
        bytes_received=fields[_BYTES_RECEIVED],
        bytes_acked=fields[_BYTES_ACKED],
        mss=fields[_SND_MSS],
    )
