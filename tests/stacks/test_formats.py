# SPDX-License-Identifier: GPL-2.0-or-later
"""Every form by its name, of one profile and of two."""

from __future__ import annotations

import gzip
import json

from stacks.formats import FORMATS
from stacks.layers import built_in
from stacks.picture import Picture, Side

IN_BAND = Side("in-band", {("main", "kdst_fetch"): 60, ("main", "kdst_fetch", "poll"): 30})
OUT_OF_BAND = Side("out-of-band", {("main", "kdst_fetch"): 50, ("main", "opitsk"): 5})
ONE = Picture("one", IN_BAND, layers=built_in("oracle"), exporter="polltrace 1")
TWO = Picture("two", IN_BAND, OUT_OF_BAND)


def test_folded() -> None:
    assert FORMATS["folded"](ONE) == b"main;kdst_fetch 60\nmain;kdst_fetch;poll 30\n"
    assert FORMATS["folded"](TWO) == (
        b"main;kdst_fetch 50 60\nmain;kdst_fetch;poll 0 30\nmain;opitsk 5 0\n"
    )


def test_html() -> None:
    assert b"Data layer: rows, blocks, segments" in FORMATS["html"](ONE)
    assert b"out-of-band: 55 samples \xc2\xb7 in-band: 90 samples" in FORMATS["html"](TWO)


def test_speedscope() -> None:
    names = [p["name"] for p in json.loads(FORMATS["speedscope"](TWO))["profiles"]]
    assert names == ["out-of-band", "in-band"]


def test_pprof() -> None:
    plain = gzip.decompress(FORMATS["pprof"](ONE))
    assert plain.count(b"kdst_fetch") == 1
    assert b"samples" in plain
