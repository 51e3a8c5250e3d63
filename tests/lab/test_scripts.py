# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace lab sql`: the scripts that come with it as they stand, and how a script ends."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from polltrace.scenarios.script.runner import LONGEST_SCRIPT, SHIPPED
from tests.waiting import PATIENCE_S

from .conftest import Lab, settle

Sql = Callable[..., subprocess.CompletedProcess[str]]
WRONG = re.compile(r"^(ORA|PLS|SP2|DPY)-\d+", re.MULTILINE)
LOTSLIOS_GETS = 103_794  # at 10,000 rows: see the lab's README
# What runs each script as it stands, in this order: some need what others have made.
RUNS = {
    "lotslios": ["1000"],
    "lotslios_autotrace": ["1000"],
    "latency_setup": [],
    "latency_test": ["15"],
    "latency_cleanup": [],
    "snap_my_stats": [],
    "snap_events": [],
    "fetch_sizes": ["200"],
    "result_cache": [],
    "result_cache_lookups": ["50", "20"],
    "s": ["1,2"],
    "sw": ["1,2"],
    "ses": ["1,2", "sql"],
    "mys": ["time"],
    "snapper_statements": ["1,2"],
}


@pytest.fixture
def sql(one_lab: Lab, tmp_path: Path) -> Sql:
    """Run a script on the lab; a text with a line's end is the script itself."""

    def sql_(
        script: str, *arguments: str, stdin: str = "", target: str = "scott/tiger@{}"
    ) -> subprocess.CompletedProcess[str]:
        if "\n" in script:
            (tmp_path / "script.sql").write_text(script)
            script = "script"
        at = target.format(f"127.0.0.1:{one_lab.port}/LAB")
        words = ["lab", "sql", script, *arguments, "--target", at]
        return subprocess.run(
            [sys.executable, "-m", "polltrace", *words],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=PATIENCE_S,
            check=False,
        )

    return sql_


def printed(ended: subprocess.CompletedProcess[str]) -> str:
    """What a script printed that ended well."""
    assert (ended.returncode, ended.stderr) == (0, "")
    assert not WRONG.search(ended.stdout), ended.stdout
    return ended.stdout


def figure(name: str, text: str) -> int:
    """Of a line that has a number and the name."""
    found = re.search(rf"^ *([\d,]+) +{re.escape(name)}$", text, re.MULTILINE)
    assert found, text
    return int(found[1].replace(",", ""))


def figures(title: str, text: str) -> list[int]:
    """All rows of a query with one column of numbers."""
    return [int(n) for n in re.findall(rf"^ *{title}\n-+\n *(\d+)$", text, re.MULTILINE)]


def test_every_script_that_comes_with_it_runs(sql: Sql) -> None:
    assert sorted(RUNS) == sorted(path.stem for path in SHIPPED.glob("*.sql"))
    for name, arguments in RUNS.items():
        assert printed(sql(name, *arguments)), name


def test_autotrace_has_the_gets_that_the_server_counts(sql: Sql) -> None:
    text = printed(sql("lotslios_autotrace", "10000"))
    assert text.startswith("\n  COUNT(*)\n----------\n     10000\n\nElapsed: 00:")
    assert figure("consistent gets", text) == LOTSLIOS_GETS
    assert figure("rows processed", text) == 1
    assert figure("SQL*Net roundtrips to/from client", text) == 2
    assert figure("recursive calls", text) == figure("db block gets", text) == 0
    assert figure("bytes sent via SQL*Net to client", text) > 0
    assert "          -  redo size\n" in text  # which the lab does not count


def test_autotrace_shows_rows_unless_they_are_not_wanted(sql: Sql) -> None:
    script = "set autotrace {} statistics\nselect dummy from dual;\n"
    assert "\nX\n" in printed(sql(script.format("on")))
    assert "\nX\n" not in printed(sql(script.format("traceonly")))
    text = printed(sql("set autot trace stat\ncreate table at_t (n number);\n"
                       "insert into at_t select level from dual connect by level <= 7;\n"
                       "rollback;\ndrop table at_t;\n"))  # fmt: skip
    assert re.findall(r"(\d+)  rows processed", text) == ["0", "7", "0", "0"]
    assert "\n7 rows created.\n" in text


def test_there_is_no_plan_to_be_traced(sql: Sql) -> None:
    text = sql("set autotrace on\nselect dummy from dual;\n").stdout
    assert text.startswith("SP2-0611: Error enabling EXPLAIN report\n")
    assert figure("rows processed", text) == 1


def test_latency_counts_the_round_trips_of_each_fetch_size(sql: Sql) -> None:
    printed(sql("latency_setup"))
    trips = {}
    for fetch_size in (1, 7, 1000):
        text = printed(sql("latency_test", str(fetch_size)))
        assert "\n5000 rows selected.\n" in text
        assert re.search(r"^[\d.]+ ms a round trip$", text, re.MULTILINE)
        trips[fetch_size] = figure("network round trips", text)
    printed(sql("latency_cleanup"))
    # The first row comes with the execution; each fetch then has as many as it may.
    fetches = {n: -(-4999 // n) for n in trips}
    assert trips[7] - trips[1000] == fetches[7] - fetches[1000]
    # A full fetch does not show that it was the last one.
    assert trips[1] - trips[7] == fetches[1] + 1 - fetches[7]


def test_snapshots_count_the_waits_of_fetches(sql: Sql) -> None:
    for package in ("snap_my_stats", "snap_events"):
        printed(sql(package))
    text = printed(sql("fetch_sizes", "2000"))
    waits = {
        title: [int(n) for n in re.findall(rf"^{re.escape(title)} +(\d+) ", text, re.MULTILINE)]
        for title in ("SQL*Net message from client", "SQL*Net message to client")
    }
    # The execution with a row, the fetches, and the calls that take the snapshots.
    expected = [1 + 100 + 3, 1 + 1 + 3, 4, 4]
    assert list(waits.values()) == [expected, expected]
    # Only the large fetch is more than a packet.
    assert len(re.findall(r"^SQL\*Net more data to client +\d", text, re.MULTILINE)) == 1
    assert text.count("\n2000 rows\n") == 1
    assert text.count("\n3 fetches\n") == 1
    round_trips = re.findall(r"^SQL\*Net roundtrips to/from client +(\d+)$", text, re.MULTILINE)
    assert int(round_trips[0]) - int(round_trips[1]) == 99


def test_the_result_cache_takes_two_gets_of_the_latch(
    start_lab: Callable[..., Lab], sql: Sql
) -> None:
    own = start_lab()
    text = printed(sql("result_cache", target=f"scott/tiger@127.0.0.1:{own.port}/LAB"))
    before, built, found = figures("GETS", text)
    assert before == 0
    assert built >= 200
    assert found - built == 2


def test_lookups_in_the_result_cache_get_its_latch(sql: Sql) -> None:
    text = printed(sql("result_cache_lookups", "10", "300"))
    gets = [int(n) for n in re.findall(r"^ +GETS .*\n-.*\n *(\d+) ", text, re.MULTILINE)]
    # Nine keys are built at most, every other lookup finds its result.
    assert gets[1] - gets[0] >= 2 * (300 - 9)
    assert len(re.findall(r"^Total: +\d+$", text, re.MULTILINE)) == 2


def test_what_a_session_waits_for(one_lab: Lab, sql: Sql) -> None:
    idle = one_lab.connect()
    sid = idle.sid
    settle(one_lab.connect(), sid)
    for script in ("s", "sw"):
        [row] = re.findall(rf"^ +{sid} .*$", printed(sql(script, str(sid))), re.MULTILINE)
        assert re.search(r" WAITING +SQL\*Net message from client ", row)
    text = printed(sql("ses", str(sid), "ROUNDTRIPS"))
    trips = idle.statistic_of(sid, "SQL*Net roundtrips to/from client")
    [seen] = re.findall(rf"^ +{sid} SQL\*Net roundtrips to/from client +(\d+)$", text, re.M)
    assert int(seen) == trips - 1  # that of our own question came after it
    snapped = printed(sql("snapper_statements", str(sid)))
    assert re.search(r"^WAIT\b", snapped, re.M)
    assert re.search(r"^TIME\b", snapped, re.M)


def test_a_script_by_standard_input_answers_its_own_questions(sql: Sql) -> None:
    script = "accept x prompt 'x? '\n40 + 2\nset verify off\nselect &x n, &&y m from dual;\n7\n"
    text = printed(sql("-", stdin=script + "select &y n from dual;\n"))
    assert text.startswith("x? Enter value for y: \n")
    assert re.findall(r"\d+", text) == ["42", "7", "7"]


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("prompt x\n", 0),
        ("exit 7\n", 7),
        ("exit failure\n", 1),
        ("quit warning rollback\n", 2),
        ("variable n number\nexec :n := 9\nexit :n\n", 9),
        ("define n = 11\nexit n\n", 11),
        ("select foo from dual;\n", 0),
        ("whenever sqlerror exit 3\nselect foo from dual;\nexit 4\n", 3),
        ("whenever sqlerror exit sql.sqlcode\nselect foo from dual;\n", 904 % 256),
        ("whenever sqlerror exit sql.sqlcode\nexec raise_application_error(-20224, 'x')\n", 1),
        ("whenever sqlerror exit 3\nwhenever sqlerror continue\nselect foo from dual;\n", 0),
        ("whenever oserror exit 5\n@not_there\nexit 4\n", 5),
        ("frobnicate\nexit 6\n", 6),
    ],
)
def test_exit_codes(sql: Sql, script: str, code: int) -> None:
    assert sql(script).returncode == code


def test_the_end_commits_and_rollback_is_asked_for(sql: Sql) -> None:
    printed(sql("create table ends (n number);\n"))
    count = "set feedback off\nselect count(*) n from ends;\n"
    for script, rows in [
        ("insert into ends values (1);\n", 1),
        ("insert into ends values (2);\nexit rollback\n", 1),
        ("set exitcommit off\ninsert into ends values (2);\nexit\n", 1),
        ("whenever sqlerror exit rollback\ninsert into ends values (3);\nselect x from y;\n", 1),
        ("insert into ends values (4);\nconnect scott/tiger\nrollback;\n", 2),
    ]:
        sql(script)
        assert figures("N", sql(count).stdout) == [rows], script
    printed(sql("drop table ends;\n"))


def test_an_error_has_its_place(sql: Sql) -> None:
    ended = sql(
        "select dummy,\n       foo\nfrom dual;\nexec bar\nbegin\n  null;\n  bar;\nend;\n/\n"
    )
    assert ended.stdout == (
        "       foo\n       *\nERROR at line 2:\nORA-00904: \"FOO\": invalid identifier\n\n"
        "BEGIN bar; END;\n\n      *\nERROR at line 1:\nORA-06550: line 1, column 7:\n"
        "PLS-00201: identifier 'BAR' must be declared\n\n"
        "  bar;\n  *\nERROR at line 3:\nORA-06550: line 3, column 3:\n"
        "PLS-00201: identifier 'BAR' must be declared\n\n"
    )  # fmt: skip


def test_what_is_no_command(sql: Sql) -> None:
    ended = sql(
        "frobnicate\nfrobnicate it\nhost ls\n!ls\ndescribe t\nset foo on\n;x\n/\n@nothing\n"
    )
    assert ended.stdout.splitlines() == [
        'SP2-0042: unknown command "frobnicate" - rest of line ignored.',
        'SP2-0734: unknown command beginning "frobnicate..." - rest of line ignored.',
        'SP2-0738: Restricted command "host" not available',
        'SP2-0738: Restricted command "host" not available',
        'SP2-0738: Restricted command "describe" not available',
        'SP2-0158: unknown SET option "foo"',
        'SP2-0042: unknown command ";x" - rest of line ignored.',
        "SP2-0103: Nothing in SQL buffer to run.",
        'SP2-0310: unable to open file "nothing"',
    ]


def test_scripts_call_each_other(sql: Sql, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "one.sql").write_text("prompt one &1 &2\n@@two 3\n")
    (tmp_path / "inner" / "two.sql").write_text("prompt two &1 &2\n")
    text = printed(sql("@inner/one a 'b c'\nprompt &1\n"))
    assert text.splitlines() == ["one a b c", "two 3 b c", "3"]


def test_a_script_that_calls_itself_ends(sql: Sql) -> None:
    ended = sql("prompt x\n@script\n")
    assert ended.stdout.splitlines() == ["x"] * 20 + [
        "SP2-0309: SQL*Plus command procedures may only be nested to a depth of 20."
    ]


def test_what_is_spooled(sql: Sql, tmp_path: Path) -> None:
    script = (
        "set linesize 20 termout off\nspool it\nselect dummy from dual;\nset trimspool on\n"
        "prompt there\n/\nspool off\nset termout on\nprompt here\nspool it append\n"
        "prompt more\nspool off\nspool /nowhere/out\n"
    )
    ended = sql(script)
    assert ended.stdout.splitlines() == [
        "here",
        "more",
        'SP2-0606: Cannot create SPOOL file "/nowhere/out.lst": No such file or directory',
    ]
    wide = [" " * 20, "D" + " " * 19, "-" + " " * 19, "X" + " " * 19, ""]
    assert (tmp_path / "it.lst").read_text().split("\n") == [
        *wide, "there", "", "D", "-", "X", "", "more", "",
    ]  # fmt: skip


@pytest.mark.parametrize("off", [True, False])
def test_a_full_disk_is_said(sql: Sql, tmp_path: Path, off: bool) -> None:
    (tmp_path / "it.lst").symlink_to("/dev/full")
    ended = sql("spool it\nprompt there\n" + "spool off\nprompt here\n" * off)
    said = 'SP2-0308: cannot close spool file "it.lst": No space left on device'
    if off:
        assert (ended.returncode, ended.stdout) == (0, f"there\n{said}\nhere\n")
    else:  # the script has ended
        assert (ended.returncode, ended.stdout) == (8, "there\n")
        assert ended.stderr == f"polltrace: {said}\n"


def test_variables(sql: Sql) -> None:
    script = (
        "set serveroutput on feedback off\nvariable n number\nvariable v varchar2(20)\n"
        "variable c refcursor\n"
        "begin :n := 1.50; :v := 'x' || :n; open :c for select 7 seven from dual;"
        " dbms_output.put_line('said'); end;\n/\n"
        "print n v\nprint c\nprint nothing\nselect :n + 1 n from dual;\nselect :m from dual;\n"
        "connect scott/tiger\nselect :v v from dual;\n"
    )
    words = sql(script).stdout.split("\n")
    assert [line.strip() for line in words if line.strip() and "---" not in line] == [
        "said", "N", "1.5", "V", "x1.5", "SEVEN", "7",
        'SP2-0552: Bind variable "NOTHING" not declared.', "N", "2.5",
        'SP2-0552: Bind variable "M" not declared.', "Connected.", "V", "x1.5",
    ]  # fmt: skip


def test_a_columns_new_value(sql: Sql) -> None:
    script = (
        "set verify off\ncolumn n new_value now noprint\ncolumn t new_value text\n"
        "select 5 n, 'a b' t from dual;\nprompt [&now] [&text]\n"
    )
    assert printed(sql(script)).splitlines()[-1] == "[         5] [a b]"


def test_long_lines_of_output_come_whole(sql: Sql) -> None:
    script = (
        "set serveroutput on feedback off\nbegin\n  for i in 1..300 loop\n"
        "    dbms_output.put_line(rpad(to_char(i), 100, '.'));\n  end loop;\n"
        "  dbms_output.put_line(rpad('long', 4000, '.'));\n  dbms_output.put_line(null);\n"
        "  dbms_output.put_line('last');\nend;\n/\n"
    )
    lines = printed(sql(script)).split("\n")
    assert [len(line) for line in lines] == [100] * 300 + [4000, 0, 4, 0]
    assert lines[299].startswith("300.")


def test_dates_are_shown_by_the_sessions_format(sql: Sql) -> None:
    script = (
        "set pagesize 0 feedback off\nselect date '2024-02-29' d from dual;\n"
        "alter session set nls_date_format = 'YYYY-MM-DD HH24:MI:SS';\n/\n"
        "select date '2024-02-29' d from dual;\nalter session set nls_date_format = 'J';\n"
        "select date '2024-02-29' d from dual;\n"
    )
    assert printed(sql(script)).splitlines() == [
        "29-FEB-24",
        "2024-02-29 00:00:00",
        "Dates are shown by DD-MON-RR: the runner cannot follow 'J'",
        "29-FEB-24",
    ]


def test_a_session_that_is_killed_is_no_session(one_lab: Lab, sql: Sql) -> None:
    script = "disconnect\nselect 1 from dual;\nconnect scott/wrong\nselect 1 from dual;\n"
    ended = sql(script)
    first, second, third = (line[:9] for line in ended.stdout.splitlines())
    assert (first, second, third) == ("SP2-0640:", "ORA-01017", "SP2-0640:")


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["sql"], 2, "sql takes a FILE"),
        (["start", "x.sql"], 2, "sql takes a FILE"),
        (["status", "--target", "a@b/c"], 2, "go with sql, not status"),
        (["sql", "x", "--target", "a/b"], 2, "name the user"),
        (["sql", "not_there", "--target", "scott/tiger@{}"], 8, "cannot read not_there"),
        (["sql", "not_there"], 8, "cannot read not_there"),
        (["sql", "lotslios"], 6, "runs in the background: 'polltrace lab start'"),
        (["sql", "-"], 6, "runs in the background: 'polltrace lab start'"),
        (["sql", "lotslios", "--target", "scott/wrong@{}"], 7, "ORA-01017"),
        (["sql", "fifo.sql", "--target", "scott/tiger@{}"], 8, "it is no regular file"),
        (["sql", "zero.sql", "--target", "scott/tiger@{}"], 8, "it is no regular file"),
        (["sql", "large.sql", "--target", "scott/tiger@{}"], 8, "it is longer than 4096 KiB"),
        (["sql", "binary.sql", "--target", "scott/tiger@{}"], 8, "it is not UTF-8"),
    ],
)
def test_what_cannot_be_run_is_one_line(
    one_lab: Lab, tmp_path: Path, words: list[str], code: int, why: str
) -> None:
    os.mkfifo(tmp_path / "fifo.sql")
    (tmp_path / "zero.sql").symlink_to("/dev/zero")
    with (tmp_path / "large.sql").open("wb") as file:
        file.truncate(LONGEST_SCRIPT + 1)
    (tmp_path / "binary.sql").write_bytes(b"prompt \xff\n")
    at = f"127.0.0.1:{one_lab.port}/LAB"
    ended = subprocess.run(
        [sys.executable, "-m", "polltrace", "lab", *(word.format(at) for word in words)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"XDG_STATE_HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (code, "")
    assert ended.stderr.count("\n") == 1
    assert why in ended.stderr
