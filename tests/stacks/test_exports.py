# SPDX-License-Identifier: GPL-2.0-or-later
"""Files for other tools, read back by readers that are not ours."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from polltrace.stacks import Frame
from polltrace.stacks.picture import Picture, Side
from polltrace.stacks.pprof import pprof
from polltrace.stacks.speedscope import speedscope

IN_BAND = {("main", "kdst_fetch"): 60, ("main", "kdst_fetch", "poll"): 30}
OUT_OF_BAND: dict[tuple[str, ...], int] = {("main", "kdst_fetch"): 50}
LIBC, ORACLE = "/usr/lib/libc.so.6", "/u01/bin/oracle"
POLL = [
    Frame("poll", LIBC, 0x10, 0x7FFF_F7EE_C230),
    Frame("sntpoltsts", ORACLE, 0x12B, 0x508D37B),
    Frame("[oracle+0x100]", ORACLE, 0x100, 0x400100),
    Frame("main", ORACLE, 0x64, 0xE551B4),
]


def test_speedscope_is_what_its_schema_asks_for() -> None:
    file = json.loads(
        speedscope(
            Picture("t", Side("out", OUT_OF_BAND), Side("in", IN_BAND), exporter="polltrace 1")
        )
    )
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert (file["name"], file["exporter"]) == ("t", "polltrace 1")
    frames = [f["name"] for f in file["shared"]["frames"]]
    back = {}
    for profile in file["profiles"]:
        assert profile["type"] == "sampled"
        assert (profile["unit"], profile["startValue"]) == ("none", 0)
        assert profile["endValue"] == sum(profile["weights"])
        back[profile["name"]] = {
            tuple(frames[i] for i in sample): weight
            for sample, weight in zip(profile["samples"], profile["weights"], strict=True)
        }
    assert back == {"in": IN_BAND, "out": OUT_OF_BAND}


def test_pprof_is_the_same_bytes_every_time_and_small() -> None:
    one = pprof([(POLL, 7), (POLL[1:], 2)], "polls", "count", time_ns=10**18)
    assert one == pprof([(POLL, 7), (POLL[1:], 2)], "polls", "count", time_ns=10**18)
    plain = gzip.decompress(one)
    assert plain.count(b"sntpoltsts") == 1
    assert len(plain) < 400


def fields(data: bytes) -> list[tuple[int, Any]]:
    """The (number, value) pairs of a protocol buffer, as the encoding's description has them."""

    at = 0
    found: list[tuple[int, Any]] = []

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        number, kind = divmod(varint(), 8)
        value: Any = varint()
        if kind == 2:
            value, at = data[at : at + value], at + value
        found.append((number, value))
    return found


def test_pprof_by_the_wire() -> None:
    plain = gzip.decompress(pprof([(POLL, 300), (POLL[1:], 2)], "polls", "count", time_ns=10**18))
    profile = fields(plain)
    strings = [value.decode() for number, value in profile if number == 6]
    assert strings[0] == ""
    tables = {n: [dict(fields(v)) for m, v in profile if m == n] for n in (3, 4, 5)}
    module = {row[1]: strings[row[5]] for row in tables[3]}
    function = {row[1]: strings[row[2]] for row in tables[5]}
    places = {
        row[1]: (function[dict(fields(row[4]))[1]], module[row[2]], row[3]) for row in tables[4]
    }
    # Packed numbers; ids below 128 take one byte each. 300 is 0xAC 0x02.
    samples = [dict(fields(value)) for number, value in profile if number == 2]
    assert [[places[i] for i in sample[1]] for sample in samples] == [
        [(f.name, f.module, f.address) for f in stack] for stack in (POLL, POLL[1:])
    ]
    assert [sample[2] for sample in samples] == [b"\xac\x02", b"\x02"]
    value_type = dict(fields(dict(profile)[1]))
    assert (strings[value_type[1]], strings[value_type[2]]) == ("polls", "count")
    assert dict(profile)[9] == 10**18


def test_pprof_of_samples_has_cpu_time_and_its_period() -> None:
    made = pprof([(POLL, 300), (POLL[1:], 2)], "samples", "count", period_ns=10_030_090)
    profile = fields(gzip.decompress(made))
    strings = [value.decode() for number, value in profile if number == 6]

    def named(value_type: bytes) -> tuple[str, str]:
        words = dict(fields(value_type))
        return strings[words[1]], strings[words[2]]

    types = [named(value) for number, value in profile if number == 1]
    assert types == [("samples", "count"), ("cpu", "nanoseconds")]
    assert named(dict(profile)[11]) == ("cpu", "nanoseconds")
    assert dict(profile)[12] == 10_030_090
    values = [dict(fields(value))[2] for number, value in profile if number == 2]
    assert values[1] == b"\x02" + varint(2 * 10_030_090)


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def pprof_tool(*arguments: object) -> str:
    if shutil.which("go") is None:
        pytest.skip("go tool pprof is not installed")
    if not os.environ.get("POLLTRACE_GO_PPROF"):
        # Newer releases of Go build the tool at first use, which takes a minute.
        pytest.skip("set POLLTRACE_GO_PPROF=1 to read the profile with go tool pprof too")
    ran = subprocess.run(
        ["go", "tool", "pprof", "-symbolize=none", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        env={**os.environ, "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"},
    )
    return ran.stdout


def test_pprof_is_read_by_its_own_tool(tmp_path: Path) -> None:
    file = tmp_path / "polls.pb.gz"
    stacks = [(POLL, 70), (POLL[1:], 20), ([], 5), ([POLL[3]], 1 << 40)]
    file.write_bytes(pprof(stacks, "polls", "count", time_ns=10**18))
    traces = pprof_tool("-traces", file)
    assert "Type: polls" in traces
    blocks = [block.split() for block in traces.split("-----------+")]
    found = {" ".join(b[-4:]): b[-5] for b in blocks if b[-1:] == ["main"] and "poll" in b}
    assert found == {"poll sntpoltsts [oracle+0x100] main": "70"}
    raw = pprof_tool("-raw", file)
    assert "0x7ffff7eec230" in raw
    assert f"{ORACLE}" in raw
    assert str(1 << 40) in raw
