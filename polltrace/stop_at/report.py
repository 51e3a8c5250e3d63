# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stop-at`: a stack as pstack prints one, and how long the process was stopped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polltrace.printable import one_line
from polltrace.stacks import Frame
from polltrace.stop_at.arguments import arguments_of, call_text
from polltrace.stop_at.capture import Capture
from polltrace.stop_at.syscalls import name_of
from polltrace.stop_at.unwind import UnwoundStack


def stop_data(
    pid: int, title: str, capture: Capture, stack: UnwoundStack, frames: Sequence[Frame]
) -> dict[str, Any]:
    """The stop as JSON-ready data; addresses are hexadecimal text, times milliseconds."""
    polled = capture.polled
    return {
        "pid": pid,
        "tid": capture.tid,
        "command": title,
        "syscall": name_of(capture.number),
        "arguments": [hex(value) for value in arguments_of(capture)],
        "socket": polled
        and {"fd": polled.fd, "kind": polled.kind, "local": polled.local, "peer": polled.peer},
        "frames": [
            {
                "address": hex(frame.address),
                "function": frame.name if frame.named else None,
                "offset": frame.offset,
                "module": frame.module,
            }
            for frame in frames
        ],
        "whole": stack.whole,
        "by_frame_pointer": stack.by_pointer,
        "stopped_ms": capture.stopped_ns / 1e6,
        "other_stops": capture.other_stops,
        "other_stopped_ms": capture.other_stopped_ns / 1e6,
    }


def stop_text(
    pid: int, title: str, capture: Capture, stack: UnwoundStack, frames: Sequence[Frame]
) -> str:
    """The stop as text."""
    thread = f", thread {capture.tid}" if capture.tid != pid else ""
    lines = [f"{pid}: {one_line(title) or '?'}{thread}"]
    if polled := capture.polled:
        ends = f"{polled.local} <- {polled.peer}".strip()
        lines.append(f"break poll of fd {polled.fd}: {polled.kind} {ends}")
    first, *outer_frames = frames
    lines.append(f" {first.address:016x} {first}  {call_text(capture)}")
    lines += [f" {frame.address:016x} {frame}" for frame in outer_frames]
    if not stack.whole:
        lines.append(" (the stack goes on, but its next frame is not known)")
    if stack.by_pointer:
        lines.append(f"{stack.by_pointer} of {len(frames)} by frame pointer: no call frame rules.")
    lines.append("")
    stops = f"stopped for {capture.stopped_ns / 1e6:.3f} ms, runs on"
    if capture.other_stops:
        plural = "s" * (capture.other_stops != 1)
        stops += f"; {capture.other_stops:,} stop{plural} before, "
        stops += f"{capture.other_stopped_ns / 1e6:.3f} ms in all"
    return "\n".join([*lines, stops])
