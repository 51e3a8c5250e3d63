# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of Oracle's layers, held against every function of the published stacks."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from polltrace.stacks import FormatError
from polltrace.stacks.layers import built_in, parse_layers
from polltrace.stacks.layers.table import EMPTY, NAMELESS, OTHER, Layer

ORACLE = built_in("oracle")


@pytest.mark.parametrize(
    ("name", "layer"),
    [
        ("opifch2", "interface"),
        ("kpoal8", "interface"),
        ("ttcpip", "interface"),
        ("qergsFetch", "rowsource"),
        ("kdst_fetch", "data"),
        ("ktspscan_bmb", "data"),
        ("ktuapundo", "transaction"),
        ("ktmmon", "service"),
        ("kcbgtcr", "cache"),
        ("kcoapl", "transaction"),
        ("kglget", "library"),
        ("kslwaitctx", "service"),
        ("nioqts", "network"),
        ("nsmore2recv", "network"),
        ("snttmoredata", "network"),
        ("sntpoltsts", "network"),
        ("ntevpque", "network"),
        ("skgpwwait", "system"),
        ("poll", "system"),
        ("pevm_EXECC", "plsql"),
        ("kksLoadChild", "cursor"),
        ("kfgCheck", "storage"),
        ("zzz", "other"),
        ("", "other"),
        ("[oracle+0x10]", "nameless"),
        ("do_sys_poll_[k]", "kernel"),
        ("[kernel+0xffffffff81000200]_[k]", "kernel"),
    ],
)
def test_layer_of_function(name: str, layer: str) -> None:
    assert ORACLE.layer(name).id == layer


def test_published_stacks_are_covered() -> None:
    data = tomllib.loads((Path(__file__).parent / "oracle_stacks.toml").read_text())
    unknown = {
        name
        for stack in data["stack"]
        for name in stack["frames"].split()
        if ORACLE.layer(name) is OTHER
    }
    assert unknown <= {
        # the kernel's and the C library's
        "inet_sendmsg", "sock_aio_write", "do_aio_write", "do_sync_write", "vfs_write", "sys_write",
        "system_call_fastpath", "__kernel_vsyscall", "poll@plt",
    }  # fmt: skip


def test_every_prefix_has_a_meaning_and_a_source() -> None:
    assert len(ORACLE.prefixes) > 50
    for prefix in ORACLE.prefixes.values():
        assert prefix.means
        assert all(len(source) > 20 for source in prefix.sources)
    assert any(p.interpretation for p in ORACLE.prefixes.values())
    assert not ORACLE.prefixes["kcb"].interpretation


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("layer", [*ORACLE.layers, OTHER, NAMELESS], ids=lambda layer: layer.id)
def test_black_text_can_be_read_on_every_colour(layer: Layer) -> None:
    assert (luminance(layer.colour) + 0.05) / 0.05 >= 7  # WCAG level AAA


def test_colours_differ() -> None:
    colours = [layer.colour for layer in (*ORACLE.layers, OTHER, NAMELESS)]
    assert len(set(colours)) == len(colours)


GOOD = """
[sources]
s = "someone"
[[layer]]
id = "a"
title = "A"
colour = "#aabbcc"
prefixes = [{ text = "x", means = "m", sources = ["s"] }]
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("#aabbcc", "red"),
        ('["s"]', '["t"]'),
        ('["s"]', "[]"),
        ('text = "x"', 'text = ""'),
        ('title = "A"', ""),
        ("[sources]", "[sources"),
        ("[[layer]]", "[layer]"),
        ('"x", means', '"x", meant'),
    ],
)
def test_malformed_table(old: str, new: str) -> None:
    assert parse_layers(GOOD).layer("xyz").id == "a"
    with pytest.raises(FormatError):
        parse_layers(GOOD.replace(old, new, 1))


def test_prefix_given_twice() -> None:
    twice = GOOD.replace('["s"] }', '["s"] }, { text = "x", means = "n", sources = ["s"] }')
    with pytest.raises(FormatError, match="'x' is given twice"):
        parse_layers(twice)


def test_no_such_table() -> None:
    for name in ("nosuch", "../layers/oracle", ""):
        with pytest.raises(FormatError, match="no table of layers"):
            built_in(name)


def test_empty_table() -> None:
    assert EMPTY.layer("poll") is OTHER
