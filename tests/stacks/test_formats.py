# SPDX-License-Identifier: GPL-2.0-or-later
"""Every form by its name, of one profile and of two."""

from __future__ import annotations

import gzip
import json
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polltrace.stacks.bylayer import by_layer
from polltrace.stacks.earlyends import to_its_end
from polltrace.stacks.folded import Folded, fold
from polltrace.stacks.formats import FORMATS
from polltrace.stacks.frame import Frame
from polltrace.stacks.layers import built_in
from polltrace.stacks.layers.table import KERNEL
from polltrace.stacks.picture import Picture, Side
from polltrace.stacks.text import printable
from polltrace.stacks.walked import StackStop

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


SVG = "{http://www.w3.org/2000/svg}"


def rectangles(picture: Picture) -> dict[str, tuple[float, float, str]]:
    """Of every frame its left edge, width and colour, by its tooltip's text."""
    root = ElementTree.fromstring(FORMATS["svg"](picture))
    return {
        g.findtext(f"{SVG}title", ""): (float(r.get("x", "")), float(r.get("width", "")), colour)
        for g in root.findall(f"{SVG}g")
        for r in g.findall(f"{SVG}rect")
        if (colour := r.get("fill"))
    }


def kernel_stack() -> Picture:
    frames = [
        Frame("do_sys_poll", "[kernel]", 8, 0xFFFFFFFF81000208, kernel=True),
        Frame("poll", "/lib/libc.so.6", 4, 0x7F0000000004),
        Frame("main", "/bin/p", 4, 0x400004),
    ]
    return Picture("kernel", Side("now", fold([(frames, 7)])), layers=built_in("oracle"))


def test_kernel_frames_in_every_form() -> None:
    picture = kernel_stack()
    assert FORMATS["folded"](picture) == b"main;poll;do_sys_poll_[k] 7\n"
    assert rectangles(picture)["do_sys_poll_[k]: 7, 100.00%"][2] == KERNEL.colour
    assert f">{KERNEL.title}</li>".encode() in FORMATS["html"](picture)
    plain = gzip.decompress(FORMATS["pprof"](picture))
    assert b"[kernel]" in plain
    assert b"do_sys_poll" in plain
    assert b"_[k]" not in plain
    layers = ("Operating system", "Kernel")
    assert by_layer(picture).side.folded == {layers: 7}


def test_svg() -> None:
    assert rectangles(ONE) == {
        "all: 90, 100.00%": (0.0, 1200.0, "#e6e6e6"),
        "main: 90, 100.00%": (0.0, 1200.0, "#e2e2e2"),
        "kdst_fetch: 90, 100.00%": (0.0, 1200.0, "#a8ddb5"),
        "poll: 30, 33.33%": (0.0, 400.0, "#e2e2e2"),
    }


def test_svg_of_a_difference() -> None:
    drawn = rectangles(TWO)
    assert drawn["poll +33.3: 30, 33.33%"] == (0.0, 400.0, "#f59b42")
    assert drawn["main: 90, 100.00%"][2] == "#f3f3f3"
    assert not any("opitsk" in text for text in drawn)


def test_svg_of_a_hostile_name() -> None:
    name = "</text><script>alert(1)</script>&\x01\x1b[2J\ud800"
    root = ElementTree.fromstring(FORMATS["svg"](Picture(name, Side(name, {(name,): 1}))))
    assert root.findtext(f"{SVG}title") == ("</text><script>alert(1)</script>&\\x01\\x1b[2J\\ud800")
    assert not list(root.iter(f"{SVG}script"))
    assert ElementTree.fromstring(FORMATS["svg"](Picture("empty", Side("none", {}))))


def test_layers_as_steps() -> None:
    chain = ["nioqts", "nsmore2recv", "snttmoredata", "sntpoltsts", "poll"]
    folded: Folded = {("main", "kdsttgr", "kdst_fetch", *chain): 3, ("main", "zzz", "[x+0x1]"): 1}
    picture = by_layer(Picture("t", Side("a", folded), OUT_OF_BAND, built_in("oracle")))
    assert picture.side.folded == {
        (
            "Operating system",
            "Data layer: rows, blocks, segments",
            "Oracle Net: sessions, transports",
            "Operating system",
        ): 3,
        ("Operating system", "Other functions", "No name known"): 1,
    }
    assert picture.before is not None
    assert sum(picture.before.folded.values()) == 55
    colours = {layer.title: layer.colour for layer in built_in("oracle").layers}
    alone = by_layer(Picture("t", Side("a", folded), layers=built_in("oracle")))
    drawn = {text.partition(":")[0]: colour for text, (_, _, colour) in rectangles(alone).items()}
    assert drawn["Oracle Net"] == colours["Oracle Net: sessions, transports"]


@pytest.mark.parametrize("form", FORMATS)
@given(st.text(), st.text(), st.integers(1, 2**40))
@settings(max_examples=50, deadline=None)
def test_any_name_in_any_form(form: str, name: str, title: str, count: int) -> None:
    written = FORMATS[form](Picture(title, Side(title, {(name, name): count}), OUT_OF_BAND))
    assert written


@pytest.mark.parametrize("form", FORMATS)
def test_the_end_of_a_stack_and_its_reason_are_in_every_form(form: str) -> None:
    cut = [Frame("poll", "/lib/libc.so.6", 4, 4), Frame("lib_poll", "/lib/lib.so", 4, 4)]
    folded = fold([(to_its_end(cut, StackStop.NO_RULES), 7)])
    written = FORMATS[form](Picture("t", Side("now", folded), notes=("13.0 % end early.",)))
    text = gzip.decompress(written) if form == "pprof" else written
    assert b"[stack ends: no unwind table]" in text
    # AND the notes, where the form has a place for them
    assert (b"13.0 % end early." in text) == (form != "folded")


def test_the_notes_of_a_picture_lie_above_its_frames() -> None:
    notes = ("one <b>", "two")
    root = ElementTree.fromstring(FORMATS["svg"](Picture("t", IN_BAND, notes=notes)))
    texts = {text.text: float(text.get("y", "0")) for text in root.iter(f"{SVG}text")}
    lowest = max(texts[note] for note in notes)
    frames = [float(r.get("y", "0")) for g in root.iter(f"{SVG}g") for r in g.iter(f"{SVG}rect")]
    assert lowest < min(frames)
    assert float(root.get("height", "0")) >= max(frames)
    assert b"<li>one &lt;b&gt;</li><li>two</li>" in FORMATS["html"](
        Picture("t", IN_BAND, notes=notes)
    )


def test_a_stack_end_stays_one_among_layers() -> None:
    folded: Folded = {("[stack ends: no unwind table]", "kdsttgr"): 3}
    picture = by_layer(Picture("t", Side("a", folded), layers=built_in("oracle")))
    (layers,) = picture.side.folded
    assert layers[0] == "[stack ends: no unwind table]"


def test_half_a_surrogate_pair() -> None:
    for form in FORMATS.values():
        assert form(Picture("\ud800", Side("\ud800", {("\ud800",): 1})))


def test_printable() -> None:
    assert printable(b"\xffp\x1b[31m") == "\\xffp\\x1b[31m"
    assert printable("/tmp/\udcff\n\u202e") == "/tmp/\\xff\\x0a\\u202e"
    assert printable("x" * 600) == "x" * 511 + "…"
    assert printable("") == ""
