# SPDX-License-Identifier: GPL-2.0-or-later
"""Fuzz the ELF reader for a while; stops with the offending bytes in a file.

    python tests/stacks/fuzz_elf.py [--seconds 60] [--seed N] [--rss-megabytes 1024] OBJECT...

OBJECTs are the seeds (default: this machine's true, ld.so and vdso). With atheris installed it
is guided by coverage (`--atheris`, not for every Python); without, seeds are damaged at random
where headers and tables lie. A fault is any exception, more than five seconds for
one input, more memory than the limit.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import time
from pathlib import Path

import numpy as np

from polltrace.stacks.addrspace import AddressSpace
from polltrace.stacks.elf import read_elf
from polltrace.stacks.errors import ElfError
from polltrace.stacks.identity import build_id, debug_link
from polltrace.stacks.objects import load_object
from polltrace.stacks.source import BytesSource, read_memory

SLOWEST_S = 5.0
INTERESTING = (0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF)


def exercise(image: bytes) -> None:
    """All that the reader does with an object of a process."""
    loaded = load_object(BytesSource(image), "/nowhere/object", ())
    offsets = np.linspace(0, len(image) + 4096, 200).astype(np.uint64)
    table = loaded.table
    for name in table.names(table.rows(loaded.virtual(offsets))).tolist():
        assert name == "" or name.isprintable()
    table.names(np.arange(-1, min(len(table), 10_000)))
    try:
        elf = read_elf(BytesSource(image))
    except ElfError:
        return
    build_id(elf)
    debug_link(elf)


def damaged(image: bytes, dice: random.Random) -> bytes:
    """A copy with a few changes, most of them in the first and the last part: the headers."""
    changed = bytearray(image)
    edge = max(1, min(len(changed), 4096))
    for _ in range(dice.choice((1, 1, 2, 3, 8, 32))):
        span = dice.choice(((0, 64), (0, edge), (len(changed) - edge, edge), (0, len(changed))))
        at = min(span[0] + dice.randrange(max(1, span[1])), len(changed) - 1)
        width = dice.choice((1, 1, 2, 4, 8))
        value = bytes(dice.choice((*INTERESTING, dice.randrange(256))) for _ in range(width))
        changed[at : at + width] = value
    if dice.random() < 0.1:
        del changed[dice.randrange(len(changed)) + 1 :]
    return bytes(changed)


def seeds(paths: list[str]) -> list[bytes]:
    if paths:
        return [Path(p).read_bytes() for p in paths]
    own = AddressSpace.of(os.getpid())
    vdso = next(m for m in own.mappings if m.path == "[vdso]")
    loader = next(m.path for m in own.mappings if "ld-" in m.path or "libc" in m.path)
    memory = read_memory(own.pid, vdso.start, vdso.end)
    return [
        Path("/bin/true").read_bytes(),
        Path(loader).read_bytes()[: 1 << 20],
        memory.read(0, memory.size),
    ]


def fuzz(images: list[bytes], seconds: float, seed: int) -> int:
    dice, ends, runs = random.Random(seed), time.monotonic() + seconds, 0
    while time.monotonic() < ends:
        image = damaged(dice.choice(images), dice)
        begin = time.monotonic()
        try:
            exercise(image)
            fault = "" if time.monotonic() - begin < SLOWEST_S else "too slow"
        except Exception as error:
            fault = repr(error)
        if fault:
            kept = Path(f"fuzz-elf-{seed}-{runs}.bin")
            kept.write_bytes(image)
            print(f"fault after {runs} inputs: {fault}; input kept in {kept}", file=sys.stderr)
            return 1
        runs += 1
    print(f"{runs} damaged objects in {seconds:.0f} s, no fault (seed {seed})")
    return 0


def guided(images: list[bytes], seconds: float) -> None:
    """Coverage-guided, from the seeds that are small enough to be mutated as a whole."""
    import tempfile  # noqa: PLC0415

    import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as corpus:
        for i, image in enumerate(i for i in images if len(i) < 1 << 17):
            (Path(corpus) / str(i)).write_bytes(image)
        atheris.instrument_all()
        limits = [f"-max_total_time={seconds:.0f}", "-max_len=131072", f"-timeout={SLOWEST_S:.0f}"]
        atheris.Setup([sys.argv[0], *limits, corpus], exercise)
        atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz the ELF reader.")
    parser.add_argument("object", nargs="*")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--rss-megabytes", type=int, default=1024)
    parser.add_argument("--atheris", action="store_true")
    options = parser.parse_args()
    images = seeds(options.object)
    if options.atheris:
        guided(images, options.seconds)
        return 0
    limit = options.rss_megabytes << 20
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    return fuzz(images, options.seconds, options.seed)


if __name__ == "__main__":
    sys.exit(main())
