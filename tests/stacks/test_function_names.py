# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of functions as tools print them and symbols have them; compared with c++filt."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from polltrace.stacks import CallChain, ChainMatch, classify
from polltrace.stacks.function_names import function_name, mangled_prefixes


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("nioqts()+68", "nioqts"),
        ("poll@plt", "poll"),
        ("kdst_fetch.isra.0", "kdst_fetch"),
        ("_ZN3toy6Server11checkClientEi", "toy::Server::checkClient"),
        ("_ZNK3toy6Server5checkEv.cold", "toy::Server::check"),
        ("toy::Server::check(int, std::vector<long>)+0x44", "toy::Server::check"),
        ("(anonymous namespace)::f(int)", "{anonymous}::f"),
        ("_ZN12_GLOBAL__N_11fEi", "{anonymous}::f"),
        ("_ZNSt6thread4joinEv", "std::thread::join"),
        ("_ZNSt6vectorIiE4pushEv", "_ZNSt6vectorIiE4pushEv"),
        ("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"),
        ("[libc.so.6]", "[libc.so.6]"),
        ("_ZN99999x", "_ZN99999x"),
        ("_Z", "_Z"),
    ],
)
def test_a_name_is_the_one_in_the_source(symbol: str, name: str) -> None:
    assert function_name(symbol) == name


def test_a_mangled_name_is_read_as_binutils_reads_it() -> None:
    filt = shutil.which("c++filt")
    assert filt, "binutils come with gcc, which make needs"
    for symbol in ("_ZN3toy6Server11checkClientEi", "_ZNSt6thread4joinEv", "_Z5checki"):
        ended = subprocess.run([filt, symbol], capture_output=True, text=True, check=True)
        assert function_name(ended.stdout.strip()) == function_name(symbol)


def test_a_qualified_name_has_the_symbols_that_a_table_may_have() -> None:
    assert "_ZN3toy6Server5checkE" in mangled_prefixes("toy::Server::check")
    assert "_ZNKSt6thread4joinE" in mangled_prefixes("std::thread::join")
    assert mangled_prefixes("nioqts") == ()


def test_a_chain_of_one_function_needs_it_anywhere_on_the_stack() -> None:
    chain = CallChain((frozenset({"toy::look"}),))
    stack = ["epoll_wait", "helper", "_ZN3toy4lookEv", "main"]
    assert classify(stack, chain, at_call=True).evidence is ChainMatch.WHOLE
    assert classify(stack, chain, at_call=False).evidence is ChainMatch.INSIDE
    assert not classify(["epoll_wait", "main"], chain, at_call=True)
    assert classify(["[a]", "[b]"], chain, at_call=True).evidence is ChainMatch.SHAPE
