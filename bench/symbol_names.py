# SPDX-License-Identifier: GPL-2.0-or-later
"""Speed of names: an executable the size of a database server's, ours against pyelftools.

    python -m bench.symbol_names [--symbols 400000] [--megabytes 300] [--json]

Builds the executable with the assembler and linker of this machine, runs it, and resolves
addresses of the live process. Both readers do the same job in the same run: the name of one
address from nothing, then the names of a million random ones. pyelftools has no lookup by
address; it is given the best there is in plain Python, a sorted list and bisect.
"""

from __future__ import annotations

import argparse
import bisect
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bench.symbol_executable import build, running
from polltrace.stacks.addrspace import AddressSpace
from polltrace.stacks.symbolizer import Symbolizer

T = TypeVar("T")
LOOKUPS = 1_000_000


@dataclass(frozen=True, slots=True)
class NamingTimes:
    """The cost of naming the functions of one executable.

    - `symbols`: how many different functions were named; `file_megabytes`: the file's size
    - `first_name_s`: until the first address is named, reading the file included
    - `first_million_s`: for LOOKUPS more addresses; `lookups_per_s`: after that
    - `frames_per_s`: whole stacks' frames named per second
    - `pyelftools_first_name_s`, `pyelftools_million_s`: the same by pyelftools

    Ratios are pyelftools' time divided by ours.
    """

    symbols: int
    file_megabytes: float
    first_name_s: float
    first_million_s: float
    lookups_per_s: float
    frames_per_s: float
    pyelftools_first_name_s: float
    pyelftools_million_s: float

    @property
    def first_name_ratio(self) -> float:
        return self.pyelftools_first_name_s / self.first_name_s

    @property
    def job_ratio(self) -> float:
        """First name and a million more, from nothing."""
        theirs = self.pyelftools_first_name_s + self.pyelftools_million_s
        return theirs / (self.first_name_s + self.first_million_s)


def timed(work: Callable[[], T]) -> tuple[float, T]:
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def random_addresses(space: AddressSpace, program: Path) -> NDArray[np.uint64]:
    code = next(m for m in space.mappings if m.path == str(program) and "x" in m.permissions)
    return np.random.default_rng(1).integers(code.start, code.end, LOOKUPS, np.uint64)


def pyelftools_names(program: Path) -> Callable[[int], str]:
    # Here, because only the bench needs it.
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415
    from elftools.elf.sections import SymbolTableSection  # noqa: PLC0415

    with program.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        functions = sorted(
            (s["st_value"], s["st_size"], s.name)
            for s in table.iter_symbols()
            if s["st_info"]["type"] == "STT_FUNC"
        )
    starts = [value for value, _, _ in functions]

    def name(address: int) -> str:
        index = bisect.bisect_right(starts, address) - 1
        value, size, function = functions[index]
        return function if index >= 0 and address < value + size else ""

    return name


def measure(program: Path, rounds: int = 5) -> NamingTimes:
    with running(program) as pid:
        space = AddressSpace.of(pid)
        addresses = random_addresses(space, program)
        address = int(addresses[0])
        firsts = [timed(lambda: Symbolizer().user(pid, [address])[0].name) for _ in range(rounds)]
        symbolizer = Symbolizer()
        symbolizer.stack(space, [address])
        million_s, ours = timed(lambda: symbolizer.names(space, addresses))
        repeated_s = [timed(lambda: symbolizer.names(space, addresses))[0] for _ in range(rounds)]
        few = addresses[:2000].tolist()
        symbolizer.stack(space, few)
        frames = [timed(lambda: symbolizer.stack(space, few))[0] for _ in range(rounds)]
    reading_s, theirs = timed(lambda: pyelftools_names(program))
    theirs_s, their_names = timed(lambda: [theirs(a) for a in addresses.tolist()])
    mine = [n if not n.startswith("[") else "" for n in ours]
    if mine != their_names or firsts[0][1] != mine[0]:
        raise SystemExit("the two readers disagree")
    return NamingTimes(
        symbols=len(set(mine)),
        file_megabytes=program.stat().st_size / 1e6,
        first_name_s=statistics.median(s for s, _ in firsts),
        first_million_s=million_s,
        lookups_per_s=LOOKUPS / statistics.median(repeated_s),
        frames_per_s=len(few) / statistics.median(frames),
        pyelftools_first_name_s=reading_s,
        pyelftools_million_s=theirs_s,
    )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    parser.add_argument("--symbols", type=int, default=400_000)
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as directory:
        result = measure(build(Path(directory), options.symbols, options.megabytes))
    ratios = {"first_name_ratio": result.first_name_ratio, "job_ratio": result.job_ratio}
    for key, value in (asdict(result) | ratios).items():
        if not options.json:
            print(f"{key:>26} {value:,.4g}" if value < 1000 else f"{key:>26} {value:,.0f}")
    if options.json:
        print(json.dumps(asdict(result) | ratios))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
