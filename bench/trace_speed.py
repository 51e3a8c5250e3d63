# SPDX-License-Identifier: GPL-2.0-or-later
"""The speed of `polltrace trace`, next to programs that count or sum lines. Prints Markdown.

`python -m bench.trace_speed [--gib N] [--rounds N] [--without NAME]… [--write PAGE]`

The files are in the page cache, and the programs run one after the other in each round. Two files:
binds-heavy, as level 12 writes them, and wait-heavy. They are written a page at a time, and once
more 64 MiB at a time for ripgrep and polltrace alone: the page cache then has pages of 2 MiB, which
are mapped by one entry each. GB/s is by elapsed time, GB/s a core by the CPU time of the program
and its children; both are medians of the rounds. The last column is GB/s a core relative to that of
ripgrep, the median of the rounds' ratios. mawk and Perl run in the first round alone: they take as
long as all others together. The Rust loop needs cargo, and is omitted without it.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.probes.probe_costs import host

ROOT = Path(__file__).parents[1]
POLLTRACE = str(Path(sys.executable).with_name("polltrace"))
RIPGREP = "ripgrep -c 'WAIT #'"
POLLTRACE_TRACE = "polltrace trace, group and filter"
PAIR = (RIPGREP, POLLTRACE_TRACE)
BAR = 0.6  # of ripgrep's speed a core
# Bytes of each write, for the page sizes of a server's short writes and for large pages.
SMALL, LARGE = 4096, 64 << 20
IN_LARGE = ", large pages"
_CLIENT = "SQL*Net message from client"
_BIND = """\
 Bind#{i}
  oacdty=01 mxl=32(30) mxlc=00 mal=00 scl=00 pre=00
  oacflg=05 fl2=1000000 frm=01 csi=873 siz=160 off=0
  kxsbbbfp=7fcf53f5f8e0  bln=32  avl=04  flg=05
  value="{value}"
"""
_AWK = (
    "/^WAIT #/ { match($0, /ela= */); e = substr($0, RSTART + RLENGTH) + 0;"
    ' split($0, n, "\'"); if (e < 700000) { sum[n[2]] += e; count[n[2]]++ } }'
    " END { for (k in sum) print k, sum[k], count[k] }"
)
_PERL = (
    "if (/^WAIT #\\d+: nam='(.*?)' ela= *(\\d+)/ && $2 < 700000) { $s{$1} += $2; $c{$1}++ }"
    ' END { print "$_ $s{$_} $c{$_}\\n" for keys %s }'
)
_SCAN = (
    "import sys; from polltrace.sqltrace.scanner import TraceScan; "
    "from polltrace.sqltrace.file_scan import ScanOptions; "
    "s = TraceScan([sys.argv[2]], ScanOptions(('kind', 'name', 'dep', 'dur_us')), "
    "int(sys.argv[1])); print(sum(b.num_rows for b in s.batches()))"
)


@dataclass(frozen=True, slots=True)
class ComparedProgram:
    """name: as it is shown; command: its words before the file; slow: runs once."""

    name: str
    command: Sequence[str]
    slow: bool = False


def binds_heavy(calls: int) -> Iterator[str]:
    """Executions with eight binds, a fetch and the waits between."""
    tim = 14_521_990_163_480
    for i in range(calls):
        tim += 1000 + i % 977
        binds = "".join(_BIND.format(i=k, value=i * k % 9973) for k in range(8))
        yield (
            f"BINDS #140528443592936:\n\n{binds}"
            f"EXEC #140528443592936:c={i % 90},e={i % 90 + 3},p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,"
            f"plh=1347681019,tim={tim}\n{_wait('SQL*Net message to client', 1, tim + 5)}"
            f"FETCH #140528443592936:c=5,e=5,p=0,cr=2,cu=0,mis=0,r=1,dep=0,og=1,plh=1347681019,"
            f"tim={tim + 20}\n{_wait(_CLIENT, 200 + i % 700, tim + 990)}"
        )


def wait_heavy(calls: int) -> Iterator[str]:
    """Fetches with ten reads each."""
    tim = 14_521_990_163_480
    for i in range(calls):
        for k in range(10):
            tim += 100 + i % 97
            yield _wait("db file sequential read", 50 + (i * k) % 911, tim)
        tim += 5
        yield (
            f"FETCH #140528443592936:c=900,e=1400,p=10,cr=12,cu=0,mis=0,r=1,dep=0,og=1,"
            f"plh=1347681019,tim={tim}\n{_wait(_CLIENT, 200 + i % 700, tim + 900)}"
        )
        tim += 900


def _wait(name: str, ela: int, tim: int) -> str:
    return (
        f"WAIT #140528443592936: nam='{name}' ela= {ela} file#=7 block#=128{ela} blocks=1 "
        f"obj#=74512 tim={tim}\n"
    )


def programs(folder: Path) -> list[ComparedProgram]:
    """The compared programs that are installed."""
    options = ["trace", "--name", ".", "--where", "dur < 0.7"]
    candidates = [
        ComparedProgram("wc -l", ["wc", "-l"]),
        ComparedProgram(RIPGREP, ["rg", "-c", "WAIT #"]),
        ComparedProgram("mawk, sums by event", ["mawk", _AWK], slow=True),
        ComparedProgram("perl, sums by event", ["perl", "-ne", _PERL], slow=True),
        ComparedProgram("a row for each call, one thread", [sys.executable, "-c", _SCAN, "1"]),
        ComparedProgram("a row for each call, two threads", [sys.executable, "-c", _SCAN, "2"]),
        ComparedProgram(
            "polltrace trace, on one processor", ["taskset", "-c", "0", POLLTRACE, *options]
        ),
        ComparedProgram(POLLTRACE_TRACE, [POLLTRACE, *options]),
    ]
    if shutil.which("cargo"):
        build = ["cargo", "build", "-q", "--release", "--manifest-path"]
        manifest = str(ROOT / "bench" / "trace_lines" / "Cargo.toml")
        subprocess.run([*build, manifest, "--target-dir", str(folder / "rust")], check=True)
        loop = str(folder / "rust" / "release" / "trace_lines")
        candidates.insert(2, ComparedProgram("Rust, memchr by line", [loop]))
    return [program for program in candidates if shutil.which(program.command[0])]


def timed(program: ComparedProgram, file: Path) -> tuple[float, float]:
    """Elapsed and CPU seconds."""
    usage_before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started_at = time.perf_counter()
    subprocess.run(
        [*program.command, str(file)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    elapsed = time.perf_counter() - started_at
    usage_after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = (
        usage_after.ru_utime + usage_after.ru_stime - usage_before.ru_utime - usage_before.ru_stime
    )
    return elapsed, used


def fill(file: Path, part: memoryview, size: int, piece: int) -> None:
    """Repeat a stretch of 64 MiB; its clock steps back each time, which costs nothing."""
    with file.open("wb", buffering=0) as out:
        while out.tell() < size:
            for offset in range(0, len(part), piece):
                out.write(part[offset : offset + piece])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--without", action="append", default=[], metavar="NAME", help="leave a program out"
    )
    parser.add_argument("--write", type=Path, help="a page of documentation to make")
    args = parser.parse_args()
    on = host()
    lines = [
        "| file | program | GB/s | GB/s a core | of ripgrep's |",
        "|---|---|---:|---:|---:|",
    ]
    ratios: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="polltrace-trace-bench-") as path:
        folder = Path(path)
        available = programs(folder)
        compared = [
            program for program in available if not program.name.startswith(tuple(args.without))
        ]
        file = folder / "bench.trc"
        for kind, content in (
            ("binds-heavy", binds_heavy(28_000)),
            ("wait-heavy", wait_heavy(44_000)),
        ):
            part = memoryview("".join(content).encode())
            for name, piece in ((kind, SMALL), (kind + IN_LARGE, LARGE)):
                fill(file, part, round(args.gib * (1 << 30)), piece)
                chosen = [program for program in compared if piece == SMALL or program.name in PAIR]
                times = _measure(name, file, chosen, args.rounds)
                lines += _rows(name, file.stat().st_size / 1e9, times)
                if RIPGREP in times:
                    ratios[name] = _of_ripgrep(times, POLLTRACE_TRACE)
                file.unlink()
    print("\n".join(lines))
    if args.write:
        text = page("\n".join(lines), verdict(ratios), args, on)
        args.write.write_text(text)


# By program, elapsed and CPU seconds of each round.
_Times = dict[str, list[tuple[float, float]]]


def _measure(kind: str, file: Path, compared: Sequence[ComparedProgram], rounds: int) -> _Times:
    times: _Times = {program.name: [] for program in compared}
    for number in range(rounds):
        print(f"{kind}: round {number + 1} of {rounds}", file=sys.stderr)
        for program in compared:
            if not (program.slow and number):
                times[program.name].append(timed(program, file))
    return times


def _of_ripgrep(times: _Times, name: str) -> float:
    """A program's speed per core relative to ripgrep's, in the rounds in which it ran."""
    pairs = zip(times[RIPGREP], times[name], strict=False)
    return statistics.median(
        ripgrep_times[1] / program_times[1] for ripgrep_times, program_times in pairs
    )


def _rows(kind: str, gigabytes: float, times: _Times) -> Iterator[str]:
    """A row of the table for each program."""
    for name, measurements in times.items():
        elapsed, used = (statistics.median(column) for column in zip(*measurements, strict=True))
        ratio = f"{_of_ripgrep(times, name):.2f}" if RIPGREP in times else ""
        yield f"| {kind} | {name} | {gigabytes / elapsed:.2f} | {gigabytes / used:.2f} | {ratio} |"


def verdict(ratios: Mapping[str, float]) -> str:
    """The sentence on whether the bar is reached."""
    speeds = ", ".join(f"{ratio:.2f} ({kind})" for kind, ratio in ratios.items())
    missed = [kind for kind, ratio in ratios.items() if ratio < BAR]
    outcome = f"missed by {' and '.join(missed)}" if missed else "kept"
    return (
        f"Of ripgrep's speed a core, `polltrace trace` has {speeds}: the bar of {BAR} is {outcome}."
    )


def page(table: str, verdict: str, args: argparse.Namespace, on: str) -> str:
    omission = f" Left out of this run: {', '.join(args.without)}." if args.without else ""
    return f"""# How fast traces are read

    make bench-trace

`polltrace trace` next to programs that count lines or add up waits by event, over two files of
{args.gib:g} GiB in the page cache: *binds-heavy*, as level 12 writes executions with eight binds,
and *wait-heavy*, eleven waits to a fetch. {on}; medians of {args.rounds} rounds, with
the programs one after the other in each (mawk and Perl in the first alone).{omission}

The files are written a page at a time, which leaves them in the page cache as a server does that
writes line by line. *large pages*: the same files written 64 MiB at a time, which the page cache
holds in pages of 2 MiB where the file system can (ext4 and XFS of recent kernels). Mapping these
costs nearly nothing, and a small page costs both programs more than to read it. A file that was
read from a disk is held in pages between the two, as large as the device's read-ahead.

GB/s is by elapsed time: `polltrace trace` uses all processors, the others one. GB/s a core is by
CPU time, with the start-up of Python in it. The last column is a program's GB/s a core divided by
that of `{RIPGREP}`, the median of the rounds' ratios. ripgrep runs as it does by default: it maps
the file into memory, has one thread for it, looks for one word by vector instructions and reads no
number. On binds-heavy, where few lines match, that is the speed of memory; on wait-heavy nearly
every line matches and is counted. mawk and Perl add up the waits by event, as polltrace does.

The aims are 1.5 GB/s a core for binds-heavy, 1.0 for wait-heavy with a group and a filter, and, on
any machine, {BAR} of ripgrep's speed for both. {verdict}

{table}

Where pages are large, ripgrep's speed on binds-heavy is that of memory: on the host of 2026-11-23
(2 CPUs AMD EPYC, medians of 7 rounds), it took 0.117 s of CPU for 2.16 GB, and adding up the bytes
of the mapped file 0.115 s. {BAR} of that speed would be 0.195 s; the scanner alone takes 0.172 s
from C, and Python's start and end 0.030 s, a third of which any Python takes. Of the scanner's time
a third goes to the lines of binds, which are three quarters of the bytes and only searched for the
line that ends them; the rest goes to the lines of calls and waits, whose times are read and
counted, about 20 ns a line.

*polltrace trace, group and filter* is `polltrace trace --name . --where 'dur < 0.7'`: the profile
by event of all calls and waits below 0.7 s, which is counted in the scanner. *A row for each call*
makes Arrow columns, as questions of other columns than name and duration do.
"""


if __name__ == "__main__":
    main()
