# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of a live process's own addresses, over every way an executable can be built and lie."""

from __future__ import annotations

import lzma
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polltrace.stacks import AddressSpace, ProcessError, Symbolizer
from polltrace.stacks.objects import load_object, open_mapped
from polltrace.stacks.source import FileSource
from tests.waiting import PATIENCE_S

Build = Callable[..., Path]
Run = Callable[..., Any]
Tool = Callable[..., None]

CHAIN = ["waits_for_end", "calls_last", "hidden_step", "exported_step", "outermost_step", "main"]
EXPORTED = [n for n in CHAIN if n not in ("calls_last", "hidden_step")]
KINDS = {
    "pie": ("-fPIE", "-pie"),
    "non-pie": ("-fno-PIE", "-no-pie"),
    "static": ("-fno-PIE", "-static"),
    "static-pie": ("-fPIE", "-static-pie"),
    "old-hash": ("-fPIE", "-pie", "-Wl,--hash-style=sysv"),
}


def names(pid: int, addresses: list[int]) -> list[str]:
    return [f.name for f in Symbolizer().user(pid, addresses)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_frame_is_named(kind: str, build: Build, run: Run) -> None:
    target = build("chain", *KINDS[kind])
    running = run(target)
    frames = Symbolizer().user(running.pid, running.addresses)
    assert [f.name for f in frames] == CHAIN
    assert frames[0].offset == 1
    assert {f.module for f in frames} == {str(target)}
    assert [f.address for f in frames] == running.addresses


def test_return_address_behind_its_function(build: Build, run: Run) -> None:
    """The address calls_last left lies in the next function: only the byte before is right."""
    running = run(build("chain"))
    one_too_far = running.addresses[1]
    assert names(running.pid, [0, one_too_far])[1] == "calls_last"
    assert names(running.pid, [one_too_far])[0] != "calls_last"


def test_signal_trampoline(build: Build, run: Run) -> None:
    """Nothing called it, so the byte before it is not part of the stack."""
    running = run(build("signalled", "-static"))
    assert names(running.pid, running.addresses) == ["on_signal", "__restore_rt"]


@pytest.mark.parametrize("hash_style", ["gnu", "sysv"])
@pytest.mark.parametrize("headers", ["section headers", "no section headers"])
def test_stripped_keeps_exported_names_and_notes_the_rest(
    headers: str, hash_style: str, build: Build, run: Run, tool: Tool
) -> None:
    target = build("chain", "-rdynamic", f"-Wl,--hash-style={hash_style}")
    tool("strip", target)
    if headers == "no section headers":
        image = bytearray(target.read_bytes())
        image[0x28:0x30] = bytes(8)  # e_shoff
        image[0x3C:0x40] = bytes(4)  # e_shnum, e_shstrndx
        target.write_bytes(image)
    running = run(target)
    frames = Symbolizer().user(running.pid, running.addresses)
    assert [f.name for f in frames if f.named] == EXPORTED
    base = AddressSpace.of(running.pid).mapping(running.addresses[0])
    assert base is not None
    for frame in frames:
        if not frame.named:
            at = frame.address - base.start + base.offset
            assert frame.name == f"[chain+{at:#x}]"
            assert frame.offset == at


def stripped(target: Path, debug: Path, tool: Tool) -> Path:
    """Take a program's debug information out of it, into a file of its own."""
    tool("objcopy", "--only-keep-debug", target, debug)
    tool("strip", target)
    return debug


def test_debuglink(build: Build, run: Run, tool: Tool) -> None:
    target = build("chain", "-Wl,--build-id=none")
    debug = stripped(target, target.with_name("chain.debug"), tool)
    tool("objcopy", f"--add-gnu-debuglink={debug}", target)
    running = run(target)
    assert names(running.pid, running.addresses) == CHAIN

    # One whose CRC is not the one in the link belongs to another program.
    content = debug.read_bytes()
    debug.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert "hidden_step" not in names(running.pid, running.addresses)

    # In the subdirectory of gdb's convention.
    debug.unlink()
    (target.parent / ".debug").mkdir()
    (target.parent / ".debug" / "chain.debug").write_bytes(content)
    assert names(running.pid, running.addresses) == CHAIN


def test_debuglink_with_build_id(build: Build, run: Run, tool: Tool) -> None:
    """The build-id decides where there is one: a CRC of hundreds of megabytes takes too long."""
    target = build("chain", "-Wl,--build-id=0x0123456789")
    debug = stripped(target, target.with_name("chain.debug"), tool)
    tool("objcopy", f"--add-gnu-debuglink={debug}", target)
    running = run(target)
    assert names(running.pid, running.addresses) == CHAIN
    content = debug.read_bytes()
    debug.write_bytes(content.replace(bytes.fromhex("0123456789"), bytes.fromhex("1123456789")))
    assert "hidden_step" not in names(running.pid, running.addresses)


def test_debug_file_by_build_id(build: Build, tool: Tool, tmp_path: Path) -> None:
    target = build("chain", "-Wl,--build-id=0x0123456789")
    debug_file = tmp_path / "usr/lib/debug/.build-id/01/23456789.debug"
    debug_file.parent.mkdir(parents=True)
    stripped(target, debug_file, tool)
    found = load_object(FileSource(str(target)), str(target), (str(tmp_path),))
    assert {"calls_last", "hidden_step"} <= {found.table.name(i) for i in range(len(found.table))}
    without = load_object(FileSource(str(target)), str(target), ())
    assert "hidden_step" not in {without.table.name(i) for i in range(len(without.table))}


@pytest.mark.parametrize(
    ("variable", "below"),
    [
        ("DEBUGINFOD_CACHE_PATH", ""),
        ("XDG_CACHE_HOME", "debuginfod_client"),
        ("HOME", ".cache/debuginfod_client"),
        ("HOME", ".debuginfod_client_cache"),
    ],
)
def test_debug_file_in_the_cache_of_debuginfod(
    variable: str, below: str, build: Build, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that was downloaded before is used; nothing is downloaded."""
    target = build("chain", "-Wl,--build-id=0x0123456789")
    home = target.parent
    for name in ("DEBUGINFOD_CACHE_PATH", "XDG_CACHE_HOME", "SUDO_UID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.setenv(variable, str(home))
    debug_file = home / below / "0123456789/debuginfo"
    debug_file.parent.mkdir(parents=True)
    stripped(target, debug_file, tool)

    def local_functions() -> set[str]:
        table = load_object(FileSource(str(target)), str(target), ()).table
        return {"calls_last", "hidden_step"} & {table.name(i) for i in range(len(table))}

    assert local_functions() == {"calls_last", "hidden_step"}
    # A file that others may write could forge names.
    debug_file.chmod(0o666)
    assert local_functions() == set()
    if os.geteuid() == 0:
        debug_file.chmod(0o644)
        os.chown(debug_file, 65534, 65534)
        assert local_functions() == set()
        # But one of the user who called sudo counts.
        monkeypatch.setenv("SUDO_UID", "65534")
        assert local_functions() == {"calls_last", "hidden_step"}
    # An empty file is how the cache notes that no server has it.
    debug_file.write_bytes(b"")
    assert local_functions() == set()


def test_mini_debug_info(build: Build, run: Run, tool: Tool, tmp_path: Path) -> None:
    target = build("chain", "-rdynamic")
    debug, packed = tmp_path / "debug", tmp_path / "packed"
    stripped(target, debug, tool)
    packed.write_bytes(lzma.compress(debug.read_bytes()))
    tool("objcopy", f"--add-section=.gnu_debugdata={packed}", target)
    running = run(target)
    assert names(running.pid, running.addresses) == CHAIN


@pytest.mark.parametrize("fate", ["deleted", "replaced"])
def test_file_gone_since(fate: str, build: Build, run: Run, tmp_path: Path) -> None:
    target = tmp_path / "chain"
    shutil.copy(build("chain"), target)
    running = run(target)
    target.unlink()
    if fate == "replaced":
        shutil.copy("/bin/true", target)
    frames = Symbolizer().user(running.pid, running.addresses)
    assert [f.name for f in frames] == CHAIN
    assert {f.module for f in frames} == {str(target)}


def test_process_ended_since(build: Build, tmp_path: Path) -> None:
    """Seen while it lived, a process is resolved from the files it had, if they are the same."""
    target = tmp_path / "chain"
    shutil.copy(build("chain"), target)
    symbolizers = Symbolizer(), Symbolizer()
    with subprocess.Popen([target], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        addresses = [int(word, 16) for word in child.stdout.readline().split()]
        assert [s.user(child.pid, []) for s in symbolizers] == [(), ()]
        assert child.stdin is not None
        child.stdin.close()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        zombie = symbolizers[0].user(child.pid, [0x10, *addresses])
        assert [f.name for f in zombie] == ["[0x10]", *CHAIN]
        with pytest.raises(ProcessError, match="has ended"):
            Symbolizer().user(child.pid, addresses)
    assert [f.name for f in symbolizers[0].user(child.pid, addresses)] == CHAIN
    content = target.read_bytes()
    target.unlink()
    (tmp_path / "takes the inode").touch()
    target.write_bytes(content)
    notes = symbolizers[1].user(child.pid, addresses)
    assert not any(f.named for f in notes)
    assert symbolizers[1].problems == {str(target): "file was replaced since it was mapped"}


def test_process_became_another_program(build: Build) -> None:
    """Same process, same start, and both lie at the same fixed addresses."""
    flags = ("-fno-PIE", "-no-pie", "-static")
    first, second = build("becomes", *flags), build("chain", *flags)
    with subprocess.Popen([first, second], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        symbolizer = Symbolizer()
        before = int(child.stdout.readline(), 16)
        assert symbolizer.user(child.pid, [before])[0].module == str(first)
        child.stdin.write(b"\n")
        child.stdin.flush()
        addresses = [int(word, 16) for word in child.stdout.readline().split()]
        frames = symbolizer.user(child.pid, addresses)
    assert [f.name for f in frames] == CHAIN
    assert {f.module for f in frames} == {str(second)}


def test_library_loaded_later_is_seen(build: Build, tool: Tool, tmp_path: Path) -> None:
    library = tmp_path / "libstep.so"
    source = tmp_path / "step.c"
    source.write_text("void step_inside(void (*then)(void)) { then(); }\n")
    tool("gcc", "-O0", "-shared", "-fPIC", "-o", library, source)
    loads = build("loads", "-ldl")
    child = subprocess.Popen([loads, library], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert child.stdin is not None
        assert child.stdout is not None
        symbolizer = Symbolizer()
        before = int(child.stdout.readline(), 16)
        assert symbolizer.user(child.pid, [before])[0].name == "main"
        child.stdin.write(b"\n")
        child.stdin.flush()
        loaded = int(child.stdout.readline(), 16)
        frame = symbolizer.user(child.pid, [loaded])[0]
        assert (frame.name, frame.module) == ("step_inside", str(library))
    finally:
        child.communicate(timeout=PATIENCE_S)


def test_other_root(build: Build, run: Run, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("chroot needs root")
    (tmp_path / "bin").mkdir()
    shutil.copy(build("chain", "-static"), tmp_path / "bin" / "chain")
    running = run("chroot", tmp_path, "/bin/chain")
    assert names(running.pid, running.addresses) == CHAIN


@pytest.mark.parametrize("kind", ["tmpfs", "overlay"])
def test_container(kind: str, build: Build, run: Run, tool: Tool, tmp_path: Path) -> None:
    """A library in a mount namespace of its own: its path means nothing, or a stranger, here."""
    if os.geteuid() != 0:
        pytest.skip("a mount namespace needs root")
    source, image = tmp_path / "step.c", tmp_path / "image"
    source.write_text("void step_inside(void (*then)(void)) { then(); }\n")
    image.mkdir()
    tool("gcc", "-shared", "-fPIC", "-o", tmp_path / "inside.so", source)
    library = image / "libstep.so"
    shutil.copy("/bin/true", library)
    mounts = "mount -t tmpfs none $1"
    if kind == "overlay":
        layers = "lowerdir=$1/l,upperdir=$1/u,workdir=$1/w"
        mounts += f" && cd $1 && mkdir l u w && mount -t overlay none -o {layers} $1"
    script = f"{mounts} && cp $2 $1/libstep.so && exec $0 $1/libstep.so"
    running = run(
        "unshare",
        "-m",
        "sh",
        "-c",
        script,
        build("holds_library", "-ldl"),
        image,
        tmp_path / "inside.so",
    )
    space = AddressSpace.of(running.pid)
    (frame,) = Symbolizer().stack(space, running.addresses)
    assert (frame.name, frame.module) == ("step_inside", str(library))
    # The same without the right to use map_files: through the process's root, never from here.
    mapping = space.mapping(running.addresses[0])
    assert mapping is not None
    found = open_mapped(running.pid, replace(mapping, end=mapping.end + 4096))
    assert found.id.inode == mapping.inode
    table = load_object(found, "", ()).table
    assert "step_inside" in {table.name(i) for i in range(len(table))}


def test_no_such_process() -> None:
    child = subprocess.Popen(["true"])
    child.wait()
    with pytest.raises(ProcessError, match=f"no process {child.pid}"):
        Symbolizer().user(child.pid, [0x1000])


def test_unmapped_and_anonymous() -> None:
    space = AddressSpace.of(os.getpid())
    heap = next(m for m in space.mappings if m.path == "[heap]")
    nowhere, memory = Symbolizer().stack(space, [0x10, heap.start + 0x11])
    assert (nowhere.name, nowhere.module) == ("[0x10]", "")
    assert memory.name == f"[heap+{0x11:#x}]"
    assert not nowhere.named
    assert not memory.named
