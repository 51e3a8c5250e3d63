# SPDX-License-Identifier: GPL-2.0-or-later
"""Requirements of tests on this machine. A test whose requirement is missing skips with the
reason; CI, which has them all, turns every such skip into a failure."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from tests.browser import Browser, program
from tests.plain_model import plain_model  # noqa: F401 - a fixture
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).parents[1]
POLLTRACE = str(Path(sys.executable).with_name("polltrace"))

# A prefix: root's files stay its own, but it may do no more than another user.
WITHOUT_CAPABILITIES = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")

# A prefix: hides the kernel's type information. It keeps the user: one without access to the
# checkout could not even start.
WITHOUT_BTF = (
    *("unshare", "--mount", "sh", "-c"),
    *('mount -t tmpfs none /sys/kernel/btf && exec "$@"', "sh"),
)

# On a busy machine any example may take long, and what one run finds the next must find as well.
if not os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):  # an emulated guest: it has no such tests
    from hypothesis import settings

    settings.register_profile("steady", deadline=None, derandomize=True, database=None)
    settings.load_profile("steady")

# A process that a shell starts in the background ignores Ctrl-C; so would all its children.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def run() -> Run:
    """Run a polltrace verb to its end; `prefix` is a command that runs it."""

    def run_(*argv: str, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*prefix, POLLTRACE, *argv],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    return run_


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a polltrace verb with pipes, by the command `prefix`; killed at the end of the test."""
    started: list[subprocess.Popen[str]] = []

    def start_(
        *argv: str, prefix: tuple[str, ...] = (), **environment: str
    ) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*prefix, POLLTRACE, *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        started.append(process)
        return process

    yield start_
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture(scope="session", autouse=True)
def unmeasured_host() -> None:
    """No test depends on the factors that somebody has measured on this host."""
    os.environ["POLLTRACE_HOST_FILE"] = "/nonexistent/host.json"


@pytest.fixture(scope="session")
def root() -> None:
    """The test attaches BPF programs."""
    if os.geteuid() != 0:
        missing("attaching BPF programs needs root")
    if not Path("/sys/kernel/btf/vmlinux").exists():
        missing("this kernel has no BTF")


@pytest.fixture(scope="session")
def probe(root: None) -> None:
    """The test attaches polltrace-probe."""
    _built("probes/build/polltrace-probe")


@pytest.fixture(scope="session")
def lab(probe: None) -> None:
    """The test runs the lab, with the probe on it."""
    _built("lab/build/oralab")


@pytest.fixture(scope="session")
def built_lab() -> None:
    """The test starts the lab and attaches nothing."""
    _built("lab/build/oralab")


@pytest.fixture(scope="session")
def calibrator() -> None:
    """The test runs polltrace-calibrate."""
    _built("probes/build/polltrace-calibrate")


@pytest.fixture(scope="session")
def quick_calibrate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """polltrace-calibrate with a twentieth of the rounds: for tests that want a cost per poll, but
    not a good one. A whole calibration takes seconds of a processor that others need as well."""
    calibrate = ROOT / "probes/build/polltrace-calibrate"
    quick = tmp_path_factory.mktemp("quick") / calibrate.name
    quick.write_text(
        "#!/bin/sh\n"
        "shift; rounds=$1; shift\n"
        "[ $rounds -ge 10000 ] || rounds=$((rounds / 20 + 6))\n"  # a load, not a measurement
        f'exec {calibrate} -r $rounds "$@"\n'
    )
    quick.chmod(0o755)
    return quick


@pytest.fixture(scope="module")
def quick_calibration(quick_calibrate: Path) -> Iterator[None]:
    """Commands that the module's tests run calibrate by it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLLTRACE_CALIBRATE", str(quick_calibrate))
        yield


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if program() is None:
        missing("chromium is not installed: ./setup.sh --tests")
    started = Browser(tmp_path_factory.mktemp("browser"))
    yield started
    started.close()


def _built(executable: str) -> None:
    if not (ROOT / executable).exists():
        missing(f"{executable} is not built: make build")


def missing(reason: str) -> NoReturn:
    """Skip the test; where CI runs it, fail."""
    if os.environ.get("CI"):
        pytest.fail(f"CI has everything, but here {reason}")
    pytest.skip(reason)
