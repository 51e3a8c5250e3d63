# SPDX-License-Identifier: GPL-2.0-or-later
"""One probe's records on their way into a file, and out of it again.

The probe repeats in every frame all that it knows of every process. The file gets the changes: it
leaves out a process that did nothing since the last frame, and a stack that was not seen again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from polltrace.profiles.frames import Identity
from polltrace.recording.secrets import without_arguments

# The streams of a recording, by what their probe measures: it counts every break poll, with stacks;
# samples stacks on CPU; follows context switches, where that was asked for; times the gaps between
# polls, for a second now and then; then counts the calls of the check function, for a moment.
COUNT, CPU, SWITCHES, GAPS, CHECKS = "count", "cpu", "switches", "gaps", "checks"


def identity_of(data: Mapping[str, Any]) -> Identity:
    return int(data["pid"]), int(data["start_ticks"])


def stack_key(stack: Mapping[str, Any]) -> tuple[Any, ...]:
    """The key that distinguishes a stack from the others of its process."""
    where = tuple(stack["addresses"]), tuple(stack.get("kernel", ()))
    return stack["kind"], stack.get("state", ""), *where


class Stream:
    """Takes in the records of one probe and returns the entries to be written."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._header: dict[str, Any] | None = None
        self._frame: dict[str, Any] | None = None
        self._about: dict[Identity, dict[str, dict[str, Any]]] = {}
        self._last: dict[Identity, dict[str, Any]] = {}

    def entry(self, record: dict[str, Any], at_s: float) -> dict[str, Any]:
        """The record as the file has it; `at_s` is seconds since the recording began."""
        kind = record["type"]
        if kind == "header":
            self._header = record
        elif kind == "process":
            record = without_arguments(record)
        if kind in ("process", "maps"):
            self._about.setdefault(identity_of(record), {})[kind] = record
        elif kind == "exit":
            self._about.pop(identity_of(record), None)
            self._last.pop(identity_of(record), None)
        elif kind == "frame":
            record = self._changed(record)
        return {"type": "probe", "stream": self.name, "at_s": at_s, "record": record}

    def opening(self, at_s: float) -> Iterator[dict[str, Any]]:
        """The records that make a new file complete; its totals count from the base frame on."""
        about = [record for each in self._about.values() for record in each.values()]
        for record in [self._header, *about]:
            if record is not None:
                yield {"type": "probe", "stream": self.name, "at_s": at_s, "record": record}
        if self._frame is not None:
            base = {**self._frame, "processes": list(self._last.values())}
            yield {"type": "base", "stream": self.name, "at_s": at_s, "record": base}

    def _changed(self, frame: dict[str, Any]) -> dict[str, Any]:
        self._frame = {**frame, "processes": []}
        return {**frame, "processes": list(filter(None, map(self._news, frame["processes"])))}

    def _news(self, process: dict[str, Any]) -> dict[str, Any] | None:
        before = self._last.get(identity_of(process))
        self._last[identity_of(process)] = process
        if before is None:
            return process
        if before == process:
            return None
        if "stacks" not in process:
            return process
        known = {stack_key(stack): stack for stack in before.get("stacks", ())}
        new = [each for each in process["stacks"] if known.get(stack_key(each)) != each]
        return {**process, "stacks": new}


class Restored:
    """The reverse: frames from a file, their processes with all their stacks again."""

    def __init__(self) -> None:
        self._stacks: dict[Identity, dict[tuple[Any, ...], dict[str, Any]]] = {}

    def record(self, record: dict[str, Any]) -> dict[str, Any]:
        """A record of the probe, complete except for the processes that did nothing.

        Raises one of fold.MALFORMED for a malformed record.
        """
        if record["type"] == "exit":
            self._stacks.pop(identity_of(record), None)
        if record["type"] != "frame":
            return record
        return {**record, "processes": [self._whole(each) for each in record["processes"]]}

    def _whole(self, process: dict[str, Any]) -> dict[str, Any]:
        if "stacks" not in process:
            return process
        known = self._stacks.setdefault(identity_of(process), {})
        for stack in process["stacks"]:
            known[stack_key(stack)] = stack
        return {**process, "stacks": list(known.values())}
