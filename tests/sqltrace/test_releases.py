# SPDX-License-Identifier: GPL-2.0-or-later
"""Traces of 8i to 23ai (tests/sqltrace/cases), and the formats in which they are sent."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.sqltrace.traces import HEADER, call, parsing, rows, scan, wait

CASES = Path(__file__).parent / "cases"


def case(name: str) -> str:
    return (CASES / f"{name}.trc").read_text()


def elapsed_us(trace: str) -> int:
    return scan(trace)[1].elapsed


@pytest.mark.parametrize("release", ["10.2.0.4.0", "11.1.0.6.0", "9.2.0.8.0", "unknown"])
def test_an_error_in_centiseconds_has_no_time(release: str) -> None:
    trace = case("10g-error-cs").replace("10.2.0.4.0", release)
    table, summary = scan(trace)
    errors = [row for row in table.to_pylist() if row["name"] == "ERROR"]
    assert [(row["err"], row["tim_us"], row["time"]) for row in errors] == [(1646, None, None)] * 2
    assert summary.untimed_errors == 2
    # From the begin of PARSE to the end of the last EXEC.
    assert summary.elapsed == 176349582606 - (176338392169 - 1200)
    assert summary.clock_steps == 0


def test_an_error_in_microseconds_keeps_its_time() -> None:
    _, summary = scan(case("11g-error-us"))
    assert (summary.elapsed, summary.untimed_errors) == (11_191_731, 0)


@pytest.mark.parametrize("counted", [False, True])
def test_waits_without_a_time_are_in_the_elapsed_time(counted: bool) -> None:
    _, summary = scan(case("9i-waits"), counted=counted)
    # The last call's end is followed by 6 and 356,905 us of waits.
    assert summary.elapsed == 1166050000272700 - (1166050000000000 - 1200) + 6 + 356_905
    assert summary.untimed_waits == 6


def test_wait_time_of_a_call_is_null_where_waits_have_no_time() -> None:
    calls = {row["line"]: row for row in rows(case("9i-waits")) if row["kind"] == "call"}
    fetches = [row for row in calls.values() if row["name"] == "FETCH"]
    assert [(row["wait_us"], row["uaf_us"]) for row in fetches] == [(None, None)] * 2
    waits = [row for row in rows(case("9i-waits")) if row["kind"] == "wait"]
    assert {row["tim_us"] for row in waits} == {None}
    assert sum(row["ela_us"] for row in waits) == 506_991
    assert rows(case("9i-waits"))[0]["uaf_us"] == 200  # before the first wait


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize(
    "release", ["Oracle8i Enterprise Edition Release 8.1.7.0.0", "ORACLE V8.0.6.0.0"]
)
def test_8i_counts_hundredths_of_a_second(release: str, counted: bool) -> None:
    trace = case("8i-centi").replace("Oracle8i Enterprise Edition Release 8.1.7.0.0", release)
    table, summary = scan(trace, counted=counted)
    assert summary.clock == 10_000_000
    assert summary.elapsed == 15_020_000
    fetch = next(row for row in table.to_pylist() if row["name"] == "FETCH" and row["dur_us"])
    assert fetch["dur_us"] == 2_500_000
    if not counted:
        assert (fetch["e_us"], fetch["tim_us"]) == (5_000_000, 10_005_000_000)


def test_the_clock_that_is_advised_is_accepted(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    lines = case("8i-centi").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "V8.1" not in line and "8i" not in line))
    advice = re.search(r"\(--clock (\S+) sets it\)", run("trace", str(path)).stderr)
    assert advice
    total = json.loads(run("trace", "--json", "--clock", advice[1], str(path)).stdout)["total"]
    assert total["duration_s"] == pytest.approx(13.51)


def test_binds_of_10_1_and_earlier() -> None:
    execution = next(row for row in rows(case("9i-binds")) if row["name"] == "EXEC")
    assert (execution["binds"], execution["bind_types"]) == (["1", "A"], [2, 1])
    repeated = case("9i-binds").replace("EXEC", " bind 2: (No oacdef for this bind)\nEXEC")
    execution = next(row for row in rows(repeated) if row["name"] == "EXEC")
    assert (execution["binds"], execution["bind_types"]) == (["1", "A", None], [2, 1, -1])


@pytest.mark.parametrize(
    ("first", "value"), [("", None), ("17", "17"), ('"a b"', "a b"), ('"a\nb"', "a\nb")]
)
def test_two_binds_on_a_line(first: str, value: str | None) -> None:
    trace = case("glued-bind").replace("  value=  Bind#2", f"  value={first}  Bind#2")
    for block in (1 << 20, 300):
        (execution,) = (row for row in rows(trace, block=block) if row["name"] == "EXEC")
        assert execution["binds"] == ["ab", value, "4711"]
        assert execution["bind_types"] == [1, 96, 2]


def test_a_record_behind_the_end_of_a_statement() -> None:
    trace = parsing(5, "select 1") + call("PARSE", 5, c=1, e=1, tim=10)
    glued = trace.replace("END OF STMT\n", "END OF STMT")
    (row,) = rows(glued)
    assert (row["name"], row["sql"], row["tim_us"]) == ("PARSE", "select 1", 10)
    assert not scan(glued)[1].not_understood


def test_appname_sets_module_and_action() -> None:
    notice = "APPNAME mod='it''s me' mh=1 act='a' ah=2\n"
    (row,) = rows(HEADER + notice + wait(0, "x", 1, 10))
    assert (row["module"], row["action"]) == ("it''s me", "a")


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("block", [1 << 20, 200])
def test_lines_before_the_first_record_are_the_header(counted: bool, block: int) -> None:
    summary = scan(case("23ai-header"), counted=counted, block=block)[1]
    assert not summary.not_understood
    assert (summary.version, summary.instance) == ("23.7.0.25.01", "FREE")


def test_lines_that_no_header_begins_are_not_understood() -> None:
    assert scan("junk 1\njunk 2\n" + wait(0, "x", 1, 10))[1].not_understood == {"junk": 2}
    assert scan("Trace file a\njunk 1\n")[1].not_understood == {"junk": 1}
    late = case("23ai-header") + "junk 1\n"
    assert scan(late)[1].not_understood == {"junk": 1}


def test_a_statement_that_did_not_parse_has_its_text() -> None:
    failed, *after = rows(case("demo_ora_4242"))
    assert failed["sql"].startswith("select x\nfrom no_such_table\n")
    assert failed["sql"].endswith("\nWAIT 5\nEXEC")
    assert failed["sqlid"].startswith("text=")
    assert [row["sqlid"] for row in after[:2]] == [failed["sqlid"]] * 2
    assert after[2]["sqlid"] == "06nvwn223659v"


@pytest.mark.parametrize("name", ["8i-centi", "9i-waits", "9i-binds", "demo_ora_4242"])
@pytest.mark.parametrize(
    "words", [("statements",), ("experiences",), ("calls",), ("gaps",), ("client",), ("binds",)]
)
def test_old_traces_have_an_answer_to_each_question(
    run: Run, name: str, words: tuple[str, ...]
) -> None:
    done = run("trace", *words, str(CASES / f"{name}.trc"))
    assert done.returncode in {0, 1}, done.stderr


def total(run: Run, path: Path) -> Any:
    return json.loads(run("trace", "--json", str(path)).stdout)["total"]


TRACE = HEADER + parsing(5, "select 1") + call("EXEC", 5, c=10, e=20, tim=1_000_000) * 300


@pytest.mark.parametrize(
    "pack",
    [
        bz2.compress,
        lzma.compress,
        lambda data: data.decode().encode("utf-16"),
        lambda data: data.decode().encode("utf-16-be"),
        lambda data: gzip.compress(data.decode().encode("utf-16")),
    ],
    ids=["bzip2", "xz", "utf-16", "utf-16-be", "utf-16.gz"],
)
def test_packed_traces_are_read(run: Run, tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    plain, packed = tmp_path / "a.trc", tmp_path / "b.trc"
    plain.write_text(TRACE)
    packed.write_bytes(pack(TRACE.encode()))
    assert total(run, packed) == total(run, plain)
    assert total(run, packed)["calls"] == 300


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress], ids=["bzip2", "xz"])
def test_damage_of_a_packed_trace_is_reported(
    run: Run, tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "a.trc"
    path.write_bytes(pack(TRACE.encode())[:-30])
    assert "its compressed data is damaged" in run("trace", str(path)).stderr


def archive_of(kind: str) -> bytes:
    packed = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("a.trc", TRACE)
    else:
        with tarfile.open(fileobj=packed, mode="w:gz" if kind == "tar.gz" else "w") as members:
            member = tarfile.TarInfo("a.trc")
            member.size = len(TRACE)
            members.addfile(member, io.BytesIO(TRACE.encode()))
    return packed.getvalue()


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_archives_are_refused_by_name(run: Run, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.trc"
    path.write_bytes(archive_of(kind))
    done = run("trace", str(path))
    assert (done.returncode, done.stdout) == (8, "")
    assert f"is a {kind.removesuffix('.gz')} archive: unpack it first" in done.stderr


def test_a_trace_in_utf_16_is_read() -> None:
    text = (CASES / "odd-utf16.trc").read_bytes().decode("utf-16")
    assert rows(text)[0]["name"] == "PARSE"
