# SPDX-License-Identifier: GPL-2.0-or-later
"""Conversion of one probe's records to the file's entries and back.

The probe repeats all totals of every process in every frame. The file gets the changes: it omits a
process that did nothing since the last frame, and a stack that was not seen again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from polltrace.profiles.frames import Identity
from polltrace.recording.secrets import without_arguments

# The streams of a recording, each of one probe: every break poll counted, with stacks; stacks
# sampled on CPU; context switches followed (optional); the gaps between polls timed, for a second
# every few minutes; then the calls of the check function counted, for a moment.
COUNT, CPU, SWITCHES, GAPS, CHECKS = "count", "cpu", "switches", "gaps", "checks"


def identity_of(data: Mapping[str, Any]) -> Identity:
    return int(data["pid"]), int(data["start_ticks"])


def stack_key(stack: Mapping[str, Any]) -> tuple[Any, ...]:
    """The key that distinguishes a stack from the others of its process."""
    where = tuple(stack["addresses"]), tuple(stack.get("kernel", ()))
    walk = stack.get("hidden", ""), stack.get("found", ""), stack.get("stop", "")
    return stack["kind"], stack.get("state", ""), *walk, *where


class Stream:
    """Converts the records of one probe to entries."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._header: dict[str, Any] | None = None
        self._frame: dict[str, Any] | None = None
        self._about: dict[Identity, dict[str, dict[str, Any]]] = {}
        self._last: dict[Identity, dict[str, Any]] = {}

    def entry(self, record: dict[str, Any], at_s: float) -> dict[str, Any]:
        """The entry for a record; `at_s` is seconds since the recording began."""
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
        about = [record for records in self._about.values() for record in records.values()]
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
        previous = self._last.get(identity_of(process))
        self._last[identity_of(process)] = process
        if previous is None:
            return process
        if previous == process:
            return None
        if "stacks" not in process:
            return process
        previous_stacks = {stack_key(stack): stack for stack in previous.get("stacks", ())}
        new = [
            stack for stack in process["stacks"] if previous_stacks.get(stack_key(stack)) != stack
        ]
        return {**process, "stacks": new}


class Restored:
    """Restores frames from a file, their processes with all their stacks."""

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
        return {**record, "processes": [self._whole(process) for process in record["processes"]]}

    def _whole(self, process: dict[str, Any]) -> dict[str, Any]:
        if "stacks" not in process:
            return process
        stacks = self._stacks.setdefault(identity_of(process), {})
        for stack in process["stacks"]:
            stacks[stack_key(stack)] = stack
        return {**process, "stacks": list(stacks.values())}
