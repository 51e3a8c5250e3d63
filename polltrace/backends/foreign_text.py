# SPDX-License-Identifier: GPL-2.0-or-later
"""Output of tools that polltrace does not read, by name, with a way to evidence that it reads."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TRUSS = "on that host take 'truss -c -p PID' and, for arguments, 'truss -v pollsys -p PID'"
_LIVE = "where eBPF works 'polltrace stat -p PID' counts live, elsewhere take 'strace -f -c -p PID'"
# Each line occurs in no output of strace or truss. perf's lines begin with blanks and times alike,
# so `perf trace -s` comes first.
_FORMS = (
    (
        "perf trace -s",
        re.compile(r"\s*Summary of events:|\s*syscall\s+calls\s+(errors\s+)?total\s+min\s+avg"),
        _LIVE,
    ),
    (
        "perf trace",
        re.compile(r"\s*(\d+\.\d+|\?) \(\s*(\d+\.\d+ ms)?\s*\): .*\w+\("),
        _LIVE,
    ),
    (
        "perf script",
        re.compile(r"\s*\S.*\s+\d+(/\d+)?\s+(\[\d+\] )?\S*\s*\d+\.\d+:\s+(\d+ )?[\w:/-]+:"),
        _LIVE,
    ),
    (
        "perf report",
        re.compile(r"# Samples: .* of event|# Overhead\s"),
        _LIVE,
    ),
    (
        "bpftrace",
        re.compile(r"@\w*(\[.*\])?: (\d+|count|\{|\(|$)|Attaching \d+ probes?"),
        _LIVE,
    ),
    (
        "pstack (one stack and no count of calls)",
        re.compile(r"\s*[0-9a-f]{8,16} \w+ +\(|-+\s+lwp# \d+ / thread# \d+|#\d+\s+0x[0-9a-f]+ in "),
        _TRUSS,
    ),
    (
        "pfiles",
        re.compile(r"\s+Current rlimit: \d+ file descriptors"),
        _TRUSS,
    ),
    (
        "dtrace",
        re.compile(r"dtrace: description |CPU\s+ID\s+FUNCTION:NAME"),
        _TRUSS,
    ),
)


def refusal(lines: Sequence[str], tool: str) -> str | None:
    """A sentence's end that names the tool which wrote the first `lines` of a text that is not
    `tool`'s, and the way out; None where no known tool did."""
    for name, form, way_out in _FORMS:
        if any(form.match(line) for line in lines):
            return f"is output of {name}, which polltrace does not read: {way_out}"
    for writer, sign in (("truss", _is_truss), ("strace", _is_strace)):
        if writer != tool and any(sign(line) for line in lines):
            return f"is output of {writer}: use --from-{writer}"
    return None


def _is_truss(line: str) -> bool:
    return bool(re.match(r"syscall\s+seconds\s+calls\s+errors\s*$", line)) or "\tErr#" in line


def _is_strace(line: str) -> bool:
    return bool(re.match(r"% time\s+seconds\s", line)) or bool(re.search(r"\) += -1 E[A-Z]", line))
