# SPDX-License-Identifier: GPL-2.0-or-later
"""The caller that libc's waiting functions hide from a walk along frame pointers.

On this distribution's own libc, shared and static, on its plain and its cancellable path; and on
functions as glibc has them, built with and without CET padding.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from polltrace.stacks import Symbolizer
from tests.probes.probe_process import Probe, Record, counts, read_line

TARGETS = Path(__file__).parent / "targets"
WAITING = ("poll", "ppoll", "select", "epoll_wait", "read", "recv")
FRAME_POINTERS = ("-fno-omit-frame-pointer", "-fno-optimize-sibling-calls")
ENDBR64 = b"\xf3\x0f\x1e\xfa"
SYSCALL = b"\x0f\x05"

StartProbe = Callable[..., Probe]


def compiled(output: Path, source: str, *flags: str) -> Path:
    subprocess.run(
        [
            *("gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-pthread"),
            *(str(TARGETS / source), *flags, "-o", str(output)),
        ],
        check=True,
    )
    return output


def own_libc(folder: Path, cet: str) -> list[str]:
    """Linker arguments by which the wrappers of wrappers.c come before libc's."""
    library = compiled(
        folder / "libc.so.own",
        "wrappers.c",
        *("-O2", "-fomit-frame-pointer", "-fno-builtin", "-fPIC", "-shared"),
        f"-fcf-protection={cet}",
    )
    return [str(library), f"-Wl,-rpath,{folder}"]


@contextmanager
def running(executable: Path, *arguments: str) -> Iterator[int]:
    with subprocess.Popen([executable, *arguments], stdout=subprocess.PIPE, bufsize=0) as process:
        try:
            assert read_line(process.stdout) == "ready\n"
            yield process.pid
        finally:
            process.kill()


def in_system_call(pid: int, address: int) -> bool:
    """Whether a thread that stands at `address` has just made a system call."""
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        memory.seek(address - len(SYSCALL))
        return memory.read(len(SYSCALL)) == SYSCALL


def prove(start_probe: StartProbe, pid: int) -> None:
    """Samples until each function was caught in its system call often; all have their caller."""
    probe = start_probe("-p", str(pid), "--watch", "--hz", "4999", "-i", "0.3")
    names = Symbolizer()
    names.user(pid, [])

    def each_was_caught(frame: Record) -> bool:
        seen: Counter[str] = Counter()
        for stack in counts(frame, pid).get("stacks", []):
            frames = names.user(pid, stack["addresses"])
            called = [frame.name.lstrip("_") for frame in frames]  # __ppoll in the static one
            if called[0] not in WAITING or not in_system_call(pid, frames[0].address):
                continue
            assert stack["hidden"] == "recovered", called
            assert called[:3] == [called[0], f"calls_{called[0]}", "main"]
            seen[called[0]] += stack["count"]
        return all(seen[function] >= 5 for function in WAITING)

    probe.wait_for("frame", each_was_caught)
    probe.stop()


@pytest.mark.parametrize("threads", [(), ("two",)], ids=["plain", "cancellable"])
@pytest.mark.parametrize("link", ["shared", "static"])
def test_hidden_callers_of_this_libcs_waiting_calls_are_recovered(
    link: str, threads: tuple[str, ...], tmp_path: Path, start_probe: StartProbe
) -> None:
    static = ("-static",) if link == "static" else ()
    target = compiled(tmp_path / "waiter", "waiter.c", "-O1", *FRAME_POINTERS, *static)
    with running(target, *threads) as pid:
        prove(start_probe, pid)


@pytest.mark.parametrize("many", [0, 1], ids=["plain", "cancellable"])
@pytest.mark.parametrize("cet", ["none", "full"])
def test_wrappers_with_and_without_cet_padding(
    cet: str, many: int, tmp_path: Path, start_probe: StartProbe
) -> None:
    target = compiled(
        tmp_path / "waiter",
        "waiter.c",
        *("-O1", *FRAME_POINTERS, f"-fcf-protection={cet}", f"-DWRAPPERS={many}"),
        *own_libc(tmp_path, cet),
    )
    assert (first_bytes(tmp_path / "libc.so.own") == ENDBR64) == (cet == "full")
    with running(target) as pid:
        prove(start_probe, pid)


def first_bytes(library: Path) -> bytes:
    """Of poll's code, as the linker laid it out; not loaded, or this process had two libcs."""
    with library.open("rb") as file:
        elf = ELFFile(file)
        symbols = elf.get_section_by_name(".dynsym")
        assert isinstance(symbols, SymbolTableSection)
        symbol = next(s for s in symbols.iter_symbols() if s.name == "poll")
        (offset,) = elf.address_offsets(symbol["st_value"], 4)
        file.seek(offset)
        return bytes(file.read(4))
