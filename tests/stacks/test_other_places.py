# SPDX-License-Identifier: GPL-2.0-or-later
"""Names from elsewhere than a file: the vdso, the kernel, memory; and names without being root."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import polltrace
from polltrace.stacks import AddressSpace, Symbolizer, kallsyms
from polltrace.stacks.addrspace import parse_maps
from polltrace.stacks.kallsyms import KernelSymbols
from polltrace.stacks.memoryobject import load_from_memory, vsyscall_name
from polltrace.stacks.objectstore import ObjectStore
from tests.waiting import PATIENCE_S

Build = Callable[..., Path]
NOBODY = 65534
RESOLVE = """
import sys
from polltrace.stacks import Symbolizer
names = Symbolizer()
pid, *addresses = sys.argv[1:]
print(*(f.name for f in names.user(int(pid), [int(a) for a in addresses])))
print(*names.problems.values())
"""


def address_of(library: str | None, name: str) -> int:
    address = ctypes.cast(getattr(ctypes.CDLL(library), name), ctypes.c_void_p).value
    assert address is not None
    return address


def test_vdso() -> None:
    space = AddressSpace.of(os.getpid())
    try:
        address = address_of("linux-vdso.so.1", "__vdso_clock_gettime")
    except OSError:
        pytest.skip("the C library does not hand out the vdso")
    (frame,) = Symbolizer().stack(space, [address + 3])
    assert (frame.name, frame.module, frame.offset) == ("clock_gettime", "[vdso]", 3)


@pytest.mark.parametrize("name", ["poll", "ppoll", "select", "epoll_wait", "read", "recv"])
def test_system_calls_of_this_c_library_have_their_plain_names(name: str) -> None:
    space = AddressSpace.of(os.getpid())
    (frame,) = Symbolizer().stack(space, [address_of(None, name) + 1])
    assert (frame.name, frame.offset) == (name, 1)
    assert "libc" in frame.module


def test_c_library_read_from_memory_names_the_same() -> None:
    """Exported names are the same whether the file can be opened or not."""
    space = AddressSpace.of(os.getpid())
    address = address_of(None, "epoll_wait")
    mapping = space.mapping(address)
    assert mapping is not None
    found = load_from_memory(space, mapping)
    starts = {found.table.name(i): int(found.table.start[i]) for i in range(len(found.table))}
    lowest = min(m.start for m in space.mappings if m.path == mapping.path)
    assert starts["epoll_wait"] == address - lowest
    assert len(found.table) > 1000
    assert found.problem == "read from memory"


def test_objects_used_longest_ago_are_let_go() -> None:
    """Memory is bounded whatever processes map; an object is read again when it is needed."""
    space = AddressSpace.of(os.getpid())
    library = space.mapping(address_of(None, "poll"))
    program = next(m for m in space.mappings if "x" in m.permissions and m != library)
    assert library is not None
    roomy, tight = ObjectStore(1 << 30), ObjectStore(1)
    kept = roomy.of(space, library)
    assert roomy.of(space, program) is not kept
    assert roomy.of(space, library) is kept
    gone = weakref.ref(tight.of(space, library))
    assert tight.of(space, library) is gone()
    tight.of(space, program)
    gc.collect()
    assert gone() is None
    assert len(tight.of(space, library).table) == len(kept.table)


@pytest.mark.parametrize(
    ("change", "shared"),
    [
        (lambda _: None, True),
        (lambda copy: copy.chmod(0o777), False),
        pytest.param(
            lambda copy: os.chown(copy, NOBODY, NOBODY),
            False,
            marks=pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a file away"),
        ),
    ],
    ids=["copy", "written by anyone", "of another owner"],
)
def test_a_copy_of_a_build_is_read_once(
    change: Callable[[Path], None],
    shared: bool,
    build: Build,
    run: Callable[..., Any],
    tmp_path: Path,
) -> None:
    """As a library is in many containers; a build-id that another user's file claims is no
    reason to trust it."""
    program = build("chain", "-Wl,--build-id")
    copy = Path(shutil.copy(program, tmp_path / "copy"))
    change(copy)
    store, found = ObjectStore(1 << 30), []
    for path in (program, copy):
        space = AddressSpace.of(run(path).pid)
        mapping = next(m for m in space.mappings if m.path == str(path))
        found.append(store.of(space, mapping))
        assert len(found[-1].table)
    assert (found[0] is found[1]) == shared


def run_as_nobody(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python code as an ordinary user, who may not open map_files."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
        env={"PYTHONPATH": str(Path(polltrace.__file__).parents[1])},
    )


def as_nobody(pid: int, *addresses: int) -> list[str]:
    """The names, and the problems, that such a user gets."""
    ran = run_as_nobody(RESOLVE, str(pid), *map(str, addresses))
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """A directory that the user `nobody` may enter, for a test that changes its user."""
    if os.geteuid() != 0:
        pytest.skip("changing the user needs root")
    try:
        readable = run_as_nobody("import stacks").returncode == 0
    except PermissionError:
        readable = False
    if not readable:
        pytest.skip("this checkout cannot be read by an ordinary user")
    path = Path(tempfile.mkdtemp())  # below tmp_path that user could not enter it
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def started(program: Path, *arguments: Path) -> tuple[subprocess.Popen[bytes], list[int]]:
    child = subprocess.Popen(
        [program, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
    )
    assert child.stdout is not None
    line = child.stdout.readline()
    return child, [int(word, 16) for word in line.split()]


@pytest.mark.parametrize("fate", ["kept", "deleted"])
def test_own_process_of_an_ordinary_user(fate: str, build: Build, open_directory: Path) -> None:
    program = open_directory / "chain"
    shutil.copy(build("chain"), program)
    child, addresses = started(program)
    try:
        if fate == "deleted":
            program.unlink()
        assert as_nobody(child.pid, *addresses)[0] == (
            "waits_for_end calls_last hidden_step exported_step outermost_step main"
        )
    finally:
        child.communicate(timeout=PATIENCE_S)


def test_deleted_library_of_an_ordinary_user_is_read_from_memory(
    build: Build, tool: Callable[..., None], open_directory: Path
) -> None:
    source, library = open_directory / "step.c", open_directory / "libstep.so"
    source.write_text("void step_inside(void (*then)(void)) { then(); }\n")
    tool("gcc", "-shared", "-fPIC", "-o", library, source)
    program = open_directory / "holds_library"
    shutil.copy(build("holds_library", "-ldl"), program)
    open_directory.chmod(0o777)
    child, addresses = started(program, library, Path("delete"))
    try:
        assert addresses
        assert not library.exists()
        assert as_nobody(child.pid, *addresses) == ["step_inside", "read from memory"]
    finally:
        child.communicate(timeout=PATIENCE_S)


def test_strangers_process_is_a_clear_error(open_directory: Path) -> None:
    ran = run_as_nobody(RESOLVE, "1", "4096")
    assert ran.stderr.splitlines()[-1] == (
        "polltrace.stacks.errors.ProcessError: not permitted to read the mappings of process 1"
    )


KALLSYMS = b"""\
ffffffff81000000 T _text
ffffffff81000100 t helper
ffffffff81000200 T __x64_sys_poll
ffffffff81000200 t __pfx_alias
ffffffff81000400 T do_sys_poll
ffffffff82000000 D some_data
ffffffffc0000000 t run_it\t[pollmod]
torn li"""


def test_kernel_names() -> None:
    symbols = KernelSymbols(KALLSYMS)
    assert len(symbols) == 6
    leaf, caller, module, below = symbols.frames(
        [0xFFFFFFFF81000200, 0xFFFFFFFF81000400, 0xFFFFFFFFC0000010, 0xFFFF]
    )
    assert (leaf.name, leaf.module, leaf.offset) == ("__x64_sys_poll", "[kernel]", 0)
    assert leaf.kernel
    assert not symbols.problem
    assert (caller.name, caller.offset) == ("__x64_sys_poll", 0x200)
    assert (module.name, module.module, module.offset) == ("run_it", "[pollmod]", 0x10)
    assert (below.name, below.named) == ("[kernel+0xffff]", False)


@pytest.mark.parametrize(
    ("level", "words"),
    [("1", "only root is shown"), ("2", "sysctl kernel.kptr_restrict=1"), (None, "is ?")],
)
def test_hidden_kernel_addresses_leave_notes(
    level: str | None, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if level:
        (tmp_path / "kptr_restrict").write_text(f"{level}\n")
    monkeypatch.setattr(kallsyms, "KPTR_RESTRICT", tmp_path / "kptr_restrict")
    symbols = KernelSymbols(b"0000000000000000 T _text\n0000000000000000 T do_sys_poll\n")
    assert len(symbols) == 0
    assert symbols.frames([0xFFFFFFFF81000200])[0].name == "[kernel+0xffffffff81000200]"
    assert words in symbols.problem


def test_without_kallsyms_the_symbolizer_reports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kallsyms, "KALLSYMS", tmp_path / "none")
    names = Symbolizer()
    assert not names.problems
    (frame,) = names.kernel([0xFFFFFFFF81000200])
    assert (frame.named, frame.kernel, frame.module) == (False, True, "[kernel]")
    assert "No such file" in names.problems["[kernel]"]


def test_vsyscall_page() -> None:
    base = 0xFFFFFFFFFF600000
    assert [vsyscall_name(base + slot * 0x400 + 9) for slot in range(4)] == [
        "gettimeofday", "time", "getcpu", "[vsyscall+0xc09]",
    ]  # fmt: skip


def test_strange_lines_of_maps() -> None:
    text = (
        b"00400000-00401000 r-xp 00001000 fe:00 12 /bin/with  two spaces \r\\012 (deleted)\n"
        b"7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
        b"7f0000002000-7f00000030"
    )
    first, second = parse_maps(text)
    assert (first.start, first.end, first.offset, first.inode) == (0x400000, 0x401000, 0x1000, 12)
    assert (first.path, first.deleted) == ("/bin/with  two spaces \r\n", True)
    assert (second.path, second.deleted) == ("", False)
    assert parse_maps(b"") == ()


@pytest.mark.parametrize("bind", ["lazy", "now"])
@pytest.mark.parametrize("cet", ["none", "full"])
@pytest.mark.parametrize("strip", [(), ("-s",)], ids=["whole", "stripped"])
def test_stubs_of_the_linkage_table(
    bind: str, cet: str, strip: tuple[str, ...], build: Build, run: Callable[..., Any]
) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("the stubs' machine code is x86-64")
    running = run(build("stubs", f"-Wl,-z,{bind}", f"-fcf-protection={cet}", *strip))
    frames = Symbolizer().user(running.pid, [a + 4 for a in running.addresses], leaf=True)
    assert [(f.name, f.offset) for f in frames] == [("poll@plt", 4), ("getppid@plt", 4)]
