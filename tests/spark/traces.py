# SPDX-License-Identifier: GPL-2.0-or-later
"""Trace files to ask the same of several engines: of a few sessions, each with calls, waits, binds
and a recursive statement."""

from __future__ import annotations

import random
from pathlib import Path

_HEAD = """Trace file {path}
Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production
Version 19.3.0.0.0
Unix process pid: {pid}, image: oracle@host

*** 2024-02-29T12:00:00.000000+00:00
*** SESSION ID:({sid}.7) 2024-02-29T12:00:00.000000+00:00
*** MODULE NAME:(module-{sid}) 2024-02-29T12:00:00.000000+00:00

"""
_STATEMENT = """=====================
PARSING IN CURSOR #{n} len={length} dep={dep} uid=7 oct=3 lid=7 tim={tim} hv=1 ad='a' sqlid='{id}'
{sql}
END OF STMT
"""
_BINDS = """BINDS #{n}:

 Bind#0
  oacdty=02 mxl=22(22) mxlc=00 mal=00 scl=00 pre=00
  oacflg=05 fl2=1000000 frm=00 csi=00 siz=24 off=0
  kxsbbbfp=7f  bln=22  avl=02  flg=05
  value={value}
"""


def write_traces(folder: Path, files: int, calls: int) -> None:
    """`files` files with some `calls` executions each; the same ones each time."""
    for number in range(files):
        _write(folder / f"ORCL_ora_{number}.trc", number, calls + 11 * number)


def _write(path: Path, number: int, calls: int) -> None:
    chance = random.Random(number)
    tim = 10_000_000 + number
    text = [_HEAD.format(path=path, pid=1000 + number, sid=number)]
    for n in range(calls):
        cursor = 1 + n % 5
        if n < 5:
            sql = f"select {n} from t{number}"
            values = {"n": cursor, "length": len(sql), "dep": 0, "tim": tim, "sql": sql}
            text.append(_STATEMENT.format(id=f"{number}x{n}".zfill(13), **values))
        e, ela = chance.randrange(1, 5000), chance.randrange(1, 900_000)
        text.append(_BINDS.format(n=cursor, value=n))
        text.append(
            f"EXEC #{cursor}:c={e // 2},e={e},p=0,cr={n},cu=1,mis=0,r=1,dep=0,og=1,plh=9,"
            f"tim={tim + e}\n"
        )
        tim += e + ela
        text.append(
            f"WAIT #{cursor}: nam='SQL*Net message from client' ela= {ela} driver id=1 #bytes=1"
            f" p3=0 obj#=-1 tim={tim}\n"
        )
    path.write_text("".join(text))
