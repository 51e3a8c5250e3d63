# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab's C can be found by name: each function where an index of sources expects it."""

from __future__ import annotations

import functools
import re
import subprocess
from pathlib import Path

import pytest

LAB = Path(__file__).resolve().parents[2] / "lab"
OURS = ("link", "listener", "net", "plsql", "process", "sql", "ttc")
# Functions of latches, and those on the way to a break poll, have Oracle's names.
ORACLES = {
    *("kpoal8", "nioqts", "opifch2", "opimai_real", "opiodr"),
    *("kslfre", "kslgetl", "kslgetsl_w"),
}
# The words that function names begin with, outside of sql/ and plsql/: one for each subject.
SUBJECTS = {
    "link": (
        *("address", "answer", "call", "connection", "execute", "link", "links"),
        *("packet", "query", "session_formats"),
    ),
    "listener": ("bridge", "listener", "options", "spawn"),
    "net": ("break", "connect", "keepalive", "net_trace", "tls", "tns", "wallet"),
    "process": (
        *(
            "active_sessions",
            "clock",
            "cpu",
            "data_directory",
            "job",
            "jobs",
            "latch",
            "link_definition",
            "result",
            "robust_lock",
            "sequence",
            "sga",
        ),
        *("sql_trace", "sqlnet_ora"),
        *("time_model", "trace", "wait"),
    ),
    "ttc": (
        *(
            "answer",
            "arena",
            "auth",
            "bind",
            "call",
            "execution",
            "hex",
            "in",
            "iterations",
            "lobs",
            "logon",
            "negotiate",
        ),
        *("o5logon", "open_cursor", "out", "outcome", "server", "verifier", "wire"),
    ),
}


@functools.cache
def functions() -> set[tuple[str, str]]:
    """The file, without its suffix, and the name of each function others may call."""
    objects = LAB / "build" / "obj"
    sources = [c.relative_to(LAB) for folder in OURS for c in (LAB / folder).rglob("*.c")]
    named = [c.with_suffix(".o").as_posix() for c in sources]
    built = [name for name in named if (objects / name).exists()]
    listed = subprocess.run(
        ["nm", "-A", "--extern-only", "--defined-only", *built],
        cwd=objects,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return set(re.findall(r"^(\S+)\.o:\S+ T (\w+)$", listed, re.M))


@pytest.mark.usefixtures("oralab")
def test_each_function_is_defined_in_plain_sight() -> None:
    made_by_macro = [
        f"{source}: {name}"
        for source, name in functions()
        if not re.search(
            rf"^(?!\s|#).*\b{name}\(|^{name}\(", (LAB / f"{source}.c").read_text(), re.M
        )
    ]
    assert len(functions()) > 200
    assert made_by_macro == []


@pytest.mark.usefixtures("oralab")
def test_each_function_of_the_sql_has_a_name_with_its_subject() -> None:
    ours = {n for source, n in functions() if source.startswith(("sql/", "plsql/"))}
    bare = {name for name in ours if "_" not in name}
    assert bare <= ORACLES


@pytest.mark.usefixtures("oralab")
@pytest.mark.parametrize("folder", SUBJECTS)
def test_each_other_function_has_a_name_with_its_subject(folder: str) -> None:
    names = {n for source, n in functions() if source.startswith(f"{folder}/")} - ORACLES
    begins = tuple(f"{subject}_" for subject in SUBJECTS[folder])
    unused = [b for b in begins if not any(n.startswith(b) for n in names)]
    assert {n for n in names if not n.startswith(begins)} <= {"main"}
    assert unused == []


def test_the_readme_maps_each_file() -> None:
    page = (LAB / "README.md").read_text()
    unmapped = [
        file.relative_to(LAB).as_posix()
        for folder in ("sql", "plsql")
        for file in (LAB / folder).rglob("*.*")
        if f"`{file.stem}`" not in page and f"`{file.name}`" not in page
    ]
    assert unmapped == []
    assert all(f"`{folder}/`" in page for folder in (*OURS, "tests", "fuzz", "build"))
