# SPDX-License-Identifier: GPL-2.0-or-later
"""The meaning of a line, and the facts that the lines around it add."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.sqltrace.traces import HEADER, call, parsing, rows, scan, wait

CLIENT = "SQL*Net message from client"


def test_a_call_has_its_fields_and_what_came_before() -> None:
    trace = HEADER + parsing(5, "select 1\nfrom dual") + call("EXEC", 5, c=7, e=9, tim=2000, r=1)
    (found,) = rows(trace)
    assert found["name"] == "EXEC"
    assert (found["c_us"], found["e_us"], found["cr"], found["r"]) == (7, 9, 3, 1)
    assert (found["sqlid"], found["sql"]) == ("7cmmb5pvfds2d", "select 1\nfrom dual")
    assert (found["sid"], found["serial"], found["pid"]) == (39, 64812, 4711)
    assert found["service"] == "app"
    assert found["module"] == "perl@host (TNS V1-V3)"
    assert found["time"] == datetime(2023, 8, 30, 23, 5, 42)
    assert trace.split("\n")[found["line"] - 1].startswith("EXEC")
    assert trace[found["byte_offset"] :].startswith("EXEC #5")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("WAIT #5: nam='log file sync' ela= 3 buffer#=158 sync scn=38 p3=0 obj#=-1 tim=9",
         (3, 158, 38, 0, -1, 9)),
        ("WAIT #5: nam='enq: TX - row lock contention' ela=3 name|mode=7 usn<<16 | slot=8 "
         "sequence=9 obj#=4 tim=9", (3, 7, 8, 9, 4, 9)),
        ("WAIT #5: nam='odd' ela= 3 0=1 0=2 0=18446744073709551615 obj#=1 tim=9",
         (3, 1, 2, -1, 1, 9)),
        ("WAIT #5: nam='of 9i' ela= 3 p1=1 p2=2 p3=3", (3, 1, 2, 3, None, None)),
    ],
)  # fmt: skip
def test_parameters_of_a_wait(line: str, expected: tuple[int | None, ...]) -> None:
    (found,) = rows(line + "\n")
    names = ("ela_us", "p1", "p2", "p3", "obj", "tim_us")
    assert tuple(found[name] for name in names) == expected


def test_a_cursor_number_stands_for_its_latest_statement() -> None:
    trace = (
        wait(5, CLIENT, 1, 900)
        + parsing(5, "select 1", sqlid="first")
        + call("EXEC", 5, c=0, e=1, tim=1001)
        + parsing(5, "select 2", sqlid="second")
        + call("EXEC", 5, c=0, e=1, tim=1002)
        + wait(0, "log file sync", 1, 1003)
    )
    assert [each["sqlid"] for each in rows(trace)] == ["#5", "first", "second", "#0"]


def test_the_children_of_a_call_are_not_counted_twice() -> None:
    trace = (
        parsing(1, "begin p; end;")
        + parsing(2, "select 1", dep=1)
        + wait(2, "db file sequential read", 30, 1_000_150)
        + call("FETCH", 2, c=50, e=100, tim=1_000_200, dep=1)
        + wait(1, "latch free", 20, 1_000_250)
        + call("EXEC", 1, c=90, e=300, tim=1_000_400)
    )
    inner, outer = (each for each in rows(trace) if each["kind"] == "call")
    assert (inner["xc_us"], inner["wait_us"], inner["uaf_us"]) == (50, 30, 20)
    assert (outer["xc_us"], outer["xe_us"]) == (40, 200)
    assert (outer["wait_us"], outer["uaf_us"]) == (50, 300 - 90 - 50)
    assert outer["first_line"] == inner["first_line"] < inner["line"] < outer["line"]
    assert scan(trace)[1].orphan_calls == 0


@pytest.mark.parametrize(
    ("early", "end", "orphans"),
    [(30, 1_000_300, 0), (31, 1_000_300, 1), (20, 1_000_120, 0), (20, 1_000_110, 1)],
)
def test_a_call_may_begin_a_little_before_the_one_that_contains_it(
    early: int, end: int, orphans: int
) -> None:
    """Ends and durations are rounded and taken one after the other; half of it is inside."""
    begin = 1_000_100 - early
    trace = call("FETCH", 2, c=0, e=end - begin, tim=end, dep=1) + call(
        "EXEC", 1, c=0, e=300, tim=1_000_400
    )
    assert scan(trace)[1].orphan_calls == orphans


def test_recursive_calls_outside_of_any_call_are_orphans() -> None:
    trace = (
        parsing(2, "update seg$", dep=1)
        + call("EXEC", 2, c=70, e=100, tim=2_000_000, dep=1)
        + call("EXEC", 1, c=1, e=10, tim=3_000_000)
    )
    table, summary = scan(trace)
    assert (summary.orphan_calls, summary.orphan_c, summary.orphan_e) == (1, 70, 100)
    assert table["xc_us"].to_pylist() == [70, 1]


def test_a_between_call_wait_is_in_no_call() -> None:
    trace = wait(1, CLIENT, 5_000_000, 6_000_000) + call("EXEC", 1, c=1, e=9, tim=6_000_100)
    assert rows(trace)[1]["wait_us"] == 0


def test_the_unit_of_10_2_follows_from_its_timestamps() -> None:
    # 2007-07-11 09:05:33.8 is 1184144733.8 s, here in units of 1.024 us.
    units = round(1184144733.8e6 / 1.024)
    trace = (
        "Oracle Database 10g Enterprise Edition Release 10.2.0.3.0 - Production\n"
        "*** 2007-07-11 11:05:33.800\n" + wait(1, CLIENT, 3_590_435, units)
        + call("EXEC", 1, c=1000, e=1000, tim=units + 2000)
        + wait(1, CLIENT, 21, units + 2021)
    )  # fmt: skip
    table, summary = scan(trace)
    assert summary.clock == 1024
    assert table["ela_us"].to_pylist()[0] == 3_676_605  # it was 3.677 s
    assert table["ela_us"].to_pylist()[2] == 22  # 21.504
    assert (table["c_us"].to_pylist()[1], table["e_us"].to_pylist()[1]) == (1000, 1024)
    assert scan(trace, clock=1000)[0]["ela_us"].to_pylist()[0] == 3_590_435


def test_a_clock_that_disagrees_with_the_timestamps_is_measured() -> None:
    trace = (
        "*** 2007-07-11 11:00:00.000\n" + wait(1, CLIENT, 1, 1_000_000)
        + "*** 2007-07-11 11:01:42.400\n" + wait(1, CLIENT, 1, 101_000_000)
    )  # fmt: skip
    summary = scan(trace)[1]
    assert (summary.clock, summary.clock_measured) == (1000, 1024)


BINDS = """\
BINDS #5:

 Bind#0
  oacdty=01 mxl=32(30) mxlc=00 mal=00 scl=00 pre=00
  oacflg=05 fl2=1000000 frm=01 csi=873 siz=160 off=0
  kxsbbbfp=7fcf53f5f8e0  bln=32  avl=04  flg=05
  value="1686"
 Bind#1
  oacdty=02 mxl=22(22) mxlc=00 mal=00 scl=00 pre=00
{between}  oacflg=00 fl2=1000001 frm=00 csi=00 siz=80 off=0
  kxsbbbfp=7fcf53f5d438  bln=22  avl=05  flg=05
  value=3045392
 Bind#2
  No oacdef for this bind.
 Bind#3
  oacdty=01 mxl=32(30) mxlc=00 mal=00 scl=00 pre=00
  kxsbbbfp=7fcf53f5f8e0  bln=32  avl=00  flg=05
"""


@pytest.mark.parametrize("between", ["", "\n*** 2023-08-30T23:05:43.000000+00:00\n"])
def test_binds_belong_to_the_execution_after_them(between: str) -> None:
    trace = HEADER + BINDS.format(between=between) + call("EXEC", 5, c=1, e=1, tim=2000)
    table, summary = scan(trace)
    (found,) = table.to_pylist()
    assert found["binds"] == ["1686", "3045392", None, None]
    assert found["bind_types"] == [1, 2, -1, 1]
    assert summary.not_understood == {}


def test_a_value_may_span_lines_and_look_like_a_record() -> None:
    fake = call("EXEC", 9, c=1, e=1, tim=5)
    trace = f'BINDS #5:\n Bind#0\n  oacdty=01\n  value="first\n{fake}last"\n' + call(
        "EXEC", 5, c=1, e=1, tim=2000
    )
    (found,) = rows(trace)
    assert found["cursor"] == 5
    assert found["binds"] == [f"first\n{fake}last"]


def test_a_dump_in_a_bind_is_of_the_bind() -> None:
    trace = (
        "BINDS #5:\n Bind#0\n  oacdty=112\n  value=\nDump of memory from 0x1 to 0x2\n"
        "7F0011223344 00000000 00000000  [........]\n        Repeat 4 times\n"
        + call("EXEC", 5, c=1, e=1, tim=2000)
    )
    table, summary = scan(trace)
    assert table.num_rows == 1
    assert summary.not_understood == {}


def test_text_of_a_statement_is_no_record_whatever_it_holds() -> None:
    sql = "select '\nEND OF STMT\n' from dual\n" + wait(5, CLIENT, 9, 9) + "-- the end"
    trace = parsing(5, sql) + call("EXEC", 5, c=1, e=1, tim=2000)
    (found,) = rows(trace)
    assert found["sql"] == sql


def test_records_that_run_together_are_both_counted() -> None:
    line = wait(5, CLIENT, 1, 100).rstrip("\n") + call("EXEC", 5, c=1, e=2, tim=200)
    assert [each["name"] for each in rows(line)] == [CLIENT, "EXEC"]
    assert [each["tim_us"] for each in rows(line)] == [100, 200]


def test_windows_line_ends() -> None:
    trace = HEADER + parsing(5, "select 1\nfrom dual") + call("EXEC", 5, c=1, e=2, tim=200)
    found = rows(trace.replace("\n", "\r\n"))[0]
    assert (found["sql"], found["sid"]) == ("select 1\r\nfrom dual", 39)
    assert found["tim_us"] == 200


@pytest.mark.parametrize(
    ("last", "calls", "understood"),
    [
        ("WAIT #5: nam='x' ela= 7 p1=1 p2=2 p3=3 obj#=-1 tim=10020", 2, True),
        ("WAIT #5: nam='x' ela= 7 p1=1 p2=2 p3=3 obj#=-1 tim=10", 1, False),
        ("WAIT #5: nam='x' ela= 7 p1", 1, False),
    ],
)
def test_a_last_line_that_is_cut_is_left_out(last: str, calls: int, understood: bool) -> None:
    table, summary = scan(wait(5, CLIENT, 1, 10010) + last)
    assert table.num_rows == calls
    assert (summary.not_understood == {}) == understood
    assert understood or summary.not_understood == {"(cut line)": 1}


def test_sessions_that_take_turns_in_a_file_do_not_mix() -> None:
    def turn(sid: int) -> str:
        return f"*** SESSION ID:({sid}.1) 2023-08-30 23:05:42.000\n"

    trace = (
        turn(1) + parsing(5, "select 1", sqlid="ofone") + turn(2)
        + parsing(5, "select 2", sqlid="oftwo") + turn(1)
        + call("EXEC", 5, c=1, e=1, tim=5000) + turn(2) + call("EXEC", 5, c=1, e=1, tim=9000)
        + turn(1) + call("FETCH", 5, c=1, e=1, tim=5100)
    )  # fmt: skip
    table, summary = scan(trace)
    found = [(each["sid"], each["sqlid"]) for each in table.to_pylist()]
    assert found == [(1, "ofone"), (2, "oftwo"), (1, "ofone")]
    assert summary.elapsed == (5100 - 4999) + (9000 - 8999)


def test_processes_of_a_merged_file_do_not_mix() -> None:
    def process(pid: int) -> str:
        return f"*** [ Unix process pid: {pid} ]\n"

    trace = (
        process(7) + parsing(5, "select 1", sqlid="ofseven") + process(8)
        + call("EXEC", 5, c=1, e=1, tim=5000) + process(7) + call("EXEC", 5, c=1, e=1, tim=5001)
    )  # fmt: skip
    found = [(each["pid"], each["sqlid"]) for each in rows(trace)]
    assert found == [(8, "#5"), (7, "ofseven")]


def test_experiences_are_parted_by_think_time() -> None:
    trace = "".join(
        wait(1, CLIENT, ela, 10_000_000 * i) for i, ela in enumerate((5, 2_000_000, 5, 5), 1)
    )
    assert [each["experience_id"] for each in rows(trace)] == [1, 1, 3, 3]
    assert [each["experience_id"] for each in rows(trace, think_us=3_000_000)] == [1] * 4


def test_a_clock_that_goes_back_is_counted() -> None:
    trace = wait(1, CLIENT, 1, 90_000_000) + wait(1, CLIENT, 1, 10_000_000)
    assert scan(trace)[1].clock_steps == 1
    # Calls overlap by less than a second where one processor's clock is behind another's.
    near = wait(1, CLIENT, 1, 90_000_000) + wait(1, CLIENT, 1, 89_000_000)
    assert scan(near)[1].clock_steps == 0


def test_records_that_are_neither_calls_nor_waits() -> None:
    trace = (
        "XCTEND rlbk=0, rd_only=1, tim=10\n"
        "ERROR #5:err=942 tim=11\n"
        "LOBREAD: type=TEMPORARY LOB,bytes=99,c=8,e=9,p=0,cr=1,cu=2,tim=12\n"
        "PARSE ERROR #6:len=11 dep=0 uid=5 oct=3 lid=5 tim=13 err=936\n"
        "EXEC #5:c=1\nCLOSE #5:c=1,e=1,dep=0,type=3,tim=14\nSORT UNMAP #5:c=1,e=1,dep=0,tim=15\n"
    )
    trace = trace.replace("EXEC #5:c=1\n", "EXEC #5:c=1\n", 1)
    found = rows(trace)
    assert [each["name"] for each in found] == [
        "XCTEND", "ERROR", "LOBREAD", "PARSE ERROR", "CLOSE", "SORT UNMAP"
    ]  # fmt: skip
    assert (found[1]["err"], found[2]["c_us"], found[3]["err"]) == (942, 8, 936)
    assert found[4]["close_type"] == 3


def test_unread_lines_are_counted_by_kind() -> None:
    summary = scan("kgl lock\nkgl pin\n" + wait(1, CLIENT, 1, 1) + "ORA-00942: no\n7\n")[1]
    assert summary.not_understood == {"kgl": 2, "ORA": 1, "(number)": 1}


@pytest.mark.parametrize("number", ["5x", "5.1", "-", "", "x"])
def test_a_line_without_a_cursor_number_is_no_call(number: str) -> None:
    assert rows(call("EXEC", 5, c=1, e=1, tim=1).replace("#5", f"#{number}")) == []


@pytest.mark.parametrize("between", [",", " "])
def test_a_blank_parts_fields_as_a_comma_does(between: str) -> None:
    (found,) = rows(f"EXEC #5:c=1,e=2{between}p=3{between}dep=4,og=1,plh=7,tim=9\n")
    names = ("c_us", "e_us", "p", "dep", "plh", "tim_us")
    assert tuple(found[name] for name in names) == (1, 2, 3, 4, 7, 9)


def test_numbers_of_any_length_follow_one_another() -> None:
    numbers = [
        *(1, 12345678, 123456789, 12345678, 123456789012345, 1234567890123456, 12345679),
        *(123456790, 99999999, 100000000, 0, 123456789012346, 7, 8007199254740992),
    ]
    trace = "".join(
        f"EXEC #5:c=1,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh={plh},tim={tim}\n"
        f"WAIT #5: nam='x' ela= 3 p1=1 p2=2 p3=3 obj#=1 tim={tim}\n"
        f"LOBREAD: type=TEMPORARY LOB,bytes=99,c=8,e=9,p=0,cr=1,cu=2,tim={tim}\n"
        for plh, tim in zip(numbers[::-1], numbers, strict=True)
    )
    for columns in (("tim_us", "plh"), ("tim_us", "plh", "p1")):
        found = rows(trace, columns)
        assert [each["tim_us"] for each in found] == [each for each in numbers for _ in range(3)]
        assert [each["plh"] for each in found[::3]] == numbers[::-1]
    for zeros in (8, 16):
        leading = f"WAIT #5: nam='x' ela= 3 tim={'0' * zeros}123\n" + wait(5, "x", 1, 123)
        assert [each["tim_us"] for each in rows(leading, ("tim_us",))] == [123, 123]


def test_the_time_of_a_wait_is_found_wherever_it_is() -> None:
    """Lines of an event that came before are read many bytes at a time."""
    lengths = range(1, 200)
    lines = (f"WAIT #5: nam='x' ela= 3 {n * 'p'}=1 obj#=1 tim={1000 + n}\n" for n in lengths)
    together = wait(5, "x", 1, 10).rstrip("\n") + wait(5, "x", 1, 11)
    found = rows("".join(lines) + together, ("tim_us",))
    assert [each["tim_us"] for each in found] == [*(1000 + n for n in lengths), 10, 11]


@pytest.mark.parametrize("letter", ["n", "'", " "])
def test_names_of_any_length_are_distinguished(letter: str) -> None:
    names = [n * letter for n in range(1, 200)]
    lines = [wait(5, name, 1, 10) for name in names]
    found = rows("".join(2 * line for line in lines) + "".join(lines), ("name",))
    assert [each["name"] for each in found] == [*(each for each in names for _ in "12"), *names]


def test_numbers_out_of_range_are_left_out_and_counted() -> None:
    trace = "WAIT #5: nam='x' ela= 99999999999999999 p1=1 tim=5\nWAIT #5: nam='x' ela= -4 tim=6\n"
    table, summary = scan(trace)
    assert table["dur_us"].to_pylist() == [0, 0]
    assert (summary.out_of_range, summary.negative) == (1, 1)


def test_bytes_that_are_no_utf_8_are_taken_for_latin_1() -> None:
    found = rows(b"WAIT #5: nam='caf\xe9' ela= 1 tim=1\nWAIT #5: nam='\xc3\xa9\x00' ela= 1 tim=2\n")
    assert [each["name"] for each in found] == ["café", "é␀"]


def test_a_file_at_its_limit_says_so() -> None:
    summary = scan("*** DUMP FILE SIZE IS LIMITED TO 5242880 BYTES ***\n")[1]
    assert summary.limited
    assert summary.not_understood == {}
