# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import missing
from tests.probes.off_cpu import settled
from tests.probes.probe_process import PROBE, ROOT, Probe, Target

TARGETS = Path(__file__).parent / "targets"


def why_no_bpf() -> str:
    if os.geteuid() != 0:
        return "needs root"
    if not Path("/sys/kernel/btf/vmlinux").exists():
        return "the kernel has no BTF"
    return ""


def loadable_variants() -> list[str]:
    if why_no_bpf() or not PROBE.exists():
        return ["tp_btf"]
    done = subprocess.run([PROBE, "--variants"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in done.stdout.splitlines() if line.endswith("yes")]


def need_mode(variant: str, mode: str) -> None:
    """Skips what a variant cannot do."""
    if mode == "-c" and variant in {"fentry", "kprobe"}:
        pytest.skip(f"{variant} is attached to poll only")
    if mode == "--latency" and variant == "kprobe":
        pytest.skip("kprobe is attached to entries only")


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    subprocess.run(["make", "-s", "-C", str(ROOT / "probes")], check=True)


@pytest.fixture
def root(built: None) -> None:
    if why := why_no_bpf():
        missing(why)


@pytest.fixture(scope="session")
def poller(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The target, compiled as Oracle's executables are: with frame pointers."""
    output = tmp_path_factory.mktemp("targets") / "poller"
    subprocess.run(
        [
            *("gcc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"),
            *("-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"),
            *(str(TARGETS / "poller.c"), "-o", str(output)),
        ],
        check=True,
    )
    return output


@pytest.fixture
def start_target(poller: Path) -> Iterator[Callable[..., Target]]:
    running: list[Target] = []

    def start(*wrapper: str) -> Target:
        running.append(Target.start(poller, *wrapper))
        return running[-1]

    yield start
    for target in running:
        target.close()


@pytest.fixture
def target(start_target: Callable[..., Target]) -> Target:
    return start_target()


@pytest.fixture(scope="session")
def sleeper_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("targets") / "sleeper"
    subprocess.run(
        [
            *("gcc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"),
            *("-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"),
            *(str(TARGETS / "sleeper.c"), "-o", str(output)),
        ],
        check=True,
    )
    return output


@pytest.fixture
def start_sleeper(sleeper_program: Path) -> Iterator[Callable[..., Target]]:
    running: list[Target] = []

    def start(name: str = "sleeper") -> Target:
        path = sleeper_program.with_name(name)
        if not path.exists():
            path.hardlink_to(sleeper_program)
        running.append(Target.start(path))
        settled(running[-1].pid)
        return running[-1]

    yield start
    for target in running:
        target.close()


@pytest.fixture
def sleeper(start_sleeper: Callable[..., Target]) -> Target:
    return start_sleeper()


@pytest.fixture(params=["tp_btf", "raw_tp"])
def switches_by(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The probe's options to follow context switches, by each variant that can."""
    return "--off-cpu", "--variant", request.param


@pytest.fixture
def start_probe(root: None) -> Iterator[Callable[..., Probe]]:
    running: list[Probe] = []

    def start(*options: str, wrapper: tuple[str, ...] = ()) -> Probe:
        running.append(Probe.start(*options, wrapper=wrapper))
        return running[-1]

    yield start
    for probe in running:
        probe.close()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "soak: hundreds of runs, by make -C probes soak")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("markexpr"):
        return
    for item in items:
        if item.get_closest_marker("soak"):
            item.add_marker(pytest.mark.skip(reason="long: make -C probes soak"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "variant" in metafunc.fixturenames:
        metafunc.parametrize("variant", loadable_variants())
