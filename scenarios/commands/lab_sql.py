# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace lab sql`: a script on the lab, or on an Oracle database."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from polltrace.bounded_file import UnreadableError
from polltrace.errors import DriverError, FileError, UsageError
from polltrace.scenarios.commands.connect_target import (
    add_password_arguments,
    connect_target,
    endpoint,
)
from polltrace.scenarios.script.output import Output
from polltrace.scenarios.script.reader import Script
from polltrace.scenarios.script.runner import LONGEST_SCRIPT, Runner, script_paths, script_text
from polltrace.scenarios.script.script_database import ConnectTarget, Database, StatementError
from polltrace.scenarios.script.settings import Settings
from polltrace.scenarios.script.state import ScriptState
from polltrace.scenarios.script.words import CommandError

Ask = Callable[[str], str | None]


def add_script_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "script",
        nargs="?",
        metavar="FILE",
        help="the script, - for standard input; looked for here, in the folders of $SQLPATH, and "
        "among polltrace's own; options stand before sql or behind the arguments (sql)",
    )
    parser.add_argument("arguments", nargs="*", help="the script's &1, &2 and so on (sql)")
    parser.add_argument(
        "--target",
        metavar="USER[/PASSWORD]@HOST[:PORT]/SERVICE",
        help="instead of the lab (sql); a password here can be read by every user of this host",
    )
    add_password_arguments(parser)


def check_script_arguments(args: argparse.Namespace) -> None:
    """Raises UsageError for arguments that do not go with the action."""
    if (args.action == "sql") != (args.script is not None):
        raise UsageError("sql takes a FILE, or - for standard input; nothing else takes one")
    sql_only = args.target or args.password_file or args.password_fd is not None
    if sql_only and args.action != "sql":
        raise UsageError(f"--target and passwords go with sql, not {args.action}")


def run_script(args: argparse.Namespace) -> int:
    """The script's exit code. Raises UsageError, FileError, LabError, DriverError."""
    args.lab = None if args.target else args.name
    # A missing FILE is reported before a missing lab: fewer commands fix it. Standard input is read
    # only where there is a lab.
    read = _script(args.script) if args.lab is not None and args.script != "-" else None
    end, user, password = connect_target(args)
    target = ConnectTarget(f"{end.host}:{end.port}/{end.service}", user, password, args.disable_oob)
    script, directory = read or _script(args.script)
    settings = Settings()
    with Database() as database:
        ask: Ask
        output = Output(settings, sys.stdout)
        ask = (
            (lambda prompt: _asked(output, prompt, script.line))
            if args.script == "-"
            else (lambda prompt: _asked(output, prompt, _typed))
        )
        state = ScriptState(
            settings,
            output,
            database,
            ask,
            lambda operand: _target(operand, database.target or target, ask),
            directory=directory,
        )
        try:
            database.connect(target)
            state.connected()
        except StatementError as error:
            raise DriverError(f"cannot connect to {target.dsn}: {error}") from None
        return Runner(state).run(script, args.arguments)


def _script(name: str) -> tuple[Script, Path]:
    """The script and the folder that its @@ starts from."""
    if name == "-":
        # Bytes: a text stream would stop at the first that is not UTF-8.
        content = sys.stdin.buffer.read(LONGEST_SCRIPT + 1)
        if len(content) > LONGEST_SCRIPT:
            raise FileError(f"standard input is longer than {LONGEST_SCRIPT >> 20} MiB")
        try:
            return Script(content.decode("utf-8-sig")), Path.cwd()
        except UnicodeDecodeError:
            raise FileError("cannot read standard input: it is not UTF-8") from None
    for path in script_paths(name, Path.cwd()):
        try:
            text = script_text(path)
        except UnreadableError as error:
            raise FileError(f"cannot read {path}: {error}") from None
        if text is not None:
            return Script(text), path.absolute().parent
    raise FileError(f"cannot read {name}: No such file or directory")


def _asked(output: Output, prompt: str, line: Callable[[], str | None]) -> str | None:
    output.prompt(prompt)
    return line()


def _typed() -> str | None:
    line = sys.stdin.readline(1 << 16)
    return line.rstrip("\r\n") if line else None


def _target(operand: str, current: ConnectTarget, ask: Ask) -> ConnectTarget:
    """The target of CONNECT USER[/PASSWORD][@...], by default the current database. Raises
    CommandError."""
    words = operand.split()
    if len(words) != 1:
        raise CommandError("SP2-0306: Invalid option: CONNECT USER/PASSWORD@HOST:PORT/SERVICE")
    login, separator, dsn = words[0].rpartition("@") if "@" in words[0] else (words[0], "", "")
    user, slash, password = login.partition("/")
    if separator:
        try:
            end = endpoint(dsn)
        except UsageError as error:
            raise CommandError(f"SP2-0306: Invalid option: {error}") from None
        dsn = f"{end.host}:{end.port}/{end.service}"
    if not slash:
        password = ask("Enter password: ") or ""
    return ConnectTarget(
        dsn or current.dsn, user.strip('"'), password.strip('"'), current.disable_oob
    )
