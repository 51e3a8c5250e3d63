# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes that come and go, and PIDs that are used again: no two are ever mixed up."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polltrace import procfs
from tests.conftest import POLLTRACE, missing
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("probe", "quick_calibration")

LAST_PID = Path("/proc/sys/kernel/ns_last_pid")
IDLE, BUSY = "read never", "while :; do :; done"


@pytest.fixture
def oracle(tmp_path: Path) -> str:
    """A shell that is called as Oracle's executable is."""
    return str(shutil.copy("/bin/sh", tmp_path / "oracle"))


@contextlib.contextmanager
def server(oracle: str, instance: str, does: str) -> Iterator[subprocess.Popen[bytes]]:
    title = f"oracle{instance} (LOCAL=NO)"
    process = subprocess.Popen([title, "-c", does], executable=oracle, stdin=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


class Watched:
    """`polltrace top` in the background; every row that it showed."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        command = [POLLTRACE, "top", "-b", "--json", "-d", "0.2", "--no-gaps"]
        self._top = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        assert self._top.stdout is not None
        for line in self._top.stdout:
            self.rows += json.loads(line)["servers"]

    def until(self, above_cpu_pct: float = -1, **wanted: Any) -> dict[str, Any]:
        """The first row with these."""

        def shown() -> dict[str, Any] | None:
            found = (row for row in list(self.rows) if wanted.items() <= row.items())
            return next((row for row in found if (row["cpu_pct"] or 0) > above_cpu_pct), None)

        return until(shown, f"a row with {wanted}")

    def count(self, pid: int, instance: str) -> int:
        """How many rows it has shown of this one."""
        rows = list(self.rows)
        return sum((row["pid"], row["instance"]) == (pid, instance) for row in rows)

    def end(self) -> None:
        self._top.terminate()
        self._thread.join()
        self._top.wait()


@pytest.fixture
def watched() -> Iterator[Watched]:
    top = Watched()
    yield top
    top.end()


def short_lived(watched: Watched) -> dict[tuple[int, int], str]:
    """Those that it showed, by PID and start."""
    return {
        (row["pid"], row["start_ticks"]): row["instance"]
        for row in list(watched.rows)
        if row["instance"].startswith("N")
    }


def test_a_reused_pid_is_another_server(oracle: str, watched: Watched) -> None:
    if not LAST_PID.exists():
        missing("this kernel does not let a PID be chosen (CONFIG_CHECKPOINT_RESTORE)")
    with server(oracle, "OLD", BUSY) as old:
        pid, before = old.pid, procfs.start_ticks(old.pid)
        watched.until(pid=pid, instance="OLD", above_cpu_pct=1)
        # So that it has used CPU that could be taken for another's.
        until(lambda: (procfs.cpu_s(pid) or 0) > 1, "a second of CPU")
    for _ in range(500):
        LAST_PID.write_text(str(pid - 1))
        with server(oracle, "NEW", IDLE) as new:
            if new.pid == pid:
                after = procfs.start_ticks(pid)
                watched.until(pid=pid, instance="NEW")
                until(lambda: watched.count(pid, "NEW") >= 5, "five rows of the new one")
                break
    else:
        missing("others took the PID, every time")
    watched.end()
    mine = [row for row in watched.rows if row["pid"] == pid]
    assert {(row["start_ticks"], row["instance"]) for row in mine} == {
        (before, "OLD"),
        (after, "NEW"),
    }
    # A second over the six that a rate is taken over would be sixteen per cent.
    assert max(row["cpu_pct"] or 0.0 for row in mine if row["instance"] == "NEW") < 10


def test_servers_that_come_and_go_all_the_time(oracle: str, watched: Watched) -> None:
    there: dict[tuple[int, int], str] = {}
    with server(oracle, "STAYS", IDLE) as stays:
        watched.until(pid=stays.pid)

        def come_and_go() -> bool:
            """Whether more of them have been shown than those of one moment."""
            with contextlib.ExitStack() as ending:
                for number in range(7):
                    instance = f"N{len(there)}"
                    process = ending.enter_context(
                        server(oracle, instance, BUSY if number == 0 else IDLE)
                    )
                    ticks = procfs.start_ticks(process.pid)
                    assert ticks is not None
                    there[process.pid, ticks] = instance
                time.sleep(1.2)
            return len(short_lived(watched)) > 14

        until(come_and_go, "fifteen that came and went")
        watched.until(pid=stays.pid)
    watched.end()
    shown = short_lived(watched)
    assert shown.items() <= there.items()
