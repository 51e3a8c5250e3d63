# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace trace`: its flags and words, and files that are not as they should be."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
import zstandard

from tests.conftest import POLLTRACE, Run
from tests.sqltrace.test_rules import BINDS
from tests.sqltrace.traces import HEADER, call, parsing, wait

CLIENT = "SQL*Net message from client"
TRACE = (
    HEADER
    + parsing(5, "select * from t where a = :a and b = ':x'")
    + BINDS.format(between="")
    + call("EXEC", 5, c=10, e=20, tim=1_000_000)
    + call("FETCH", 5, c=5, e=9, tim=1_000_100, r=2)
    + wait(5, CLIENT, 400, 1_000_600)
    + call("FETCH", 5, c=5, e=9, tim=1_000_700, r=2)
    + "STAT #5 id=1 cnt=4 pid=0 pos=1 obj=9 op='SORT ORDER BY (cr=6 pr=0 pw=0 str=1 time=18 us)'\n"
    + "STAT #5 id=2 cnt=4 pid=1 pos=1 obj=9 op='TABLE ACCESS FULL T (cr=6 pr=0 pw=0 time=9 us)'\n"
    + wait(5, CLIENT, 5_000_000, 6_001_000)
    + parsing(7, "begin p; end;", sqlid="block")
    + parsing(8, "select 2 from dual", dep=1, sqlid="inner")
    + wait(8, "db file sequential read", 30, 6_002_060)
    + call("FETCH", 8, c=20, e=60, tim=6_002_080, dep=1)
    + call("EXEC", 7, c=50, e=100, tim=6_002_100)
)

TURNS = (
    "*** SESSION ID:(1.1) 2023-08-30 23:05:42.000\n"
    + parsing(5, "select 1", sqlid="ofone")
    + call("PARSE", 5, c=1, e=10, tim=4_980)
    + call("EXEC", 5, c=1, e=20, tim=5_000)
    + "*** SESSION ID:(2.1) 2023-08-30 23:05:42.000\n"
    + parsing(6, "select 2", sqlid="oftwo")
    + call("EXEC", 6, c=1, e=10, tim=9_000)
    + "*** SESSION ID:(1.1) 2023-08-30 23:05:42.000\n"
    + call("FETCH", 5, c=1, e=10, tim=20_000)
    + call("EXEC", 5, c=1, e=10, tim=20_010)
    + "*** SESSION ID:(2.1) 2023-08-30 23:05:42.000\n"
    + call("EXEC", 6, c=1, e=10, tim=9_010)
    + call("FETCH", 6, c=1, e=10, tim=9_020)
)
"""Two sessions that take turns in a file, of which the second had parsed before."""


@pytest.fixture
def trace(tmp_path: Path) -> str:
    path = tmp_path / "a.trc"
    path.write_text(TRACE)
    return str(path)


def data(run: Run, *words: str) -> Any:
    return json.loads(run("trace", "--json", *words).stdout)


def test_packed_files_are_read_as_they_are(run: Run, tmp_path: Path, trace: str) -> None:
    (tmp_path / "g").mkdir()
    (tmp_path / "g" / "b.trc.gz").write_bytes(gzip.compress(TRACE.encode()) * 2)
    (tmp_path / "g" / "c.trc.zst").write_bytes(zstandard.compress(TRACE.encode()) * 2)
    (tmp_path / "g" / "ignored.txt").write_text(TRACE)
    one, four = data(run, trace)["total"], data(run, str(tmp_path / "g"))["total"]
    assert four["calls"] == 4 * one["calls"]
    assert data(run, str(tmp_path / "*" / "*.gz"))["total"]["calls"] == 2 * one["calls"]


def test_stdin_and_a_fifo(trace: str, tmp_path: Path) -> None:
    words = [POLLTRACE, "trace", "--json"]
    with Path(trace).open() as given:
        piped = subprocess.check_output([*words, "-"], stdin=given, text=True)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=lambda: fifo.write_text(TRACE))
    writer.start()
    read = subprocess.check_output([*words, str(fifo)], text=True)
    writer.join()
    assert json.loads(read)["total"] == json.loads(piped)["total"]


def test_a_damaged_file_is_read_as_far_as_it_goes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.trc.gz"
    path.write_bytes(gzip.compress((TRACE * 50).encode())[:-300])
    done = run("trace", "--json", str(path))
    assert "its compressed data is damaged" in done.stderr
    assert json.loads(done.stdout)["total"]["calls"] > 50


def test_many_empty_files(run: Run, tmp_path: Path) -> None:
    for i in range(2_000):
        (tmp_path / f"{i}.trc").touch()
    done = run("trace", str(tmp_path))
    assert done.returncode == 1
    assert "no calls match" in done.stderr


def test_a_folder_that_links_to_itself_and_holds_a_fifo(run: Run, tmp_path: Path) -> None:
    below = tmp_path / "d" / "e"
    below.mkdir(parents=True)
    (below / "a.trc").write_text(TRACE)
    (tmp_path / "d" / "again").symlink_to(".")
    (below / "up").symlink_to("..")
    os.mkfifo(below / "fifo.trc")
    alone = json.loads(run("trace", "--json", str(below / "a.trc")).stdout)
    found = run("trace", "--json", str(tmp_path / "d"))
    assert json.loads(found.stdout)["total"] == alone["total"]
    assert f"{below}/fifo.trc is no regular file: not read" in found.stderr
    (below / "fifo.trc").unlink()
    found = run("trace", "--json", f"{tmp_path}/**/*.trc")
    assert json.loads(found.stdout)["total"] == alone["total"]


def test_a_trace_that_goes_on_in_another_file(run: Run, tmp_path: Path) -> None:
    """As where a session changes its TRACEFILE_IDENTIFIER."""
    first, second = tmp_path / "a.trc", tmp_path / "a_b.trc"
    first.write_text(TRACE + f"*** TRACE CONTINUES IN FILE {second} ***\n")
    began = f"{HEADER}*** TRACE CONTINUED FROM FILE {first} ***\n"
    second.write_text(began + call("EXEC", 5, c=10, e=20, tim=7_000_000))
    done = run("trace", "--json", str(tmp_path), "--group", "sqlid", "--name", "EXEC")
    found = {each["group"]: each["calls"] for each in json.loads(done.stdout)["rows"]}
    assert found == {"7cmmb5pvfds2d": 1, "block": 1, "#5": 1}
    assert f"{first}: goes on in another file, which has the calls after that" in done.stderr
    assert f"{second}: goes on from another file: statements that were parsed" in done.stderr


def test_nothing_in_a_trace_commands_the_terminal(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    path.write_bytes(wait(1, "\x1b[2J\u202eevil", 3, 5).encode() + b"\x1b]0;kind\x07\n")
    done = run("trace", str(path))
    assert "\x1b" not in done.stdout + done.stderr
    assert "?[2J?evil" in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("no-such.trc",), 8, "no-such.trc: no such file or directory"),
        (("",), 8, "a trace file's name is empty"),
        (("crop", "", "-o", "/nonexistent"), 8, "a trace file's name is empty"),
        (("--where", "durr < 1"), 2, "there is no column durr; did you mean dur?"),
        (("--where", "$durr < 1"), 2, "there is no $durr; did you mean dur?"),
        (("--where", "dur <"), 2, "syntax error"),
        (("--name", "("), 2, "missing )"),
        (("--name", ":dbcalls"), 2, "there is no class :dbcalls"),
        (("--sort", "99nd"), 2, "--sort 99nd"),
        (("--name", "no such name"), 1, "no calls match"),
        (("--sql", "select * from read_csv('/etc/passwd')"), 2, "disabled by configuration"),
        (("--histogram", "--group", "sqlid"), 2, "leave out --group"),
        (("crop",), 2, "-o OUT"),
        (("a" * 300,), 8, "File name too long"),
    ],
)
def test_errors_are_one_line(
    run: Run, trace: str, words: tuple[str, ...], code: int, said: str
) -> None:
    done = run("trace", *words, *([] if {"no-such.trc", ""} & {*words} else [trace]))
    assert done.returncode == code
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_recursive_calls_are_left_out_unless_they_are_asked_for(run: Run, trace: str) -> None:
    assert data(run, trace, "--name", "FETCH")["total"]["calls"] == 2
    assert data(run, trace, "--name", "FETCH", "--alldepths")["total"]["calls"] == 3


def test_csv_and_sql_and_parquet_agree(run: Run, trace: str, tmp_path: Path) -> None:
    listed = list(csv.DictReader(io.StringIO(run("trace", "--csv", trace).stdout)))
    assert [row["name"] for row in listed] == [CLIENT, "EXEC", "db file sequential read", "FETCH"]
    query = "select name, sum(dur) as s from calls where dep = 0 or kind = 'wait' group by 1"
    answered = {row["name"]: row["s"] for row in data(run, trace, "--sql", query)["rows"]}
    assert {row["name"]: float(row["duration_s"]) for row in listed} == pytest.approx(answered)
    out = tmp_path / "calls.parquet"
    assert run("trace", trace, "--alldepths", "--parquet", str(out)).returncode == 0
    table = pyarrow.parquet.read_table(out)
    assert table.num_rows == 8
    assert table["binds"].to_pylist()[0] == ["1686", "3045392", None, None]


def test_sql_may_use_calls_twice_and_the_files(run: Run, trace: str) -> None:
    query = "select (select count(*) from calls) + (select count(*) from calls) as n, f.pid_count "
    query += "from (select count(*) as pid_count from files) f"
    assert data(run, trace, "--sql", query)["rows"] == [{"n": 16, "pid_count": 1}]


def test_statements_with_waits_and_plans(run: Run, trace: str) -> None:
    found = {each["sqlid"]: each for each in data(run, "statements", trace)["rows"]}
    assert set(found) == {"7cmmb5pvfds2d", "block", "inner"}
    fetch = found["7cmmb5pvfds2d"]["calls"][1]
    assert (fetch["call"], fetch["count"], fetch["rows"]) == ("FETCH", 2, 4)
    assert [row["operation"] for row in found["7cmmb5pvfds2d"]["plan"]] == [
        "SORT ORDER BY", "TABLE ACCESS FULL T"
    ]  # fmt: skip
    # What a call contains is in the inner one alone.
    assert found["block"]["elapsed_s"] == pytest.approx(40e-6)
    assert found["inner"]["waits"][0]["event"] == "db file sequential read"
    assert "SQL ID: inner" in run("trace", "statements", trace).stdout


def test_texts_without_their_literals_are_one_statement(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    path.write_text(
        "".join(
            parsing(i, f"select * from t where a = 'x{i}' and b = {i}", sqlid=f"id{i}")
            + call("EXEC", i, c=10, e=20, tim=1_000_000 * (i + 1))
            for i in range(3)
        )
        + parsing(7, "select * from u", sqlid="other")
        + call("EXEC", 7, c=1, e=2, tim=9_000_000)
    )
    assert len(data(run, "statements", str(path))["rows"]) == 4
    found = data(run, "statements", str(path), "--force-match")["rows"]
    assert [each["calls"][0]["count"] for each in found] == [3, 1]
    assert found[0]["elapsed_s"] == pytest.approx(60e-6)


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("2nd", [CLIENT, "EXEC", "db file sequential read", "FETCH"]),
        ("2na", ["FETCH", "db file sequential read", "EXEC", CLIENT]),
        ("4nd", ["EXEC", "FETCH", CLIENT, "db file sequential read"]),
        ("1a", ["EXEC", "FETCH", CLIENT, "db file sequential read"]),
        ("1d", ["db file sequential read", CLIENT, "FETCH", "EXEC"]),
        ("no", ["EXEC", "FETCH", CLIENT, "db file sequential read"]),
    ],
)
def test_the_order_of_groups(run: Run, tmp_path: Path, sort: str, names: list[str]) -> None:
    path = tmp_path / "a.trc"
    path.write_text(TRACE + 2 * call("EXEC", 5, c=1, e=1, tim=7_000_000))
    found = data(run, str(path), "--sort", sort)["rows"]
    assert [each["name"] for each in found] == names
    (first,) = data(run, str(path), "--sort", sort, "--top", "1")["rows"]
    assert first == found[0]


def test_percentiles_are_by_the_nearest_rank(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    path.write_text("".join(wait(1, "x", i * i, 1000 + i) for i in range(1, 12)))
    (found,) = data(run, str(path))["rows"]
    assert [found[f"p{part}_s"] for part in (50, 90, 99)] == [36e-6, 100e-6, 121e-6]


def test_round_trips_and_think_time(run: Run, trace: str) -> None:
    (found,) = data(run, "client", trace)["rows"]
    assert (found["round_trips"], found["network_s"]) == (1, pytest.approx(400e-6))
    assert (found["thinks"], found["think_s"]) == (1, pytest.approx(5))


def test_saving_of_another_array_size(run: Run, trace: str) -> None:
    found = data(run, "fetches", trace, "--array-size", "10")["rows"]
    assert found[0]["sqlid"] == "7cmmb5pvfds2d"
    assert (found[0]["fetches"], found[0]["rows"], found[0]["saved_trips"]) == (2, 4, 1)
    assert found[0]["saved_s"] == pytest.approx(400e-6)


def test_the_tree_of_an_experience(run: Run, trace: str) -> None:
    last = max(each["line"] for each in data(run, "experiences", trace)["rows"])
    lines = run("trace", "calls", trace, "--experience", str(last)).stdout.splitlines()[1:]
    found = [line for line in lines if "block" in line or "inner" in line]
    assert [line.split("  ")[-2].strip() for line in found] == [
        "EXEC", "· FETCH", "· · db file sequential read"
    ]  # fmt: skip


def test_calls_that_nest_deeper_than_oracle_s(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "deep.trc"
    deep = [call("EXEC", i, c=1, e=1000 * i, dep=3000 - i, tim=10**9 + i) for i in range(1, 3001)]
    path.write_text("".join(deep))
    for words in ((), ("--json",)):
        done = run("trace", "calls", str(path), *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert "calls nest 3,000 deep" in done.stderr
    assert run("trace", "page", str(path), "-o", str(tmp_path / "a.html")).returncode == 0


def test_a_plan_row_with_a_number_that_is_none(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    row = "STAT #1 id={} cnt={} pid=0 pos=1 obj=0 op='SORT (cr=1 pr=0 pw=0 time=5 us)'\n"
    rows = row.format(1, 7) + row.format(2, "9" * 5000)
    path.write_text(parsing(1, "select 1") + call("EXEC", 1, c=1, e=1, tim=10) + rows)
    (found,) = data(run, "statements", str(path))["rows"]
    assert [(each["id"], each["rows"]) for each in found["plan"]] == [(1, 7)]


def test_gaps_are_where_no_record_is(run: Run, trace: str) -> None:
    found = data(run, "gaps", trace)["rows"][0]
    # From the end of the think time to the begin of the block.
    assert found["gap_s"] == pytest.approx((6_002_000 - 6_001_000) * 1e-6)


def test_gaps_are_a_session_s_own(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    path.write_text(TURNS)
    (found,) = data(run, "gaps", str(path))["rows"]
    # From the end of session 1's first call to the begin of its second one.
    assert found["sid"] == 1
    assert found["gap_s"] == pytest.approx((19_990 - 5_000) * 1e-6)


def test_binds_in_their_places(run: Run, trace: str) -> None:
    printed = run("trace", "binds", trace).stdout
    assert "select * from t where a = '1686' and b = ':x';" in printed


def test_bound_values_are_unchanged_and_stay_on_their_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a\ndrop table t;.trc"
    binds = ' Bind#0\n  oacdty=01\n  value="a\x1b[2J\'b"\n Bind#1\n  oacdty=02\n  value=1.2.3\n'
    executed = call("EXEC", 1, c=1, e=1, tim=10)
    path.write_text(f"{parsing(1, 'select :a, :b from dual')}BINDS #1:\n{binds}{executed}")
    comment, sql = run("trace", "binds", str(path)).stdout.splitlines()
    assert comment.startswith("-- ")
    assert sql == "select ('a'||chr(27)||'[2J''b'), '1.2.3' from dual;"


def test_no_cell_of_a_table_is_a_formula(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    names = ["=1+1", "+1", "-1", "@f", "\t=1", " =1", "plain"]
    path.write_text("".join(wait(0, name, 1, 10) for name in names))
    shown = run("trace", "--csv", str(path)).stdout
    groups = {row["name"] for row in csv.DictReader(io.StringIO(shown))}
    assert groups == {"plain", *(f"'{name}" for name in names[:-1])}
    query = ("--sql", "select name, -1 as number from calls limit 1")
    assert run("trace", "--csv", *query, str(path)).stdout == "name,number\n'=1+1,-1\n"


def test_the_folder_of_a_killed_process_is_removed(run: Run, tmp_path: Path, trace: str) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    folder = "from polltrace.sqltrace.spill_folder import SpillFolder; folder = SpillFolder()"
    environment = os.environ | {"TMPDIR": str(temporary)}
    killed = subprocess.run(
        [sys.executable, "-c", f"{folder}; import os; os.kill(os.getpid(), 9)"],
        env=environment,
        check=False,
    )
    assert killed.returncode == -9
    (abandoned,) = temporary.iterdir()
    with subprocess.Popen(
        [sys.executable, "-c", f"{folder}; print(folder.path, flush=True); input()"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout
        used = Path(other.stdout.readline().strip())
        assert list(temporary.iterdir()) == [used]
        command = [POLLTRACE, "trace", "--sql", "select count(*) from calls", trace]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        assert list(temporary.iterdir()) == [used]
        assert abandoned != used
        other.communicate("\n")


def test_differences_between_two_traces(run: Run, trace: str, tmp_path: Path) -> None:
    slower = tmp_path / "b.trc"
    slower.write_text(TRACE.replace("ela= 30 ", "ela= 55 "))
    first = data(run, "diff", trace, str(slower))["rows"][0]
    assert first["group"] == "db file sequential read"
    assert first["difference_s"] == pytest.approx(25e-6)


def test_a_part_of_a_file_answers_as_the_whole_does(run: Run, trace: str, tmp_path: Path) -> None:
    part = tmp_path / "part.trc"
    where = ("--where", "sqlid = '7cmmb5pvfds2d'")
    assert run("trace", "crop", trace, "-o", str(part), *where).returncode == 0
    of_part, of_whole = (data(run, file, *where, "--alldepths") for file in (str(part), trace))
    assert of_part["rows"] == of_whole["rows"]
    assert "db file sequential read" not in part.read_text()
    assert run("trace", "crop", trace, "-o", str(part)).returncode == 8


@pytest.mark.parametrize("turns", [TURNS, re.sub(r" sqlid='\w+'", "", TURNS)], ids=["11g", "10g"])
def test_a_part_of_a_file_has_the_sessions_and_statements_of_its_calls(
    run: Run, tmp_path: Path, turns: str
) -> None:
    whole, part = tmp_path / "a.trc", tmp_path / "part.trc"
    whole.write_text(turns)
    where = ("--where", "name = 'FETCH'")
    assert run("trace", "crop", str(whole), "-o", str(part), *where).returncode == 0
    sessions = "select sid, sqlid, sql from calls where name = 'FETCH' order by line"
    of_part, of_whole = (data(run, str(each), "--sql", sessions) for each in (part, whole))
    assert of_part["rows"] == of_whole["rows"]
    assert [each["sid"] for each in of_part["rows"]] == [1, 2]
    assert part.read_text().count("PARSE #5:") == 1


def test_one_page_has_the_timeline_and_the_flame_graph(
    run: Run, trace: str, tmp_path: Path
) -> None:
    page = tmp_path / "a.html"
    assert run("trace", "page", trace, "-o", str(page)).returncode == 0
    text = page.read_text()
    assert "db file sequential read" in text
    assert text.count("<rect") > 4
    assert "iframe" in text


def test_a_file_that_grows_is_read_up_to_where_it_was(tmp_path: Path) -> None:
    from polltrace.sqltrace.inputs import TraceInput  # noqa: PLC0415

    path = tmp_path / "a.trc"
    path.write_text(TRACE)
    opened = TraceInput(str(path))
    with path.open("a") as more:
        more.write(TRACE)
    buffer, count = bytearray(1 << 16), 0
    while part := opened.readinto(memoryview(buffer)):
        count += part
    assert count == len(TRACE.encode())


def test_a_scanner_that_is_not_built_is_one_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "a.trc"
    trace.write_text("CLOSE #1:c=0,e=5,dep=0,type=0,tim=10\n")
    monkeypatch.setenv("POLLTRACE_SQLTRACE", "/no/such")
    ended = run("trace", str(trace))
    assert (ended.returncode, ended.stdout) == (4, "")
    assert len(ended.stderr.splitlines()) == 1
