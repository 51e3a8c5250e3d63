# SPDX-License-Identifier: GPL-2.0-or-later
"""--plain-reads reaches every probe that a command starts, and counts as exactly."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.conftest import Run, Start
from tests.polltrace.exact_poller import BREAK_POLLS, OTHER_POLLS, exact_poller
from tests.waiting import PATIENCE_S, children, until

pytestmark = pytest.mark.usefixtures("probe", "quick_calibration")


@pytest.mark.parametrize(
    "words", [["record", "-p", "PID", "-o", "FILE"], ["top", "-b", "-d", "500ms"]]
)
@pytest.mark.parametrize("plain", [True, False])
def test_every_probe_is_given_it(
    start: Start, tmp_path: Path, words: list[str], plain: bool
) -> None:
    with exact_poller() as poller:
        names = {"PID": str(poller.pid), "FILE": str(tmp_path / "file")}
        given = [*(names.get(word, word) for word in words), *["--plain-reads"] * plain]
        process = start(*given)
        found = until(lambda: children(process.pid, "polltrace-probe"), "a probe")
        for probe in found:
            command = Path(f"/proc/{probe}/cmdline")
            # An exec sets the name first, and the words a moment later.
            options = until(command.read_text, "the probe's options").split("\0")
            assert ("--plain-reads" in options) == plain
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)


def test_it_counts_as_exactly(start: Start) -> None:
    with exact_poller() as poller:
        counting = start("stat", "-p", str(poller.pid), "--json", "--plain-reads")
        assert counting.stderr is not None
        assert "attached" in counting.stderr.readline()
        poller.poll()
        counting.send_signal(signal.SIGINT)
        output, _ = counting.communicate(timeout=PATIENCE_S)
    (process,) = json.loads(output)["processes"]
    assert (process["break_polls"], process["other_polls"]) == (BREAK_POLLS, OTHER_POLLS)


def test_it_is_the_probe_s_own(run: Run) -> None:
    ended = run("stat", "-p", "1", "--backend", "ptrace", "--plain-reads")
    assert ended.returncode == 2
    assert "--plain-reads is for the ebpf backend, not ptrace" in ended.stderr
