# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

from polltrace.commands.arguments import add_duration, port, skip
from polltrace.commands.output import add_json_argument
from polltrace.errors import UsageError
from polltrace.scenarios.commands.lab_load import load
from polltrace.scenarios.commands.lab_sql import (
    add_script_arguments,
    check_script_arguments,
    run_script,
)
from polltrace.scenarios.report.lab import lab_data, lab_text, others_text
from polltrace.scenarios.run.servers import background_lab
from polltrace.scenarios.run.servers.oralab import Oralab


class Lab:
    """Start, show, load or stop the lab database; run scripts on it.

    An Oracle-like dedicated-server database on loopback, for unmodified drivers, in the background.
    Its servers read sqlnet.ora as they start: edit the file that is shown, and connect again. The
    exit code of status is 1 where no lab runs. By --name several run side by side, each with its
    own directory, ports and password; the name in upper case is the instance's.

    load keeps two sessions busy with the article's statement, one out-of-band and one in-band, and
    prints their PIDs. It starts a lab where none runs, and stops that at the end.

    sql runs a script of SQL*Plus commands, SQL and PL/SQL on the lab, or on the Oracle database of
    --target. Its exit code is that of the script's EXIT, else 0.
    """

    group = "experiment"
    examples = (
        ("start --skip 10", "start a lab with BREAK_POLL_SKIP=10"),
        ("load --background", "keep two sessions busy until 'polltrace lab stop'"),
        ("start --name east --json", "another next to it, instance EAST; its address as data"),
        ("sql lotslios 10000", "run a script, here one that comes with polltrace, on the lab"),
        ("sql - < check.sql", "run a script that comes by standard input"),
        ("stop", "end it"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("action", choices=["start", "status", "load", "sql", "stop"])
        add_script_arguments(parser)
        parser.add_argument(
            "--name",
            type=_name,
            default=background_lab.DEFAULT_NAME,
            help="which lab; its instance has the name in upper case (default: %(default)s)",
        )
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
            "--disable-oob",
            action="store_true",
            help="DISABLE_OOB=ON in sqlnet.ora (start), or of the script's session alone (sql)",
        )
        add_duration(parser, "-d", "--duration", help="how long to keep the sessions busy (load)")
        parser.add_argument(
            "--background",
            action="store_true",
            help="return at once; the load ends with 'polltrace lab stop' (load)",
        )
        parser.add_argument(
            "--pid-only", action="store_true", help="print the in-band session's PID alone (load)"
        )
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        loads = args.duration is not None or args.background or args.pid_only
        if loads and args.action != "load":
            raise UsageError(f"-d, --background and --pid-only go with load, not {args.action}")
        check_script_arguments(args)
        match args.action:
            case "sql":
                return run_script(args)
            case "load":
                return load(args)
            case "start":
                lab: Oralab | None = background_lab.start(
                    args.port,
                    break_poll_skip=args.skip,
                    disable_oob=args.disable_oob,
                    name=args.name,
                )
            case "status":
                lab = background_lab.status(args.name)
            case _:
                lab = background_lab.stop(args.name)
        if args.json:
            print(json.dumps(lab_data(lab, running=args.action != "stop")))
        else:
            print("\n".join(_lines(args, lab)))
        return 1 if args.action == "status" and lab is None else 0


def _lines(args: argparse.Namespace, lab: Oralab | None) -> Iterator[str]:
    if lab is None:
        named = args.name != background_lab.DEFAULT_NAME
        yield (
            f"No lab {args.name} runs in the background."
            if named
            else ("No lab runs in the background.")
        )
    elif args.action == "stop":
        yield f"The lab (PID {lab.pid}) has ended."
    else:
        yield lab_text(lab)
    if args.action == "status":
        lab_name = args.name.lower()
        other_labs = [lab for lab in background_lab.running() if lab.name.lower() != lab_name]
        if other_labs:
            yield others_text(other_labs)


def _name(text: str) -> str:
    if not background_lab.NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a lab's name: a letter, then up to 15 letters, digits, underscores"
        )
    return text
