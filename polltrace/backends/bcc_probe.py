#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Count polls by bcc, for kernels without type information but with their headers installed.

    /usr/bin/python3 bcc_probe.py -p PID[,PID...] [-i SECONDS] [-d SECONDS] [-c] [-f]

Prints the frames that polltrace-probe prints (probes/frames.schema.json), by its rules and with
its exit codes. It stands alone, with bcc_probe.bpf.c next to it: bcc's Python module comes with the
distribution's own Python, so this is run by that one, from 3.6 on, and imports nothing of ours.
"""

import argparse
import contextlib
import ctypes
import json
import os
import platform
import select
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Iterator  # noqa: UP035 - Python 3.6

USAGE, NOT_PERMITTED, LACKING, NO_PROCESS = 2, 3, 4, 5
PROCESSES, ENDS, CALLS = 8192, 16384, 65536
LOST = ("processes", "endpoints", "user_reads", "syscalls")
NEVER_LOST = ("stacks", "times", "kernel_stacks", "runs", "windows")
KINDS = {socket.AF_UNIX: "unix", socket.AF_INET: "tcp", socket.AF_INET6: "tcp6"}


class Failure(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def stat_fields(pid: int) -> "list[bytes] | None":
    """The fields of /proc/PID/stat from the state on; None when the process is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return None


def start_ticks(pid: int) -> "int | None":
    fields = stat_fields(pid)
    return int(fields[19]) if fields and fields[0] not in (b"Z", b"X") else None


def cpu_s(pid: int) -> "float | None":
    """CPU time of all threads of a process, in clock ticks of a hundredth of a second."""
    fields = stat_fields(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else None


def parts(path: str, end: bytes = b"\n") -> "list[str]":
    try:
        with open(path, "rb") as file:
            return [part.decode("utf-8", "replace") for part in file.read().split(end) if part]
    except OSError:
        return []


def status(pid: int) -> "dict[str, str]":
    lines = parts(f"/proc/{pid}/status")
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}


def process_record(pid: int, ticks: int) -> "dict[str, Any]":
    lines = status(pid)
    try:
        exe = os.readlink(f"/proc/{pid}/exe")
    except OSError:
        exe = ""
    return {
        "type": "process",
        "pid": pid,
        "start_ticks": ticks,
        "comm": lines.get("Name", ""),
        "cmdline": parts(f"/proc/{pid}/cmdline", b"\0"),
        "exe": exe,
        "uid": int(lines.get("Uid", "0").split()[0]),
        "ns_pid": int(lines.get("NSpid", str(pid)).split()[-1]),
        "parent": int(lines.get("PPid", "0")),
    }


def address(family: int, raw: "list[int]", port: int) -> str:
    if family == socket.AF_UNIX:
        return ""
    text = socket.inet_ntop(family, bytes(raw[: 4 if family == socket.AF_INET else 16]))
    return f"{text}:{port}" if family == socket.AF_INET else f"[{text}]:{port}"


def compiled(options: argparse.Namespace) -> Any:
    """The program, loaded and attached. Failure with the compiler's first words."""
    try:
        from bcc import BPF
    except ImportError:
        text = f"bcc's Python module is not installed for {sys.executable}"
        raise Failure(LACKING, text) from None
    room = {"PROCESSES": PROCESSES, "ENDS": ENDS, "CALLS": CALLS}
    flags = [f"-DMOST_{limit}={entries}" for limit, entries in room.items()]
    flags += ["-DSYSCALLS"] * options.syscalls + ["-DFOLLOW"] * options.follow
    if BPF.ksymname(b"bpf_probe_read_user") == -1:  # before Linux 5.5
        flags += [f"-Dbpf_probe_read_{side}=bpf_probe_read" for side in ("user", "kernel")]
    text = Path(__file__).resolve().with_suffix(".bpf.c").read_text(encoding="utf-8")
    with tempfile.TemporaryFile() as messages:
        try:
            with speaking_to(messages.fileno()):
                return BPF(text=text, cflags=flags)
        except Exception as error:
            messages.seek(0)
            lines = messages.read().decode("utf-8", "replace").splitlines()
            telling = [line for line in lines if "kernel headers" in line or "error:" in line]
            why = (telling or [str(error)])[0]
            raise Failure(LACKING, f"bcc cannot load the probe: {why}") from None


@contextlib.contextmanager
def speaking_to(fd: int) -> Iterator[None]:
    """stdout and stderr go to a file: the compiler writes pages to both."""
    saved = [os.dup(1), os.dup(2)]
    os.dup2(fd, 1)
    os.dup2(fd, 2)
    try:
        yield
    finally:
        ctypes.CDLL(None).fflush(None)  # bcc's own words, kept back in its C library
        for number, saved_fd in enumerate(saved, 1):
            os.dup2(saved_fd, number)
            os.close(saved_fd)


class PollCounter:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        # PID: start ticks, CPU seconds when first seen.
        self.seen: "dict[int, tuple[int, float]]" = {}
        self.gone: "set[int]" = set()
        for pid in options.pids:
            if start_ticks(pid) is None:
                raise Failure(NO_PROCESS, f"no such process: {pid}")
        self.bpf = compiled(options)
        table = self.bpf["totals"]
        for pid in options.pids:
            table[table.Key(pid)] = table.Leaf(0, 0)
        # Before the header: its reader may end us as soon as it is there.
        self.signalled: "list[bool]" = []
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self.signalled.append(True))
        self.began = time.monotonic()
        self.frames = 0
        header = {
            "type": "header",
            "format": 1,
            "probe": "bcc",
            "host": platform.node(),
            "kernel": platform.release(),
            "arch": platform.machine(),
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "mode": "syscalls" if options.syscalls else "count",
            "variant": "bcc",
            "reads": "helper",
            "interval_s": options.interval,
            "argv": sys.argv,
            "changed_only": False,
        }
        self.write(header)
        for pid in options.pids:
            self.meet(pid)

    @staticmethod
    def write(record: "dict[str, Any]") -> None:
        sys.stdout.write(json.dumps(record) + "\n")
        sys.stdout.flush()

    def meet(self, pid: int) -> bool:
        """Introduce a process at first sight of it; whether there is such a one."""
        ticks = start_ticks(pid)
        if pid in self.seen or ticks is None or status(pid).get("Tgid") != str(pid):
            return pid in self.seen
        self.seen[pid] = (ticks, cpu_s(pid) or 0.0)
        self.write(process_record(pid, ticks))
        return True

    def frame(self, final: bool) -> None:
        ends: "dict[int, list[tuple[Any, Any]]]" = {}
        calls: "dict[int, list[tuple[int, Any]]]" = {}
        processes = []
        for key, end in self.bpf["ends"].items():
            ends.setdefault(key.tgid, []).append((key, end))
        for key, call in self.bpf["calls"].items():
            calls.setdefault(key.tgid, []).append((key.nr, call))
        for key, counts in self.bpf["totals"].items():
            pid = key.value
            if not self.meet(pid):
                if not counts.break_polls + counts.other_polls:
                    continue  # a thread, or a child that is gone already
                self.seen[pid] = (0, 0.0)
            processes.append(self.counts(pid, counts, ends.get(pid, []), calls.get(pid, [])))
        lost = {LOST[k.value]: v.value for k, v in self.bpf["lost"].items()}
        lost.update(dict.fromkeys(NEVER_LOST, 0))
        record = {
            "type": "frame",
            "seq": self.frames,
            "t_s": round(time.monotonic() - self.began, 6),
            "final": final,
            "processes": processes,
            "lost": lost,
        }
        self.write(record)
        self.frames += 1
        for counts in processes:
            ended = start_ticks(counts["pid"]) != counts["start_ticks"]
            if ended and counts["pid"] not in self.gone:
                self.gone.add(counts["pid"])
                keys = ("pid", "start_ticks", "cpu_s", "break_polls", "other_polls")
                self.write(dict({name: counts[name] for name in keys}, type="exit"))

    def counts(
        self,
        pid: int,
        counts: Any,
        ends: "list[tuple[Any, Any]]",
        calls: "list[tuple[int, Any]]",
    ) -> "dict[str, Any]":
        ticks, start_cpu_s = self.seen[pid]
        latest = cpu_s(pid)
        record: "dict[str, Any]" = {
            "pid": pid,
            "start_ticks": ticks,
            "cpu_s": 0.0 if latest is None else round(latest - start_cpu_s, 6),
            "break_polls": counts.break_polls,
            "other_polls": counts.other_polls,
            "sockets": [
                {
                    "fd": key.fd,
                    "kind": KINDS[end.family],
                    "local": address(end.family, end.local, end.local_port),
                    "peer": address(end.family, end.peer, socket.ntohs(end.peer_port)),
                    "inode": key.inode,
                    "polls": end.polls,
                }
                for key, end in sorted(ends, key=lambda row: -row[1].polls)
            ],
        }
        if self.options.syscalls:
            from bcc.syscall import syscall_name

            record["syscalls"] = [
                {
                    "nr": nr,
                    "name": syscall_name(nr).decode("ascii", "replace").strip("[]: "),
                    "calls": call.calls,
                    "errors": call.errors,
                    "seconds": 0,
                }
                for nr, call in sorted(calls, key=lambda row: row[0])
            ]
        return record

    def run(self) -> str:
        """Frames until the time is over, all have ended, a signal comes, or nobody reads."""
        ends = self.began + (self.options.duration or float("inf"))
        reader = select.poll()
        reader.register(sys.stdout.fileno(), 0)  # errors are always reported
        due = self.began + self.options.interval
        while True:
            latest = time.monotonic()
            nap = min(due, ends) - latest
            if reader.poll(max(0, min(nap, 0.2)) * 1000):
                return "reader-gone"
            if self.signalled:
                return "signal"
            if time.monotonic() >= ends:
                return "duration"
            if all(start_ticks(pid) is None for pid in self.seen):
                return "targets-exited"
            if time.monotonic() >= due:
                self.frame(False)
                due += self.options.interval

    def finish(self, reason: str) -> None:
        self.frame(True)
        times = os.times()
        trailer = {
            "type": "trailer",
            "reason": reason,
            "frames": self.frames,
            "late_frames": 0,
            "self_cpu_s": round(times.user + times.system, 6),
        }
        self.write(trailer)


def pid_list(text: str) -> "list[int]":
    pids = [int(part) for part in text.split(",") if part.isdigit()]
    if len(pids) != len(text.split(",")) or not all(pids):
        raise argparse.ArgumentTypeError(f"{text!r} is not PID[,PID...]")
    return pids


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("-p", dest="pids", type=pid_list, default=[], metavar="PID[,PID...]")
    parser.add_argument("-i", dest="interval", type=float, default=1.0, metavar="SECONDS")
    parser.add_argument("-d", dest="duration", type=float, metavar="SECONDS")
    parser.add_argument("-c", dest="syscalls", action="store_true", help="every system call")
    parser.add_argument(
        "-f", dest="follow", action="store_true", help="and the processes they fork"
    )
    parser.add_argument("--check", action="store_true", help="only report whether it works here")
    options = parser.parse_args()
    try:
        if not options.check and not options.pids:
            raise Failure(USAGE, "no process given: use -p PID")
        if platform.machine() != "x86_64":
            raise Failure(LACKING, "the bcc probe is for x86-64")
        if os.geteuid() != 0:
            raise Failure(NOT_PERMITTED, "not permitted: run it as root")
        if options.check:
            compiled(options)
            print("yes")
            return 0
        probe = PollCounter(options)
        probe.finish(probe.run())
        return 0
    except BrokenPipeError:  # the reader has gone; text still in the buffer must not fail at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except Failure as failure:
        sys.stderr.write(f"bcc_probe: {failure}\n")
        return failure.code


if __name__ == "__main__":
    sys.exit(main())
