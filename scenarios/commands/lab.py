# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys

from polltrace.commands.arguments import port, skip
from scenarios import background_lab
from scenarios.oralab import Oralab

# Ready to paste; each as the driver's own documentation connects.
_CONNECT = """\
python-oracledb  oracledb.connect(user="{user}", password="{password}", dsn="{dsn}")
node-oracledb    oracledb.getConnection(
                   {{user: "{user}", password: "{password}", connectString: "{dsn}"}})
go-ora           sql.Open("oracle", "oracle://{user}:{password}@{dsn}")
JDBC thin        DriverManager.getConnection("jdbc:oracle:thin:@//{dsn}", "{user}", "{password}")"""


class Lab:
    """Run the embedded lab in the background: start, status, stop.

    An Oracle-like dedicated-server database on loopback, for unmodified drivers. Its servers read
    sqlnet.ora as they start: edit the file that is shown, and connect again. The exit code of
    status is 1 where no lab runs.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("action", choices=["start", "status", "stop"])
        parser.add_argument(
            "--port", type=port, default=0, help="loopback port (start; default: a free one)"
        )
        parser.add_argument(
            "--skip",
            type=skip,
            default=3,
            metavar="N",
            help="BREAK_POLL_SKIP in sqlnet.ora (start; default: %(default)s)",
        )
        parser.add_argument(
            "--disable-oob", action="store_true", help="DISABLE_OOB=ON in sqlnet.ora (start)"
        )
        parser.add_argument("--json", action="store_true", help="the same as data")

    def run(self, args: argparse.Namespace) -> int:
        match args.action:
            case "start":
                lab: Oralab | None = background_lab.start(
                    args.port, break_poll_skip=args.skip, disable_oob=args.disable_oob
                )
            case "status":
                lab = background_lab.status()
            case _:
                lab = background_lab.stop()
        if args.json:
            json.dump(_data(lab, running=args.action != "stop"), sys.stdout)
            print()
        elif lab is None:
            print("No lab runs in the background.")
        elif args.action == "stop":
            print(f"The lab (PID {lab.pid}) has ended.")
        else:
            print(_text(lab))
        return 1 if args.action == "status" and lab is None else 0


def _data(lab: Oralab | None, *, running: bool) -> dict[str, object]:
    if lab is None:
        return {"running": False}
    return {
        "running": running,
        "pid": lab.pid,
        "port": lab.port,
        "service": lab.service,
        "dsn": lab.dsn,
        "local_port": lab.local_port,
        "local_dsn": lab.local_dsn,
        "user": lab.user,
        "password": lab.password,
        "sqlnet_ora": str(lab.sqlnet_ora),
    }


def _text(lab: Oralab) -> str:
    return "\n".join(
        [
            f"The lab listens on 127.0.0.1:{lab.port}, service {lab.service} (PID {lab.pid}).",
            f"sqlnet.ora: {lab.sqlnet_ora}",
            f"For a LOCAL=YES session connect to {lab.local_dsn} instead of {lab.dsn}.",
            "",
            _CONNECT.format(user=lab.user, password=lab.password, dsn=lab.dsn),
        ]
    )
