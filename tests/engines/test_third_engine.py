# SPDX-License-Identifier: GPL-2.0-or-later
"""An engine of one's own takes one file and no code; programs of no engine show no check."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from polltrace.backends.ebpf import EbpfProbe
from tests.conftest import POLLTRACE, missing
from tests.engines.test_schema import MADE_UP
from tests.probes.conftest import TARGETS, why_no_bpf
from tests.probes.probe_process import Target, read_line


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Target]:
    if why := why_no_bpf():
        missing(why)
    program = tmp_path / "madeupd"
    subprocess.run(["gcc", "-O1", str(TARGETS / "checker.c"), "-o", str(program)], check=True)
    shell = f"exec -a 'madeup: sales local busy' {program}"
    running = Target.start(Path("/bin/bash"), "env", "-i", "bash", "-c", shell, "--")
    yield running
    running.close()


def test_one_file_makes_a_third_engine(server: Target, tmp_path: Path) -> None:
    file = tmp_path / "made.toml"
    file.write_text(MADE_UP)
    command = [
        POLLTRACE,
        "stat",
        "-p",
        str(server.pid),
        "--engine",
        str(file),
        "-d",
        "1h",
        "--json",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as stat:
        assert "attached" in read_line(stat.stderr)
        server.do("recv 101")
        server.do("select 103")
        server.do("epoll 107")
        server.do("poll 109")
        stat.terminate()
        out, _ = stat.communicate()
    (process,) = json.loads(out)["processes"]
    assert (process["break_polls"], process["other_polls"]) == (101 + 103, 107 + 109)

    listed = subprocess.run(
        [POLLTRACE, "ps", "--engine", str(file), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    (session,) = [s for s in json.loads(listed.stdout)["sessions"] if s["pid"] == server.pid]
    assert (session["engine"], session["instance"], session["local"]) == (
        "Made-up DB",
        "sales",
        True,
    )
    assert session["break_mode"] in ("not checking", "unknown")


@pytest.mark.parametrize(
    ("change", "error"),
    [("", "cannot read"), ("nonsense = 1\n", "nonsense: no such key; known are")],
)
def test_a_file_that_is_wrong_ends_the_command(change: str, error: str, tmp_path: Path) -> None:
    file = tmp_path / "made.toml"
    if change:
        file.write_text(change + MADE_UP)
    ended = subprocess.run(
        [POLLTRACE, "ps", "--engine", str(file)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 8
    (line,) = ended.stderr.splitlines()
    assert str(file) in line
    assert error in line


PROGRAMS = {
    "python": (
        sys.executable,
        "-c",
        """
import asyncio, socket, sys
a, b = socket.socketpair()
async def main():
    await asyncio.open_connection(sock=a)
    print('go', flush=True)
    while True:
        await asyncio.sleep(0)
asyncio.run(main())
""",
    ),
    "node": (
        "node",
        "-e",
        """
const net = require('net');
const server = net.createServer(() => {}).listen(0, '127.0.0.1', () => {
  net.connect(server.address().port, '127.0.0.1', () => {
    console.log('go');
    const again = () => setImmediate(again);
    again();
  });
});
""",
    ),
}


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_program_of_no_engine_shows_no_check(name: str) -> None:
    """Event loops that wait for nothing on sets that hold connected sockets, without an end."""
    if why := why_no_bpf():
        missing(why)
    if not shutil.which(PROGRAMS[name][0]):
        pytest.skip(f"no {name} here")
    with subprocess.Popen(PROGRAMS[name], stdout=subprocess.PIPE, bufsize=0) as program:
        try:
            assert "go" in read_line(program.stdout)
            with EbpfProbe([program.pid]) as probe:
                for record in probe.records():
                    if getattr(record, "processes", ()) and record.processes[0].other_polls > 100:  # type: ignore[union-attr]
                        break
                totals = probe.stop().only()
        finally:
            program.kill()
    assert totals.break_polls == 0
    assert totals.other_polls > 100
