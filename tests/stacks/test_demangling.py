# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of C++ and Rust functions against c++filt and the compilers' own symbols."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polltrace.stacks import Symbolizer
from polltrace.stacks.demangling import Demangler, demangled
from polltrace.stacks.naming import plain
from polltrace.stacks.text import LONGEST
from tests.stacks.conftest import FLAGS, TARGETS
from tests.waiting import PATIENCE_S

RUST = {
    "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE": "core::fmt::Formatter::pad",
    "_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Debug$GT$3fmt17h1234567890abcdefE": (
        "<alloc::string::String as core::fmt::Debug>::fmt"
    ),
    "_ZN4main28_$u7b$$u7b$closure$u7d$$u7d$17h1234567890abcdefE": "main::{{closure}}",
}


def needs(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


def test_names_of_a_library_are_those_of_cxxfilt() -> None:
    """The functions that libstdc++ exports itself: templates, operators, constructors, clones."""
    listed = subprocess.run(
        [needs("nm"), "-D", "--defined-only", "--without-symbol-versions", _libstdcxx()],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    code = (line.split() for line in listed.splitlines() if " T " in line or " W " in line)
    names = sorted({words[-1] for words in code})
    mangled = [name for name in names if name.startswith("_Z")]
    assert len(mangled) > 1000
    truth = subprocess.run(
        [needs("c++filt"), "-i"],
        input="\n".join(mangled),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    wrong = {
        name: (ours, theirs)
        for name, ours, theirs in zip(mangled, Demangler().names(mangled, 0), truth, strict=True)
        if ours != (theirs if len(theirs) <= LONGEST else theirs[: LONGEST - 1] + "…")
    }
    assert wrong == {}


def _libstdcxx() -> str:
    """The file of the library that demangles."""
    program = "import ctypes; ctypes.CDLL('libstdc++.so.6'); print(open('/proc/self/maps').read())"
    maps = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    return next(line.split()[-1] for line in maps.splitlines() if "libstdc++" in line)


@pytest.mark.parametrize("name", RUST)
def test_a_rust_name_has_its_own_characters_and_no_hash(name: str) -> None:
    assert demangled(name) == RUST[name]


@pytest.mark.parametrize(
    "name", ["main", "_Z", "_Zap", "_ZN3foo", "_RNvC6_123foo3bar", "_ZN3fooE;\x1b", "[x+0x1]", ""]
)
def test_other_names_are_left_alone(name: str) -> None:
    assert demangled(name) == name


def test_a_stub_keeps_its_suffix_and_a_clone_is_named() -> None:
    assert demangled("_ZN3foo3barEv@plt") == "foo::bar()@plt"
    assert demangled("_ZN3foo3barEv.cold") == "foo::bar() [clone .cold]"


def test_a_stack_of_a_program(tmp_path: Path, run: Callable[..., Any]) -> None:
    target = tmp_path / "mangled"
    source = TARGETS / "mangled.cpp"
    subprocess.run([needs("g++"), *FLAGS, "-o", target, source], check=True, timeout=PATIENCE_S)
    running = run(target)
    names = [f.name for f in Symbolizer().user(running.pid, running.addresses, leaf=False)]
    find, index, search, hidden, main, *_ = names
    assert find.startswith("store::Table<long>::find(std::map<long, std::vector<std::map<")
    assert len(find) == LONGEST
    assert index == "store::Table<long>::operator[](long)"
    assert search.startswith("(anonymous namespace)::hidden(long)::{lambda(long)#1}::")
    assert (hidden, main) == ("(anonymous namespace)::hidden(long)", "main")


def exploding(levels: int) -> str:
    """A name of some hundred characters that stands for 2 to the power of `levels` words."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    name, last = "_Z1f1A1BIS_S_E", "S1_"
    for level in range(2, levels):
        name += f"S0_I{last}{last}E"
        last = f"S{digits[level // 36] if level >= 36 else ''}{digits[level % 36]}_"
    return name


def test_the_text_of_an_exploding_name_doubles() -> None:
    """The name below is what its test takes it for."""
    sizes = [len(_cxxfilt(exploding(levels))) for levels in (8, 9, 10)]
    assert sizes[1] / sizes[0] == pytest.approx(2, rel=0.1)
    assert sizes[2] / sizes[1] == pytest.approx(2, rel=0.1)
    assert len(exploding(34)) < 400


def _cxxfilt(name: str) -> str:
    filtered = subprocess.run([needs("c++filt"), name], capture_output=True, text=True, check=True)
    return filtered.stdout


def test_a_name_without_end_costs_its_user_some_seconds_once() -> None:
    demangler = Demangler()
    hostile, good = 1001, 1002
    # GIVEN a user's functions whose names would take gigabytes
    for levels in range(34, 40):
        assert demangler.names([exploding(levels)], hostile) == [exploding(levels)]
    # THEN that user's names stay mangled, without another attempt
    assert demangler.names(["_ZN3foo3barEv"], hostile) == ["_ZN3foo3barEv"]
    # AND those of another user do not
    assert demangler.names(["_ZN3foo3barEv", "main"], good) == ["foo::bar()", "main"]


def test_a_name_is_cut_in_its_source_form_not_before() -> None:
    """The symbol of a function with very many parameters."""
    long_name = f"_ZN5store4findE{'i' * 600}"
    assert len(long_name) > LONGEST
    assert plain(long_name.encode() + b"@@V1") == long_name
    (shown,) = Demangler().names([long_name], 0)
    assert shown.startswith("store::find(int, int, ")
    assert len(shown) == LONGEST
    # AND one that is no name is cut as it stands
    (cut,) = Demangler().names([f"_Z{'z' * 1700}"], 0)
    assert cut == f"_Z{'z' * (LONGEST - 3)}…"
