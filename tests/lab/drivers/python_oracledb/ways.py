# SPDX-License-Identifier: GPL-2.0-or-later
"""How else applications use python-oracledb: cancels, pools, asyncio, pipelines, data frames."""

import asyncio
import contextlib
import datetime
import functools
import threading
from typing import Any

import oracledb
from checks import HOST, PORT, SERVICE, check, connect, failure, version

ABOUT: dict[str, Any] = {"user": "scott", "password": "tiger", "dsn": f"{HOST}:{PORT}/{SERVICE}"}
BURN = (
    "select /*+ ordered use_nl(b) use_nl(c) use_nl(d) full(a) full(b) full(c) full(d) */ count(*)"
    " from sys.obj$ a, sys.obj$ b, sys.obj$ c, sys.obj$ d where a.owner# = b.owner#"
    " and b.owner# = c.owner# and c.owner# = d.owner# and rownum <= 2000000"
)


def check_cancels(connection: Any) -> None:
    for disable_oob in (True, False):
        mode = "in-band" if disable_oob else "out-of-band"
        with contextlib.closing(connect(disable_oob=disable_oob)) as other:
            cursor = other.cursor()
            wrong = []
            burn = functools.partial(cursor.execute, BURN)
            for n in range(25):
                timer = threading.Timer(n * 0.002, other.cancel)
                timer.start()
                ended = failure(burn)
                timer.join()
                cursor.execute("select :1 from dual", [n])
                if (rows := cursor.fetchall()) != [(n,)] or ended != "ORA-01013":
                    wrong.append((n, ended, rows))
            check(f"cancels {mode}", wrong, [])
            other.call_timeout = 150
            ended = failure(burn)
            check(f"call time-out {mode}", ended in ("DPY-4024", "DPI-1067"), True)
            other.call_timeout = 0
            cursor.execute("select 7 from dual")
            check(f"usable {mode}", cursor.fetchall(), [(7,)])


def check_ways(connection: Any) -> None:
    pool = oracledb.create_pool(min=1, max=3, increment=1, ping_interval=0, **ABOUT)
    wrong: list[object] = []

    def work(k: int) -> None:
        for n in range(20):
            # As an application does: what one leaves behind is none of the next one's.
            with pool.acquire() as own, own.cursor() as cursor:
                cursor.execute("select :1, :2 from dual", [k, f"v{n}"])
                if (rows := cursor.fetchall()) != [(k, f"v{n}")]:
                    wrong.append((k, n, rows))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pool.close()
    check("a pool", wrong, [])
    if version() >= (2, 0):
        asyncio.run(check_asyncio())
    if version() >= (3, 0):
        check_data_frames(connection)


async def check_asyncio() -> None:
    async def one(k: int) -> list[Any]:
        async with oracledb.connect_async(**ABOUT) as own:
            rows = []
            for n in range(10):
                rows += await own.fetchall("select :1, :2 from dual", [k, n])
            return rows

    found = await asyncio.gather(*(one(k) for k in range(5)))
    check("asyncio", found, [[(k, n) for n in range(10)] for k in range(5)])
    async with oracledb.connect_async(**ABOUT) as own:
        task = asyncio.create_task(own.fetchall(BURN))
        await asyncio.sleep(0.1)
        own.cancel()
        try:
            await task
            ended = "done"
        except oracledb.Error as error:
            ended = str(error).split(":")[0]
        check(
            "a cancel by asyncio",
            (ended, await own.fetchall("select 7 from dual")),
            ("ORA-01013", [(7,)]),
        )
        cursor = own.cursor()
        cursor.arraysize = 3
        await cursor.execute("select level from dual connect by level <= 10")
        check("rows by asyncio", [n async for (n,) in cursor], list(range(1, 11)))
        if version() >= (2, 4):
            await check_pipelines(own)


async def check_pipelines(own: Any) -> None:
    await own.execute("create table piped (n number primary key)")
    pipeline = oracledb.create_pipeline()
    pipeline.add_execute("insert into piped values (1)")
    pipeline.add_executemany("insert into piped values (:1)", [(2,), (3,)])
    pipeline.add_execute("insert into piped values (1)")
    pipeline.add_commit()
    pipeline.add_fetchall("select n from piped order by n")
    pipeline.add_fetchmany("select level from dual connect by level <= 9", num_rows=4)
    pipeline.add_fetchone("select :1 from dual", ["one"])
    results = await own.run_pipeline(pipeline, continue_on_error=True)
    errors = [result.error.full_code if result.error else None for result in results]
    check("errors of a pipeline", errors, [None, None, "ORA-00001", None, None, None, None])
    rows = [result.rows for result in results[4:]]
    check("rows of a pipeline", rows, [[(1,), (2,), (3,)], [(1,), (2,), (3,), (4,)], [("one",)]])
    await own.execute("drop table piped")


def check_data_frames(connection: Any) -> None:
    import pyarrow  # noqa: PLC0415 - earlier versions are tested where it is not installed

    sql = (
        "select level n, case when mod(level, 3) > 0 then 'v' || level end v, level / 4 f,"
        " date '2024-07-01' d from dual connect by level <= 1009"
    )
    day = datetime.datetime(2024, 7, 1)
    expected = [(float(n), f"v{n}" if n % 3 else None, n / 4, day) for n in range(1, 1010)]

    def rows_of(frame: Any) -> list[tuple[Any, ...]]:
        columns = [pyarrow.array(column).to_pylist() for column in frame.column_arrays()]
        return list(zip(*columns, strict=True))

    check("a data frame", rows_of(connection.fetch_df_all(sql, arraysize=100)) == expected, True)
    batches = [rows_of(batch) for batch in connection.fetch_df_batches(sql, size=100)]
    check("its batches", [row for batch in batches for row in batch] == expected, True)
    empty = connection.fetch_df_all("select 1 n, 'x' v from dual where 1 = 0")
    check("an empty one", rows_of(empty), [])
    if version() < (3, 3):
        return  # it does not insert them
    cursor = connection.cursor()
    cursor.execute("create table framed (n number, v varchar2(20), d timestamp)")
    data = pyarrow.table(
        {
            "n": [1, 2, None],
            "v": ["a", None, "é€"],
            "d": pyarrow.array([day, None, day], pyarrow.timestamp("us")),
        }
    )
    cursor.executemany("insert into framed values (:1, :2, :3)", data)
    cursor.execute("select n, v, d from framed order by n")
    check("inserted", cursor.fetchall(), [(1, "a", day), (2, None, None), (None, "é€", day)])
    connection.rollback()
    cursor.execute("drop table framed")
