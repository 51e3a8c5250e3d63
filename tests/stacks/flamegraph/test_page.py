# SPDX-License-Identifier: GPL-2.0-or-later
"""The flame graph's page as text: the tree in it, its safety, its table."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from polltrace.stacks.flamedata import embedded
from polltrace.stacks.flamegraph import flame_graph
from polltrace.stacks.layers import built_in
from polltrace.stacks.picture import Picture, Side
from polltrace.stacks.stack_tree import CalledFunction, call_tree

FETCH = ("main", "qertbFetch", "kdst_fetch")
POLL = (*FETCH, "nioqts", "nsmore2recv", "snttmoredata", "sntpoltsts", "poll")
OUT_OF_BAND = Side("out-of-band", {FETCH: 80, ("main", "opitsk"): 20})
IN_BAND = Side("in-band", {FETCH: 60, POLL: 30, ("main", "opitsk"): 10})
HOSTILE = "</script><img src=x onerror=\"document.title='broken'\">&amp;'"


def test_call_tree() -> None:
    assert call_tree(IN_BAND.folded, OUT_OF_BAND.folded) == (
        CalledFunction(0, "all", 100, 100),
        CalledFunction(1, "main", 100, 100),
        CalledFunction(2, "opitsk", 20, 10),
        CalledFunction(2, "qertbFetch", 80, 90),
        CalledFunction(3, "kdst_fetch", 80, 90),
        CalledFunction(4, "nioqts", 0, 30),
        CalledFunction(5, "nsmore2recv", 0, 30),
        CalledFunction(6, "snttmoredata", 0, 30),
        CalledFunction(7, "sntpoltsts", 0, 30),
        CalledFunction(8, "poll", 0, 30),
    )
    assert call_tree({}) == (CalledFunction(0, "all", 0, 0),)


STACKS = st.dictionaries(
    st.lists(st.sampled_from("abc"), max_size=5).map(tuple), st.integers(0, 1000), max_size=30
)


@given(STACKS, STACKS)
def test_call_tree_keeps_every_sample(after: dict[Any, int], before: dict[Any, int]) -> None:
    calls = call_tree(after, before)
    assert (calls[0].before, calls[0].after) == (sum(before.values()), sum(after.values()))
    # Rebuild each stack's own count: a call's samples less those of its callees.
    own: dict[tuple[str, ...], int] = {}
    path: list[str] = []
    for i, call in enumerate(calls):
        path[call.depth :] = [call.name]
        callees = 0
        for other in calls[i + 1 :]:
            if other.depth <= call.depth:
                break
            callees += other.after if other.depth == call.depth + 1 else 0
        if call.after > callees:
            own[tuple(path[1:])] = call.after - callees
    assert own == {stack: n for stack, n in after.items() if n}


def test_stack_deeper_than_any_recursion_limit() -> None:
    calls = call_tree({("f",) * 20_000: 1})
    assert calls[-1] == CalledFunction(20_000, "f", 0, 1)


@given(st.text(), st.text())
def test_embedded_data_cannot_leave_its_element(name: str, title: str) -> None:
    text = embedded({"names": [name], "title": title})
    assert not set("<>&") & set(text)
    assert json.loads(text) == {"names": [name], "title": title}


def test_page_needs_nothing_else() -> None:
    page = flame_graph(Picture("t", IN_BAND, OUT_OF_BAND, built_in("oracle")))
    outside = re.findall(
        r"""(?:https?:|//)[^\s"'<]+""", page.replace("http://www.w3.org/2000/svg", "")
    )
    assert [url for url in outside if not url.startswith("// ")] == []
    assert not re.search(r"""\b(?:src|href|@import|url)\s*[=(]""", page)
    assert "default-src 'none'" in page


def test_hostile_names_are_text() -> None:
    page = flame_graph(Picture(HOSTILE, Side(HOSTILE, {(HOSTILE,): 1}), find=HOSTILE))
    assert "<img" not in page
    assert page.count("</script>") == 2
    assert list(map(unescape, re.findall("<title>(.*)</title>", page))) == [HOSTILE]


def test_table() -> None:
    page = flame_graph(Picture("t", IN_BAND, OUT_OF_BAND))
    rows = re.findall("<tr>(.*?)</tr>", page)
    assert [re.sub("<[^>]*>", " ", row).split("  ") for row in rows][:3] == [
        [" Function", "own, in-band", "with callees, in-band", "own, out-of-band",
         "with callees, out-of-band", "change of own "],
        [" poll", "30.00%", "30.00%", "0.00%", "0.00%", "+30.00 points "],
        [" kdst_fetch", "60.00%", "90.00%", "80.00%", "80.00%", "-20.00 points "],
    ]  # fmt: skip
