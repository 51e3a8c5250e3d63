# SPDX-License-Identifier: GPL-2.0-or-later
"""A virtual machine with a stock kernel and this machine's own files, for one command.

Software emulation, always: what /dev/kvm offers is not to be relied on in a virtual machine, and
nothing here may depend on it. The root file system is the host's, read-only by virtiofs below a
file system in memory, so nothing that the guest does is seen outside.
"""

from __future__ import annotations

import lzma
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tests.kernels.packages import HERE, Unpacked

VIRTIOFSD = "/usr/lib/qemu/virtiofsd"
TOOLS = ("qemu-system-x86_64", "busybox", "cpio", "/sbin/modprobe", VIRTIOFSD)
MODULES = ("virtio_pci", "virtiofs", "overlay", "veth", "sch_netem")
TIMED_OUT = 124
MEMORY_MB = 1536
# Both processors by one thread: with one each, a processor may execute the breakpoint of code that
# the other has just patched (a tracepoint switched on), long after it is gone: "Oops: int3".
TIMING = ("-accel", "tcg,thread=single,tb-size=256", "-smp", "2")
COUNTING = ("-accel", "tcg,thread=single,tb-size=256", "-smp", "1", "-icount", "shift=0")
# A thread for each, so that they run side by side on the host's: for what patches no code, that is
# attaches no probe.
SIDE_BY_SIDE = ("-accel", "tcg,thread=multi,tb-size=512", "-smp", "4")
# The kernel looks at start whether its timer ticks within some microseconds, and panics where a
# busy host did not run the emulator in them; `no_timer_check` is Linux's own for virtual machines.
KERNEL_OPTIONS = "console=ttyS0 panic=-1 loglevel=4 no_timer_check"
# They must not outlive us, however we end.
LEASH = ("setpriv", "--pdeathsig", "KILL")


def missing_tools() -> list[str]:
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def run(
    kernel: Unpacked,
    script: str,
    on_line: Callable[[str], None],
    *,
    console: Path,
    timeout_s: float,
    count_instructions: bool = False,
    side_by_side: bool = False,
) -> int:
    """Boot, run the shell script as root, hand on each line that it prints; its exit code, or 124
    when it took too long. The file `console` gets the kernel's messages and the script's stderr.

    With `count_instructions` there is one processor, whose clock goes on by a nanosecond with every
    instruction that it executes, however busy the host. With `side_by_side` there are four, each a
    thread of the emulator, and no probe may be attached.
    """
    with tempfile.TemporaryDirectory(prefix="polltrace-vm-") as name:
        work = Path(name)
        initrd = _initrd(kernel, script, work)
        socket = work / "files.sock"
        with (work / "virtiofsd.log").open("w") as log:
            files = subprocess.Popen(
                [*LEASH, *_virtiofsd(socket)], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        try:
            _wait_for(socket, files)
            command = [*LEASH, *_qemu(kernel, initrd, socket, console)]
            command += SIDE_BY_SIDE if side_by_side else COUNTING if count_instructions else TIMING
            return _watch(command, on_line, timeout_s)
        finally:
            files.kill()
            files.wait()


def _virtiofsd(socket: Path) -> list[str]:
    options = ["-o", "source=/", "-o", "cache=always", "-o", "sandbox=chroot"]
    return [VIRTIOFSD, f"--socket-path={socket}", *options]


def _qemu(kernel: Unpacked, initrd: Path, socket: Path, console: Path) -> list[str]:
    return [
        *("qemu-system-x86_64", "-cpu", "max", "-machine", "q35", "-m", str(MEMORY_MB)),
        *("-nodefaults", "-display", "none", "-no-reboot", "-monitor", "none"),
        *("-serial", f"file:{console}", "-serial", "stdio"),
        *("-kernel", str(kernel.image), "-initrd", str(initrd)),
        *("-append", KERNEL_OPTIONS),
        *("-object", f"memory-backend-memfd,id=memory,size={MEMORY_MB}M,share=on"),
        *("-numa", "node,memdev=memory", "-chardev", f"socket,id=files,path={socket}"),
        *("-device", "vhost-user-fs-pci,queue-size=1024,chardev=files,tag=host"),
        *("-device", "virtio-rng-pci"),
    ]


def _watch(command: list[str], on_line: Callable[[str], None], timeout_s: float) -> int:
    code = TIMED_OUT
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace"
    ) as machine:
        alarm = threading.Timer(timeout_s, machine.kill)
        alarm.start()
        try:
            assert machine.stdout is not None
            for line in machine.stdout:
                if ended := re.fullmatch(r"exit (\d+)\n", line):
                    code = int(ended[1])
                    break
                on_line(line.rstrip("\r\n"))
        finally:
            alarm.cancel()
            machine.kill()
    return code


def _wait_for(socket: Path, server: subprocess.Popen[bytes]) -> None:
    while not socket.exists():
        if server.poll() is not None:
            log = (socket.parent / "virtiofsd.log").read_text()
            raise OSError(f"virtiofsd ended: {log.strip()}")
        time.sleep(0.02)


def _initrd(kernel: Unpacked, script: str, work: Path) -> Path:
    """A file system of busybox, the modules that reach the host's files, and init.sh."""
    tree = work / "initrd"
    for folder in ("bin", "modules", "proc", "sys", "dev", "host", "memory", "root"):
        (tree / folder).mkdir(parents=True)
    shutil.copy(shutil.which("busybox") or "busybox", tree / "bin/busybox")
    (tree / "bin/sh").symlink_to("busybox")
    shutil.copy(HERE / "init.sh", tree / "init")
    (tree / "init").chmod(0o755)
    (tree / "kernel.root").write_text(str(kernel.root))
    (tree / "modules.list").write_text(
        "".join(f"{_put(module, tree / 'modules')}\n" for module in _needed(kernel))
    )
    (tree / "command").write_text(script)
    names = "\n".join(str(each.relative_to(tree)) for each in tree.rglob("*"))
    with (work / "initrd.cpio").open("wb") as archive:
        subprocess.run(
            ["cpio", "--quiet", "-o", "-H", "newc"],
            input=names.encode(),
            stdout=archive,
            cwd=tree,
            check=True,
        )
    return work / "initrd.cpio"


def _needed(kernel: Unpacked) -> list[str]:
    """Paths of the modules to load, in their order; those built in are not among them."""
    found: dict[str, None] = {}
    for module in MODULES:
        command = ["/sbin/modprobe", "-d", str(kernel.root), "-S", kernel.release]
        done = subprocess.run(
            [*command, "--show-depends", module], capture_output=True, text=True, check=True
        )
        found |= dict.fromkeys(re.findall(r"^insmod (\S+)", done.stdout, re.MULTILINE))
    return list(found)


def _put(module: str, folder: Path) -> str:
    """Copies a module, plain even where it is packed: busybox cannot load those."""
    data = Path(module).read_bytes()
    name = Path(module).name
    if name.endswith(".xz"):
        name, data = name.removesuffix(".xz"), lzma.decompress(data)
    (folder / name).write_bytes(data)
    return name
