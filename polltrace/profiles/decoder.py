# SPDX-License-Identifier: GPL-2.0-or-later
"""Decoder of JSON lines to the records of the frame format.

A recording may come from anywhere: every count, address, number and text is checked to be one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from polltrace.errors import FrameError
from polltrace.profiles.frames import (
    FORMAT,
    Bucket,
    Burst,
    Exit,
    Header,
    Mapped,
    Maps,
    OffCpuTotals,
    OffTime,
    PollWindows,
    ProbeFrame,
    ProbeRecord,
    ProcessTotals,
    SocketPolls,
    Stack,
    Syscall,
    Trailer,
    WatchedProcess,
    WindowProducts,
)
from polltrace.stacks.walked import stop_named

_MALFORMED = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
_JSON = json.JSONDecoder()
_COUNTS = 1 << 64


def parse(line: str | bytes) -> ProbeRecord | None:
    """The record of one line; None for a type this release does not know.

    Raises FrameError for a text that is no record, or lacks a required field.
    """
    try:
        return record_of(_data(line))
    except _MALFORMED as error:
        raise _no_frame(line, error) from error


def data_of(line: str | bytes) -> dict[str, Any]:
    """The data of one line, to be kept as it is. Raises FrameError where there is no record, or a
    header of another format."""
    try:
        data = _data(line)
        if data["type"] == "header":
            _header(data)
    except _MALFORMED as error:
        raise _no_frame(line, error) from error
    return data


def record_of(data: Mapping[str, Any]) -> ProbeRecord | None:
    """The record of a line's data, as from `parse`. Raises ValueError, KeyError, TypeError too."""
    decode = _DECODERS.get(data["type"])
    return decode(data) if decode else None


def _data(line: str | bytes) -> dict[str, Any]:
    text = line.decode(errors="replace") if isinstance(line, bytes) else line
    data: dict[str, Any] = _JSON.decode(text)
    return data


def _no_frame(line: str | bytes, error: Exception) -> FrameError:
    start = max(0, error.pos - 40) if isinstance(error, json.JSONDecodeError) else 0
    return FrameError(
        f"not a frame of format {FORMAT} ({error!r:.200}): {line[start : start + 80]!r}"
    )


def _count(value: object) -> int:
    """A count or an address, as the kernel has them: 64 bits without a sign."""
    if type(value) is int and 0 <= value < _COUNTS:
        return value
    raise TypeError(f"no count: {value!r:.40}")


def _number(value: object) -> float:
    if (type(value) is float or type(value) is int) and math.isfinite(value):
        return value
    raise TypeError(f"no number: {value!r:.40}")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise TypeError(f"no text: {value!r:.40}")


def _counts(values: Iterable[object]) -> tuple[int, ...]:
    return tuple([_count(value) for value in values])


def _header(data: Mapping[str, Any]) -> Header:
    if data["format"] != FORMAT:
        raise FrameError(
            f"frames of format {data['format']!r:.40}, but this release reads format {FORMAT}: "
            "use polltrace and polltrace-probe of the same release"
        )
    texts = [_text(data[key]) for key in ("probe", "host", "kernel", "mode", "variant")]
    probe, host, kernel, mode, variant = texts
    attached_s = _number(data["attached_s"]) if "attached_s" in data else None
    return Header(probe, host, kernel, mode, variant, attached_s)


def _process(data: Mapping[str, Any]) -> WatchedProcess:
    cmdline = tuple([_text(word) for word in data["cmdline"]])
    return WatchedProcess(
        *_identity(data), _text(data["comm"]), cmdline, _text(data.get("exe", ""))
    )


def _identity(data: Mapping[str, Any]) -> tuple[int, int]:
    return _count(data["pid"]), _count(data["start_ticks"])


def _maps(data: Mapping[str, Any]) -> Maps:
    return Maps(*_identity(data), tuple([_mapped(mapping) for mapping in data["maps"]]))


def _mapped(data: Mapping[str, Any]) -> Mapped:
    start, end, offset = _counts((data["start"], data["end"], data["offset"]))
    return Mapped(start, end, offset, _text(data["path"]), _text(data.get("build_id", "")))


def _frame(data: Mapping[str, Any]) -> ProbeFrame:
    cost = data.get("own_cost", {})
    return ProbeFrame(
        _number(data["t_s"]),
        tuple([_totals(process) for process in data["processes"]]),
        {_text(kind): _count(lost) for kind, lost in data["lost"].items()},
        _number(cost.get("cpu_s", 0.0)),
        _number(cost["bpf_s"]) if "bpf_s" in cost else None,
    )


def _totals(data: Mapping[str, Any]) -> ProcessTotals:
    windows = data.get("windows", {})
    return ProcessTotals(
        *_identity(data),
        cpu_s=_number(data["cpu_s"]),
        break_polls=_count(data["break_polls"]),
        other_polls=_count(data["other_polls"]),
        sockets=tuple([_socket(record) for record in data.get("sockets", ())]),
        syscalls=tuple([_syscall(record) for record in data.get("syscalls", ())]),
        stacks=tuple([_stack(record) for record in data.get("stacks", ())]),
        gaps=_histogram(data, "gap"),
        durations=_histogram(data, "duration"),
        probe_s_per_poll=1e-9 * _number(windows.get("cost_ns", 0.0)),
        burst=_burst(data["burst"]) if "burst" in data else None,
        windows=_windows(windows) if "count" in windows else None,
        off_cpu=_off_cpu(data["off_cpu"]) if "off_cpu" in data else None,
        calls_32bit=_count(data.get("calls_32bit", 0)),
    )


def _histogram(data: Mapping[str, Any], of: str) -> tuple[Bucket, ...]:
    return tuple([Bucket(*_counts(row)) for row in data.get("times_ns", {}).get(of, ())])


def _socket(data: Mapping[str, Any]) -> SocketPolls:
    local, peer = _text(data.get("local", "")), _text(data.get("peer", ""))
    return SocketPolls(_count(data["fd"]), _text(data["kind"]), local, peer, _count(data["polls"]))


def _syscall(data: Mapping[str, Any]) -> Syscall:
    nr, calls, errors = _counts((data["nr"], data["calls"], data["errors"]))
    return Syscall(nr, _text(data["name"]), calls, errors)


def _stack(data: Mapping[str, Any]) -> Stack:
    return Stack(
        _text(data["kind"]),
        _count(data["count"]),
        bool(data.get("truncated", False)),
        _counts(data["addresses"]),
        _text(data.get("hidden", "unknown")),
        _counts(data.get("kernel", ())),
        _count(data.get("polls", 0)),
        _off_time(data) if "blocked_ns" in data else None,
        _text(data.get("found", "")),
        stop_named(_text(data.get("stop", "depth" if data.get("truncated") else "unknown"))),
    )


def _off_time(data: Mapping[str, Any]) -> OffTime:
    keys = ("blocked_ns", "queued_ns", "open", "before")
    return OffTime(_text(data["state"]), *[_count(data[key]) for key in keys])


def _off_cpu(data: Mapping[str, Any]) -> OffCpuTotals:
    lives = ("threads", "thread_ns", "cpu_ns", "on_cpu_ns", "blocked_ns", "queued_ns")
    return OffCpuTotals(*[_count(data[key]) for key in (*lives, "switches", "open")])


def _burst(data: Mapping[str, Any]) -> Burst:
    calls, polls = _count(data["calls"]), _count(data["break_polls"])
    return Burst(calls, polls, _number(data["seconds"]), _text(data.get("error", "")))


def _windows(data: Mapping[str, Any]) -> PollWindows:
    return PollWindows(
        _count(data["count"]),
        polls=_number(data["polls"]),
        seconds=_number(data["seconds"]),
        cpu_s=_number(data["cpu_s"]),
        displaced_s=_number(data["displaced_s"]),
        squares=_products(data, "squares"),
        neighbours=_products(data, "neighbours"),
        stolen=min(0.9, _number(data.get("stolen", 0.0))),
    )


def _products(data: Mapping[str, Any], key: str) -> WindowProducts | None:
    if key not in data:
        return None
    polls, cross, cpu = map(_number, data[key])
    return WindowProducts(polls, cross, cpu)


_DECODERS: dict[str, Callable[[Mapping[str, Any]], ProbeRecord]] = {
    "header": _header,
    "process": _process,
    "maps": _maps,
    "frame": _frame,
    "exit": lambda data: Exit(*_identity(data), _number(data["t_s"]) if "t_s" in data else None),
    "trailer": lambda data: Trailer(_text(data["reason"]), _number(data.get("self_cpu_s", 0.0))),
}
