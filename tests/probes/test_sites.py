# SPDX-License-Identifier: GPL-2.0-or-later
"""Where libc's return addresses lie, against pyelftools and against damaged files."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from elftools.dwarf.callframe import FDE
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.probes.probe_process import ROOT

WAITING = {"poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait", "read"}
WAITING |= {"recv", "recvfrom", "recvmsg"}
# Off CPU.
WAITING |= {"clock_nanosleep", "syscall", "semop", "semtimedop", "write", "send", "sendto"}
WAITING |= {"sendmsg", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "fsync"}
WAITING |= {"fdatasync", "accept", "accept4", "connect", "wait4", "msgrcv", "flock", "recvmmsg"}
RBP, RSP, KEPT = 6, 7, -1

Site = tuple[int, int]
"""Where the return address and the caller's frame pointer lie, from rsp."""


@pytest.fixture(scope="session")
def list_sites(built: None) -> Path:
    subprocess.run(["make", "-s", "-C", str(ROOT / "probes"), "check"], check=True)
    return Path(ROOT / "probes" / "build" / "list-sites")


def libc() -> Path:
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = Path(line.split(maxsplit=5)[-1])
        if path.name.startswith("libc.so") or path.name.startswith("libc-2"):
            return path
    pytest.skip("no glibc here")


def expected_sites(path: Path) -> dict[int, Site]:
    """The same by way of pyelftools: by the address behind the system call."""
    found = {}
    with path.open("rb") as file:
        elf = ELFFile(file)
        tables = [e for e in elf.get_dwarf_info().EH_CFI_entries() if isinstance(e, FDE)]
        symbols = elf.get_section_by_name(".dynsym")
        assert isinstance(symbols, SymbolTableSection)
        for symbol in symbols.iter_symbols():
            if symbol.name not in WAITING or symbol["st_info"]["type"] != "STT_FUNC":
                continue
            start, size = symbol["st_value"], symbol["st_size"]
            segment = next(
                s
                for s in elf.iter_segments("PT_LOAD")
                if s["p_vaddr"] <= start < s["p_vaddr"] + s["p_filesz"]
            )
            file.seek(segment["p_offset"] + start - segment["p_vaddr"])
            code = file.read(size)
            (entry,) = [
                e
                for e in tables
                if e.header["initial_location"]
                <= start
                < e.header["initial_location"] + e.header["address_range"]
            ]
            at = code.find(b"\x0f\x05")
            while at >= 0:
                row = [r for r in entry.get_decoded().table if r["pc"] <= start + at][-1]
                assert row["cfa"].reg == RSP
                saved = row["cfa"].offset + row[RBP].arg if RBP in row else KEPT
                found[start + at + 2] = (row["cfa"].offset - 8, saved)
                at = code.find(b"\x0f\x05", at + 1)
    return found


def run(list_sites: Path, *files: Path) -> dict[int, Site]:
    done = subprocess.run([list_sites, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    sites = (line.split() for line in done.stdout.splitlines())
    return {int(after, 16): (int(caller), int(frame)) for after, caller, frame in sites}


def test_the_same_sites_as_pyelftools_finds(list_sites: Path) -> None:
    expected = expected_sites(libc())
    assert len(expected) >= 4  # poll and ppoll, the plain path and the cancellable
    assert {frame == KEPT for _, frame in expected.values()} == {True, False}
    assert run(list_sites, libc()) == expected


def test_damaged_elf_files_do_not_crash_the_reader(list_sites: Path, tmp_path: Path) -> None:
    """Headers, section tables and .eh_frame, under AddressSanitizer."""
    whole = libc().read_bytes()
    draw = random.Random(3)
    sections = int.from_bytes(whole[40:48], "little")
    with libc().open("rb") as file:
        section = ELFFile(file).get_section_by_name(".eh_frame")
        assert section is not None
        frames = int(section["sh_offset"])
    files = []
    for number in range(60):
        damaged = bytearray(whole)
        for low, high in ((0, 1024), (sections, len(whole)), (frames, frames + 4096)):
            for _ in range(draw.randrange(1, 12)):
                damaged[draw.randrange(low, high)] = draw.randrange(256)
        damaged[:20] = whole[:20]  # still an ELF file
        if number % 3 == 0:
            del damaged[draw.randrange(64, len(whole)) :]
        files.append(tmp_path / str(number))
        files[-1].write_bytes(damaged)
    run(list_sites, *files)
    run(list_sites, Path("/dev/null"), Path("/etc/passwd"), tmp_path)
