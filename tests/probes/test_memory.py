# SPDX-License-Identifier: GPL-2.0-or-later
"""The pollfd may lie in memory of any kind: it is read rightly, or reported as unreadable."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.probes.conftest import TARGETS
from tests.probes.probe_process import Probe, Target, counts

StartProbe = Callable[..., Probe]
OVERCOMMIT = Path("/proc/sys/vm/nr_overcommit_hugepages")
READS = {
    "mixed": (),
    "plain": ("--plain-reads",),
}


@pytest.fixture(scope="session")
def poller_in_memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("targets") / "memory"
    subprocess.run(
        [
            *("gcc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"),
            *(str(TARGETS / "memory.c"), "-o", str(output)),
        ],
        check=True,
    )
    return output


@pytest.fixture
def target(poller_in_memory: Path) -> Iterator[Target]:
    target = Target.start(poller_in_memory)
    yield target
    target.close()


@pytest.fixture(params=READS)
def reads(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return READS[request.param]


@pytest.fixture
def huge_pages() -> Iterator[None]:
    """A huge page can be had on demand; none is reserved."""
    before = OVERCOMMIT.read_text()
    OVERCOMMIT.write_text(str(int(before) + 2))
    yield
    OVERCOMMIT.write_text(before)


@pytest.fixture
def swap(tmp_path: Path) -> Iterator[None]:
    """A little swap space."""
    file = tmp_path / "swap"
    with file.open("wb") as space:
        space.write(bytes(1 << 20) * 4)
    file.chmod(0o600)
    subprocess.run(["mkswap", "-q", file], check=True, capture_output=True)
    done = subprocess.run(["swapon", file], check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no swap space can be made here: {done.stderr.strip()}")
    yield
    subprocess.run(["swapoff", file], check=True)


def polls_in(kind: str, polls: int, target: Target, probe: Probe, file: Path) -> tuple[int, int]:
    """Polls, and checks how they were counted; how many were seen, and made without the pollfd in
    memory."""
    fd = target.do("socket - 0")
    absent = target.do(f"{kind} {file} {polls}")
    frame = probe.stop()
    if absent < 0:
        pytest.skip(f"this kernel has no such memory: {kind}")
    found = counts(frame, target.pid)
    assert found["break_polls"] + found["other_polls"] == polls
    # One socket alone was polled; what is read at a wrong address is another.
    by_fd = {socket["fd"]: socket["polls"] for socket in found["sockets"]}
    assert by_fd == ({fd: found["break_polls"]} if found["break_polls"] else {})
    assert found["other_polls"] == frame["lost"]["user_reads"]
    return found["break_polls"], absent


@pytest.mark.parametrize("kind", ["thp", "across", "shared"])
def test_a_pollfd_in_resident_memory_is_read(
    kind: str, reads: tuple[str, ...], target: Target, start_probe: StartProbe, tmp_path: Path
) -> None:
    probe = start_probe("-p", str(target.pid), *reads)
    seen, absent = polls_in(kind, 10007, target, probe, tmp_path)
    assert (seen, absent) == (10007, 0)


@pytest.mark.usefixtures("huge_pages")
def test_a_pollfd_in_a_hugetlb_page_is_read(
    reads: tuple[str, ...], target: Target, start_probe: StartProbe, tmp_path: Path
) -> None:
    probe = start_probe("-p", str(target.pid), *reads)
    seen, absent = polls_in("hugetlb", 10007, target, probe, tmp_path)
    assert (seen, absent) == (10007, 0)


@pytest.mark.parametrize("kind", ["file", "userfaultfd"])
def test_a_pollfd_that_is_not_resident_counts_as_lost(
    kind: str, reads: tuple[str, ...], target: Target, start_probe: StartProbe, tmp_path: Path
) -> None:
    probe = start_probe("-p", str(target.pid), *reads)
    seen, absent = polls_in(kind, 1009, target, probe, tmp_path / "file")
    assert absent > 0
    assert seen == 1009 - absent


@pytest.mark.usefixtures("swap")
def test_a_pollfd_that_is_swapped_out_counts_as_lost(
    reads: tuple[str, ...], target: Target, start_probe: StartProbe, tmp_path: Path
) -> None:
    probe = start_probe("-p", str(target.pid), *reads)
    seen, absent = polls_in("swap", 211, target, probe, tmp_path)
    assert absent > 0
    assert seen == 211 - absent


def test_pollfds_are_read_while_their_pages_are_moved(
    reads: tuple[str, ...], target: Target, start_probe: StartProbe, tmp_path: Path
) -> None:
    probe = start_probe("-p", str(target.pid), *reads)
    polls_in("moving", 200003, target, probe, tmp_path)
    assert target.process.poll() is None
