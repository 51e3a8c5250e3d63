# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace doctor`: each absence is faked, found, and has the fix."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from polltrace.doctor.examine import examine
from polltrace.doctor.prerequisite import Prerequisite, State
from polltrace.doctor.report import doctor_text
from polltrace.doctor.target import target
from polltrace.errors import NoSuchProcessError

Run = Callable[..., subprocess.CompletedProcess[str]]
ALL_CAPABILITIES = "Name:\tx\nUid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n"
RELEASE = os.uname().release
HEADERS = f"/lib/modules/{RELEASE}/build"
FILES = {
    HEADERS: "",
    "/proc/self/status": ALL_CAPABILITIES,
    "/sys/kernel/btf/vmlinux": "",
    "/proc/sys/kernel/perf_event_paranoid": "2\n",
    "/sys/bus/event_source/devices/uprobe": "",
    "/proc/sys/kernel/yama/ptrace_scope": "1\n",
    "/sys/kernel/security/lockdown": "none [integrity] confidentiality\n",
}
ALL_VARIANTS = "fentry yes\ntp_btf yes\nraw_tp yes\nkprobe yes\n"


@dataclass
class FakeHost:
    """A host that has everything, except the parts that a test takes away."""

    files: dict[str, str] = field(default_factory=lambda: dict(FILES))
    commands: tuple[str, ...] = ("apt-get",)
    variants: tuple[int, str] = (0, ALL_VARIANTS)
    namespace: str = "pid:[4026531836]"
    has_bcc: bool = True
    variables: Mapping[str, str] = field(default_factory=lambda: {"SUDO_UID": "65534"})

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def exists(self, path: str) -> bool:
        return path in self.files

    def link(self, path: str) -> str:
        return self.namespace if path == "/proc/self/ns/pid" else ""

    def variable(self, name: str) -> str:
        return self.variables.get(name, "")

    def which(self, name: str) -> str | None:
        return f"/usr/bin/{name}" if name in self.commands else None

    def output(self, *argv: str) -> tuple[int, str]:
        if "import bcc" in argv:
            return (0, "") if self.has_bcc else (1, "ModuleNotFoundError")
        if "--check" in argv:
            return (0, "yes") if HEADERS in self.files else (4, "bcc_probe: no kernel headers\n")
        return self.variants if "--variants" in argv else (0, "")

    def without(self, path: str) -> FakeHost:
        return replace(self, files={key: text for key, text in self.files.items() if key != path})

    def with_file(self, path: str, text: str) -> FakeHost:
        return replace(self, files={**self.files, path: text})


@pytest.fixture(autouse=True)
def a_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLLTRACE_PROBE", sys.executable)


def of(host: FakeHost, name: str) -> Prerequisite:
    return next(each for each in examine(host)[0] if each.name == name)


def test_a_host_that_has_everything() -> None:
    prerequisites, works = examine(FakeHost())
    assert works
    assert {each.name for each in prerequisites if each.state is not State.OK} <= {
        "polltrace-calibrate",
        "lab",
    }


HAS_ALL = FakeHost()
NO_PROBE = FakeHost(variants=(4, "no BTF"))
NO_CAPABILITY = "Name:\tx\nCapEff:\t0000000000000000\n"
BPF_AND_PERFMON = "Name:\tx\nCapEff:\t000000c000000000\n"


@pytest.mark.parametrize(
    ("host", "name", "state", "found", "fix"),
    [
        (HAS_ALL.without("/sys/kernel/btf/vmlinux"), "BTF", "missing", "no /sys", "--backend ptr"),
        (replace(NO_PROBE, has_bcc=False), "bcc", "missing", "no module", "python3-bpfcc"),
        (
            replace(NO_PROBE, has_bcc=False, commands=("dnf",)),
            *("bcc", "missing", "no module", "dnf install python3-bcc"),
        ),
        (
            replace(NO_PROBE, has_bcc=False, commands=("apk",)),
            *("bcc", "missing", "no module", "apk add python3-bcc"),
        ),
        (
            replace(NO_PROBE, has_bcc=False, commands=()),
            *("bcc", "missing", "no module", "install the package python3-bcc"),
        ),
        (NO_PROBE.without(HEADERS), "bcc", "missing", "no headers", f"linux-headers-{RELEASE}"),
        (
            replace(NO_PROBE.without(HEADERS), commands=("yum",)),
            *("bcc", "missing", "no headers", f"yum install kernel-devel-{RELEASE}"),
        ),
        (
            HAS_ALL.with_file("/proc/self/status", NO_CAPABILITY),
            *("capabilities", "missing", "none", "sudo polltrace"),
        ),
        (
            HAS_ALL.with_file("/proc/self/status", NO_CAPABILITY),
            *("perf sampling", "missing", "2", "sudo polltrace"),
        ),
        (
            HAS_ALL.with_file("/proc/self/status", BPF_AND_PERFMON).with_file(
                "/proc/sys/kernel/perf_event_paranoid", "3\n"
            ),
            *("perf sampling", "unknown", "CAP_SYS_ADMIN", "perf_event_paranoid=2"),
        ),
        (
            HAS_ALL.with_file("/proc/self/status", NO_CAPABILITY),
            *("ptrace", "missing", "ptrace_scope 1", "sudo polltrace"),
        ),
        (
            replace(HAS_ALL, variables={}),
            *("root given up", "unknown", "root, but not by sudo", "account of your own"),
        ),
        (
            HAS_ALL.with_file(
                "/proc/self/status", BPF_AND_PERFMON.replace("CapEff", "Uid:\t0\nCapEff")
            ),
            *("root given up", "missing", "without CAP_SETUID, CAP_SETGID, CAP_SETPCAP", "grant"),
        ),
        (
            HAS_ALL.with_file("/proc/sys/kernel/yama/ptrace_scope", "3\n"),
            *("ptrace", "missing", "ptrace_scope 3", "next boot"),
        ),
        (
            HAS_ALL.without("/proc/sys/kernel/perf_event_paranoid"),
            *("perf sampling", "missing", "no perf", "CONFIG_PERF_EVENTS"),
        ),
        (
            HAS_ALL.without("/sys/bus/event_source/devices/uprobe"),
            *("uprobes", "missing", "no /sys", "CONFIG_UPROBE_EVENTS"),
        ),
        (
            NO_PROBE.with_file("/sys/kernel/security/lockdown", "none integrity [confidentiality]"),
            *("lockdown", "missing", "confidentiality", "boot without"),
        ),
        (
            NO_PROBE.without("/sys/kernel/security/lockdown"),
            *("lockdown", "unknown", "not visible", "mount -t securityfs"),
        ),
        (replace(HAS_ALL, namespace="pid:[1]"), "PID namespace", "missing", "own", "--pid=host"),
        (replace(HAS_ALL, namespace=""), "PID namespace", "unknown", "no /proc", "mount -t proc"),
        (
            replace(HAS_ALL, variants=(3, "polltrace-probe: not permitted\n")),
            *("probe tp_btf", "unknown", "not permitted", "sudo polltrace doctor"),
        ),
        (
            replace(HAS_ALL, variants=(0, "fentry  no: Operation not permitted\ntp_btf  yes\n")),
            *("probe fentry", "not needed", "not permitted", ""),
        ),
    ],
)
def test_each_absence_and_its_fix(
    host: FakeHost, name: str, state: str, found: str, fix: str
) -> None:
    seen = of(host, name)
    assert (seen.state.value, seen.enables != "") == (state, True)
    assert found in seen.detail
    assert fix in seen.fix
    if fix:
        assert f"fix   {seen.fix}" in doctor_text([seen], True)
    else:
        assert doctor_text([seen], True).splitlines()[2:] == [
            "",
            "1 other check is met or not needed here (--verbose lists them).",
        ]


def test_the_verdict_comes_first_and_then_only_unmet_checks() -> None:
    prerequisites, works = examine(HAS_ALL.without("/sys/bus/event_source/devices/uprobe"))
    verdict, empty, *rest = doctor_text(prerequisites, works).splitlines()
    assert (verdict, empty) == ("The default backend (eBPF) works.", "")
    assert [line for line in rest if line.startswith("MISSING uprobes")]
    assert not [line for line in rest if line.startswith("ok")]
    verbose = doctor_text(prerequisites, works, verbose=True).splitlines()
    assert len([line for line in verbose if line.startswith("ok")]) > 5


def test_a_backend_for_other_kernels_is_not_missing_where_the_probe_works() -> None:
    without_bcc = replace(HAS_ALL, has_bcc=False)
    assert of(without_bcc, "bcc").state is State.UNNEEDED
    assert of(replace(without_bcc, variants=(4, "no BTF")), "bcc").state is State.MISSING


def test_the_headers_of_oracles_own_kernel_have_another_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release = "5.15.0-206.153.7.el9uek.x86_64"
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(release=release))
    host = replace(HAS_ALL, files={}, commands=("dnf",), variants=(4, "no BTF"))
    assert of(host, "bcc").fix == f"dnf install kernel-uek-devel-{release}"


def test_the_default_backend_needs_one_variant() -> None:
    for name in ("fentry", "tp_btf", "raw_tp", "kprobe"):
        lines = [line.replace("yes", "no: x") for line in ALL_VARIANTS.splitlines()]
        only = [f"{name} yes" if line.startswith(name) else line for line in lines]
        assert examine(replace(HAS_ALL, variants=(0, "\n".join(only))))[1]
        assert not examine(replace(HAS_ALL, variants=(0, "\n".join(lines))))[1]
    assert not examine(replace(HAS_ALL, variants=(4, "no BTF")))[1]


def test_executables_that_are_not_built_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLLTRACE_PROBE", "/no/such/file")
    monkeypatch.setenv("POLLTRACE_CALIBRATE", "/no/such/file")
    assert of(HAS_ALL, "polltrace-probe").fix == "make build"
    assert of(HAS_ALL, "polltrace-calibrate").fix == "make build"
    assert of(HAS_ALL, "probe tp_btf").state is State.UNKNOWN
    assert not examine(HAS_ALL)[1]


PIPE = subprocess.PIPE


def test_a_program_without_names() -> None:
    executable = os.path.realpath("/bin/cat")  # Debian strips it
    with subprocess.Popen([executable], stdin=PIPE, stdout=PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"here\n")
        assert process.stdout.readline() == b"here\n"
        found = {each.name: each for each in target(process.pid, executable)}
        process.stdin.close()
    assert found["symbols"].state is State.MISSING
    assert found["frame pointers"].state is not State.OK


@pytest.mark.parametrize(("flag", "ok"), [("-fno-omit-frame-pointer", True), ("-O2", False)])
def test_a_program_with_names(tmp_path: Path, flag: str, ok: bool) -> None:
    lines = ["#include <unistd.h>"]
    for i in range(50):
        lines.append(f"int f{i}(int *x) {{ int s = 0; for (int j = 0; j < x[1]; j++)")
        lines.append(f"    s += x[j] * getppid(); return s + {i}; }}")
    lines.append('int main(void) { write(1, "here\\n", 5); pause(); return f7(0); }\n')
    executable = str(tmp_path / "program")
    command = ["gcc", "-x", "c", "-O1", flag, "-", "-o", executable]
    try:
        subprocess.run(command, input="\n".join(lines), text=True, check=True)
    except FileNotFoundError:
        pytest.skip("gcc is missing")
    with subprocess.Popen([executable], stdout=PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        found = {each.name: each.state for each in target(process.pid, executable)}
        process.kill()
    assert found == {
        "symbols": State.OK,
        "frame pointers": State.OK if ok else State.MISSING,
    }


def test_target_of_an_ended_process_is_an_error() -> None:
    with subprocess.Popen(["true"]) as process:
        pass
    with pytest.raises(NoSuchProcessError):
        target(process.pid, "/bin/true")


@pytest.mark.usefixtures("probe")
def test_this_host_has_a_working_backend(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLLTRACE_PROBE")
    ended = run("doctor", "--json", "-p", str(os.getpid()))
    data = json.loads(ended.stdout)
    assert (ended.returncode, data["default_backend_works"], ended.stderr) == (0, True, "")
    names = [each["name"] for each in data["prerequisites"]]
    assert "BTF" in names
    assert "frame pointers" in names
    for each in data["prerequisites"]:
        assert (each["fix"] is None) == (each["state"] in ("ok", "not needed"))
    # AND without a probe the answer is no
    monkeypatch.setenv("POLLTRACE_PROBE", "/no/such/file")
    ended = run("doctor")
    assert ended.returncode == 1
    assert "make build" in ended.stdout


@pytest.mark.usefixtures("probe")
def test_a_bundle_has_the_kernel_and_nothing_personal(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("POLLTRACE_PROBE")
    path = tmp_path / "kernel.tar.gz"
    ended = run("doctor", "--bundle", str(path))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert path.stat().st_mode & 0o777 == 0o600
    with tarfile.open(path) as archive:
        members = {each.name: each for each in archive.getmembers()}
        assert {(each.uid, each.gid, each.uname, each.mtime) for each in members.values()} == {
            (0, 0, "", 0)
        }
        contents = {name: archive.extractfile(name) for name in members}
        read = {name: file.read() for name, file in contents.items() if file}
    about = json.loads(read["polltrace-kernel/about.json"])
    assert about["release"] == RELEASE
    assert about["checks"]["BTF"] == "ok"
    assert any(line.startswith("tp_btf") for line in about["variants"])
    assert read["polltrace-kernel/vmlinux.btf"] == Path("/sys/kernel/btf/vmlinux").read_bytes()
    text = read["polltrace-kernel/about.json"].decode()
    assert [word for word in (os.uname().nodename, str(tmp_path), sys.prefix) if word in text] == []
    # It never replaces a file.
    again = run("doctor", "--bundle", str(path))
    assert (again.returncode, len(again.stderr.splitlines())) == (8, 1)


@pytest.mark.usefixtures("root")
def test_a_bundle_that_does_not_fit_leaves_nothing(run: Run, tmp_path: Path) -> None:
    small = f"mount -t tmpfs -o size=64k none {tmp_path}"
    listing = f'polltrace_code=0; "$@" || polltrace_code=$?; ls {tmp_path}; exit $polltrace_code'
    prefix = ("unshare", "--mount", "sh", "-c", f"{small} && {{ {listing}; }}", "-")
    ended = run("doctor", "--bundle", str(tmp_path / "kernel.tar.gz"), prefix=prefix)
    assert (ended.returncode, ended.stdout) == (8, "")
    (line,) = ended.stderr.splitlines()
    assert "No space left" in line
