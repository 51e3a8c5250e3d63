# SPDX-License-Identifier: GPL-2.0-or-later
"""Beginnings and ends: of targets, of readers, of the probe itself."""

from __future__ import annotations

import array
import fcntl
import json
import os
import signal
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.probes.probe_process import LINUX, PROBE, Probe, Target, counts, read_line, total
from tests.waiting import PATIENCE_S, until

StartProbe = Callable[..., Probe]
StartTarget = Callable[..., Target]
# CAP_BPF, which Linux before 5.19 requires for reading a map.
MAPS = 0 if LINUX >= (5, 19) else 1 << 39


def capabilities(pid: int) -> dict[str, int]:
    status = Path(f"/proc/{pid}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    return {name: int(value, 16) for name, value in fields.items() if name.startswith("Cap")}


def ids() -> set[tuple[str, int]]:
    found = set()
    for kind in ("prog", "map"):
        done = subprocess.run(
            ["bpftool", "-j", kind, "show"], capture_output=True, text=True, check=True
        )
        found |= {(kind, item["id"]) for item in json.loads(done.stdout)}
    return found


def held_by(pid: int) -> set[tuple[str, int]]:
    """The programs and maps that a process holds: others load theirs meanwhile."""
    found = set()
    for info in Path(f"/proc/{pid}/fdinfo").iterdir():
        for line in info.read_text().splitlines():
            name, _, value = line.partition(":\t")
            if name in ("prog_id", "map_id"):
                found.add((name.removesuffix("_id"), int(value)))
    return found


def assert_vanish(mine: set[tuple[str, int]]) -> None:
    """The kernel frees programs and maps a little after their last user went."""
    until(lambda: not mine & ids(), f"still there, of {mine}")


def test_a_target_that_exits_is_reported_and_ends_the_probe(
    target: Target, start_probe: StartProbe
) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid))
    target.do(f"poll {fd} 2003 0")
    target.begin("exit 0")
    frame = probe.drain()
    assert counts(frame, target.pid)["break_polls"] == 2003
    (end,) = probe.of("exit")
    assert (end["pid"], end["break_polls"]) == (target.pid, 2003)
    assert end["cpu_s"] > 0
    assert probe.records[-1]["reason"] == "targets-exited"


def test_start_ticks_are_those_of_proc(target: Target, start_probe: StartProbe) -> None:
    fd = target.do("open tcp")
    stat = Path(f"/proc/{target.pid}/stat").read_text()
    probe = start_probe("-p", str(target.pid), "-f", "-i", "0.05")
    assert probe.read_until("process")["start_ticks"] == int(stat.rsplit(")", 1)[1].split()[19])
    # A child's are the kernel side's, and lie between its parent's and now.
    target.begin(f"forks {fd} 2000000011 1 1")
    child = probe.read_until("process")
    stat = Path(f"/proc/{child['pid']}/stat").read_text()
    os.kill(child["pid"], signal.SIGKILL)  # it has polled long enough
    assert child["start_ticks"] == int(stat.rsplit(")", 1)[1].split()[19])
    assert child["parent"] == target.pid
    target.finish()
    probe.stop()


def test_exec_keeps_the_process_and_reports_it_again(
    target: Target, start_probe: StartProbe, poller: Path
) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--stacks", "1")
    target.do(f"poll {fd} 211 0")
    assert target.do("exec other-name") == target.pid  # its "ready" line
    while "libc" not in str(probe.of("maps")[1:]):  # read again until the loader has mapped it
        probe.read_until("maps")
    target.do(f"poll {target.do('open tcp')} 223 0")
    found = counts(probe.stop(), target.pid)
    assert found["break_polls"] == 211 + 223
    first, second = probe.of("process")
    assert second["cmdline"] == ["other-name"]
    assert first["pid"] == second["pid"]
    assert str(poller) in {m["path"] for m in probe.of("maps")[1]["maps"]}
    assert {s["hidden"] for s in found["stacks"]} == {"recovered"}


def test_the_probe_ends_after_its_duration(target: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(target.pid), "-d", "0.1", "-i", "0.03")
    frame = probe.drain()
    assert probe.records[-1]["reason"] == "duration"
    assert 0.1 <= frame["t_s"] < 5


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_end_it_with_a_final_frame(
    number: signal.Signals, target: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(target.pid))
    probe.process.send_signal(number)
    probe.drain()
    assert probe.records[-1]["reason"] == "signal"


def test_the_probe_ends_at_once_when_its_reader_is_killed(target: Target, root: None) -> None:
    reader = subprocess.Popen(["sleep", "1000"], stdin=subprocess.PIPE)
    assert reader.stdin is not None
    probe = subprocess.Popen(
        [PROBE, "-p", str(target.pid), "-i", "1000"], stdout=reader.stdin, stderr=subprocess.PIPE
    )
    reader.stdin.close()
    until(lambda: capabilities(probe.pid)["CapPrm"] == MAPS, "attached and unprivileged")
    mine = held_by(probe.pid)
    assert mine
    reader.kill()
    reader.wait()
    assert probe.wait(PATIENCE_S) == 0  # not the thousand seconds to its next frame
    assert probe.stderr is not None
    assert probe.stderr.read() == b""
    probe.stderr.close()
    assert_vanish(mine)


def test_the_probe_ends_although_its_reader_has_stopped_reading(
    target: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(target.pid), "-i", "0.001", "--stacks", "1")
    stdout = probe.process.stdout
    assert stdout is not None
    pipe_size = fcntl.fcntl(stdout, fcntl.F_GETPIPE_SZ)

    before = -1

    def is_full() -> bool:
        """Nothing came within some frames' time. A frame goes whole into a page: some is unused."""
        nonlocal before
        held = array.array("i", [0])
        fcntl.ioctl(stdout, termios.FIONREAD, held)
        same, before = held[0] == before, held[0]
        time.sleep(0.1)
        return same and before > pipe_size // 2

    until(is_full, "a full pipe")
    probe.process.send_signal(signal.SIGTERM)
    assert probe.process.wait(PATIENCE_S) == 0


def test_a_killed_probe_leaves_no_bpf_programs(target: Target, start_probe: StartProbe) -> None:
    fd = target.do("open tcp")
    for _ in range(5):
        probe = start_probe("-p", str(target.pid))
        mine = held_by(probe.process.pid)
        assert mine
        target.begin(f"poll {fd} 20011 0")
        probe.process.kill()
        probe.process.wait()
        assert target.finish() == fd
        assert_vanish(mine)
    assert target.process.poll() is None


def test_privileges_are_given_up(target: Target, start_probe: StartProbe) -> None:
    read_others = 1 << 19 | 1 << 2  # CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH
    for options, kept in (([], 0), (["--stacks", "9"], read_others), (["--watch"], read_others)):
        probe = start_probe("-p", str(target.pid), *options)
        for name, held in capabilities(probe.process.pid).items():
            used = kept | MAPS if name in ("CapPrm", "CapEff") else kept
            assert held & ~used == 0, name
        assert "NoNewPrivs:\t1" in Path(f"/proc/{probe.process.pid}/status").read_text()
        probe.stop()


def test_processes_that_come_and_go_by_the_hundred(target: Target, start_probe: StartProbe) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "-f", "-i", "0.05", "--max-processes", "64")
    rounds, forks = 25, 10
    for done in range(1, rounds + 1):
        target.do(f"forks {fd} 1009 {forks} 1")
        while len(probe.of("exit")) < done * forks:
            probe.read()
        for _ in range(4):  # the slots are wiped two scans later
            probe.read_until("frame")
    frame = probe.stop()
    assert frame["lost"]["processes"] == 0
    assert total(probe) == rounds * 1009
    assert len(probe.of("exit")) == rounds * forks


def test_slots_that_are_full_are_counted_as_loss(target: Target, start_probe: StartProbe) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "-f", "--max-processes", "1", "-i", "100")
    target.do(f"forks {fd} 1009 60 1")
    frame = probe.stop()
    seen = len(frame["processes"]) - 1
    assert frame["lost"]["processes"] == 60 - seen > 0


def test_two_probes_do_not_disturb_each_other(target: Target, start_probe: StartProbe) -> None:
    fd = target.do("open tcp")
    first = start_probe("-p", str(target.pid))
    target.do(f"poll {fd} 401 0")
    second = start_probe("-p", str(target.pid), "-c")
    target.do(f"poll {fd} 409 0")
    assert counts(second.stop(), target.pid)["break_polls"] == 409
    target.do(f"poll {fd} 419 0")
    assert counts(first.stop(), target.pid)["break_polls"] == 401 + 409 + 419


def test_attach_is_cheap_small_and_static(target: Target, start_probe: StartProbe) -> None:
    """CPU time here, which other load does not stretch; the clock's in the long checks."""
    used = []
    for _ in range(5):
        probe = start_probe("-p", str(target.pid))
        status = Path(f"/proc/{probe.process.pid}/status").read_text()
        assert int(status.split("VmRSS:")[1].split()[0]) < 10 * 1024
        probe.stop()
        used.append(probe.records[-1]["self_cpu_s"])
    assert min(used) < 0.2
    assert PROBE.stat().st_size < 3 << 20
    ldd = subprocess.run(["ldd", PROBE], capture_output=True, text=True, check=False)
    assert "not a dynamic" in ldd.stderr


def test_in_a_pid_namespace_ids_are_the_namespaces(
    poller: Path, root: None, tmp_path: Path
) -> None:
    """The probe inside a container, and the container seen from outside."""
    script = f"""
    exec 3<>{tmp_path}/in 4<>{tmp_path}/out
    {poller} <&3 >&4 &
    read -r ready pid <&4
    echo "open tcp" >&3; read -r done fd <&4
    {PROBE} -p $pid -f -i 0.1 > {tmp_path}/frames &
    probe=$!
    until [ -s {tmp_path}/frames ]; do :; done
    echo "poll $fd 1213 0" >&3; read -r done x <&4
    echo "forks $fd 1217 2 1" >&3; read -r done x <&4
    kill $probe; wait $probe
    echo $pid
    """
    for name in ("in", "out"):
        os.mkfifo(tmp_path / name)
    done = subprocess.run(
        ["unshare", "--pid", "--fork", "--mount-proc", "bash", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    pid = int(done.stdout.split()[-1])
    records = [json.loads(line) for line in (tmp_path / "frames").read_text().splitlines()]
    frame = next(r for r in reversed(records) if r["type"] == "frame")
    assert counts(frame, pid)["break_polls"] == 1213
    ends = [r for r in records if r["type"] == "exit"]
    assert sum(e["break_polls"] for e in ends) == 1217
    assert all(e["pid"] < 100 for e in ends)


def test_a_process_in_a_pid_namespace_is_counted_from_outside(
    start_probe: StartProbe, poller: Path
) -> None:
    inner = subprocess.Popen(
        ["unshare", "--pid", "--fork", str(poller)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    try:
        assert read_line(inner.stdout).split() == ["ready", "1"]
        children = Path(f"/proc/{inner.pid}/task/{inner.pid}/children").read_text().split()
        probe = start_probe("-p", children[0])
        process = probe.read_until("process")
        assert (process["pid"], process["ns_pid"]) == (int(children[0]), 1)
        probe.stop()
    finally:
        assert inner.stdin is not None
        inner.stdin.close()
        inner.wait(PATIENCE_S)
        assert inner.stdout is not None
        inner.stdout.close()
